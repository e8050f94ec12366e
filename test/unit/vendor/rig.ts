/** A fleet engine at hand for tests; every answer that it gives is checked against the example's vendor document. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { OrderEngine } from '../../../server/src/vendor/engine.ts';
import { fleet } from '../../../server/src/vendor/models/fleet.ts';
import type { TokenVerifier, VendorOutcome, VendorRequest } from '../../../server/src/vendor/vendor.ts';
import type {
  CallFault,
  FaultSchedule,
  LedgerRow,
  ResourceState,
} from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { $ref?: string; content?: unknown }> }>>;
  components: { responses: Record<string, unknown>; schemas: Record<string, unknown> };
}

export const document = parse(
  readFileSync(new URL('../../../examples/fleet/vendor.openapi.yaml', import.meta.url), 'utf8'),
) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(document, 'fleet');

/** A check against the value at a JSON Pointer into the document. */
export function schemaAt(pointer: string): ValidateFunction {
  return ajv.getSchema(`fleet#${pointer}`) ?? ajv.compile({ $ref: `fleet#${pointer}` });
}

/** Fails unless the document gives this answer to that call. */
export function expectDocumented(method: string, target: string, status: number, body: Json): void {
  const path = Object.keys(document.paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(target.split('?')[0] ?? ''),
  );
  if (path === undefined) return;
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return;
  const response = operation.responses[String(status)];
  expect(response, `${method} ${path} ${status} is in the document`).toBeDefined();
  const at =
    response?.$ref?.slice(1) ?? `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
  const validate = schemaAt(`${at}/content/application~1json/schema`);
  expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
}

function escaped(token: string): string {
  return encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** `Bearer good` is credential 1, `Bearer other` credential 3; it takes a few turns, as a signature check does. */
export const verifier: TokenVerifier = {
  async verify(authorization) {
    await new Promise((resolve) => setImmediate(resolve));
    return (
      new Map([
        ['Bearer good', 1],
        ['Bearer other', 3],
      ]).get(authorization ?? '') ?? null
    );
  },
};

export function robot(id: string, x: number, y: number, battery = 90): ResourceState {
  return { id, status: 'idle', running: null, fields: { battery, pose: { x, y } } };
}

/** As `robot`, busy with an order. */
export function movingRobot(
  id: string,
  x: number,
  y: number,
  battery: number,
  running: string,
): ResourceState {
  return { id, status: 'moving', running, fields: { battery, pose: { x, y } } };
}

export const world = { resources: [robot('r1', 0, 0), robot('r2', 4, 4, 80), robot('r3', 8, 0, 70)] };

export interface CallOptions {
  step?: number | null;
  authorization?: string;
  body?: Json;
}

export class Rig {
  readonly engine: OrderEngine;
  now = 0;
  #calls = 0;

  constructor(
    faults: FaultSchedule = [],
    resources = world.resources,
    idSeed = 'seed',
    tokens: TokenVerifier = verifier,
  ) {
    this.engine = new OrderEngine({
      model: fleet,
      world: { resources },
      faults,
      verifier: tokens,
      idSeed,
      epoch: 1_800_000_000_000,
    });
  }

  get ledger(): readonly LedgerRow[] {
    return this.engine.ledger();
  }

  /** Rows after the `opened` one, as `kind` or `kind:by`. */
  get kinds(): string[] {
    return this.ledger.slice(1).map(({ kind, by }) => (by === 'client' ? kind : `${kind}:${by}`));
  }

  row(seq: number): LedgerRow {
    const row = this.ledger[seq - 1];
    if (row === undefined) throw new Error(`no row ${seq}`);
    return row;
  }

  /** Rows from there on. */
  since(seq: number): LedgerRow[] {
    return this.ledger.filter((row) => row.seq > seq);
  }

  async send(method: string, target: string, options: CallOptions = {}): Promise<VendorOutcome> {
    this.#calls += 1;
    this.now += 100;
    const outcome = await this.engine.handle(this.request(method, target, this.#calls, options), this.now);
    if (outcome.kind === 'answer') expectDocumented(method, target, outcome.status, outcome.body);
    return outcome;
  }

  /** The broker's health probe. */
  probe(target = '/health', authorization = 'Bearer good'): Promise<VendorOutcome> {
    return this.engine.handle({ ...this.request('GET', target, 0, { authorization }), call: null }, this.now);
  }

  request(method: string, target: string, call: number, options: CallOptions): VendorRequest {
    const { step = 0, authorization = 'Bearer good', body } = options;
    const headers = { authorization };
    return { method, target, headers, call, step, ...(body === undefined ? {} : { body }) };
  }

  create(id: string, body: Json, options: CallOptions = {}): Promise<VendorOutcome> {
    return this.send('POST', `/robots/${id}/missions`, { ...options, body });
  }

  /** Orders and gives the mission's id. */
  async order(id: string, x: number, y: number, key?: string): Promise<string> {
    const outcome = await this.create(id, order(x, y, key));
    return field(outcome, 'mission_id');
  }

  mission(id: string, options: CallOptions = {}): Promise<VendorOutcome> {
    return this.send('GET', `/missions/${id}`, options);
  }

  cancel(id: string): Promise<VendorOutcome> {
    return this.send('POST', `/missions/${id}/cancel`);
  }

  /** Resources of the final record by id. */
  robotNow(id: string): ResourceState {
    const found = this.engine.record().resources.find((resource) => resource.id === id);
    if (found === undefined) throw new Error(`no robot ${id}`);
    return found;
  }

  orderIds(): string[] {
    return this.engine.record().orders.map(({ id }) => id);
  }
}

export function order(x: number, y: number, key?: string): Json {
  return key === undefined ? { target: { x, y } } : { target: { x, y }, command_id: key };
}

export function callFault(fault: Partial<CallFault> & Pick<CallFault, 'handled' | 'answer'>): CallFault {
  return { kind: 'call', step: 0, operation: 'createMission', nth: 1, ...fault };
}

/** A string of an answer's body. */
export function field(outcome: VendorOutcome, name: string): string {
  const value = outcome.kind === 'answer' ? (outcome.body as Record<string, Json>)[name] : undefined;
  if (typeof value !== 'string') throw new Error(`no ${name} in ${JSON.stringify(outcome)}`);
  return value;
}

export function statusOf(outcome: VendorOutcome): number | string {
  return outcome.kind === 'answer' ? outcome.status : outcome.kind;
}

/** The outcome of an ordinary answer. */
export function answer(status: number, body: Json, afterMs = 20): VendorOutcome {
  return { kind: 'answer', status, headers: { 'content-type': 'application/json' }, body, afterMs };
}

export function errorAnswer(status: number, code: string, message: string): VendorOutcome {
  return answer(status, { error: { code, message } });
}
