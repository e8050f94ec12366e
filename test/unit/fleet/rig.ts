/**
 * Drives the contract's machine and the real order engine with behaviours written here: what an adapter would do, as
 * calls. Time is a number that the behaviours move; a small breaker sheds as the broker's does.
 */

import { simulatedVendor } from '../../../server/src/vendor/simulated.ts';
import type { LedgerVendor, VendorOutcome } from '../../../server/src/vendor/vendor.ts';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import type { FleetPlan } from '../../../shared/src/contracts/fleet/types.ts';
import type {
  Evidence,
  Judgement,
  RunEnd,
  StepRecord,
  TraceRow,
} from '../../../shared/src/evidence/evidence.ts';
import type { InvocationResult, Site } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import { judge } from '../../../shared/src/judge.ts';

export interface Answer {
  ok: boolean;
  status: number;
  origin: 'broker' | 'vendor';
  retryAfterMs: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read freely in scripted behaviours
  body: any;
}

/** Thrown by a behaviour: the error that an adapter would throw. */
export class Thrown extends Error {
  readonly code: Json | undefined;
  constructor(message: string, code?: Json) {
    super(message);
    this.code = code;
  }
}

/** A call that never comes back. */
export class Hang extends Error {}

export interface Behaviour {
  inventory(rig: Rig): Promise<Json>;
  dispatch(rig: Rig, robot: string, target: Json, command: string): Promise<Json>;
  wait(rig: Rig, mission: string, opts: { maxPolls?: number }): Promise<Json>;
  cancel(rig: Rig, mission: string): Promise<Json>;
}

const ROUTES: Record<string, { method: string; route: string; path: (id: string) => string }> = {
  listRobots: { method: 'GET', route: '/robots', path: () => '/robots' },
  getRobot: { method: 'GET', route: '/robots/{id}', path: (id) => `/robots/${id}` },
  createMission: { method: 'POST', route: '/robots/{id}/missions', path: (id) => `/robots/${id}/missions` },
  getMission: { method: 'GET', route: '/missions/{id}', path: (id) => `/missions/${id}` },
  cancelMission: { method: 'POST', route: '/missions/{id}/cancel', path: (id) => `/missions/${id}/cancel` },
};

export class Rig {
  now = 0;
  readonly trace: TraceRow[] = [];
  readonly steps: StepRecord[] = [];
  readonly engine: LedgerVendor;
  readonly plan: FleetPlan;
  end: RunEnd = { kind: 'complete' };
  #step: number | null = null;
  #openUntil = 0;

  constructor(plan: FleetPlan) {
    this.plan = plan;
    this.engine = simulatedVendor('simulated:fleet', {
      plan,
      verifier: { verify: async (authorization) => (authorization === 'ours' ? 1 : null) },
      idSeed: 'rig',
      epoch: 0,
    });
  }

  sleep(ms: number): void {
    this.now += ms;
  }

  /** `line`: where the adapter would have made the call. */
  async call(operation: string, id: string, body?: Json, line = 1): Promise<Answer> {
    const known = ROUTES[operation];
    if (known === undefined) throw new Error(`no operation ${operation}`);
    const row: TraceRow = {
      seq: this.trace.length + 1,
      at: this.now,
      elapsed: 1,
      step: this.#step,
      method: known.method,
      route: known.route,
      operation,
      status: 503,
      origin: 'broker',
      sent: 'no',
      requestBytes: 0,
      answerBytes: 0,
      site: { line, column: 1 },
    };
    this.trace.push(row);
    if (this.now < this.#openUntil) {
      row.refused = 'shed';
      const retryAfterMs = this.#openUntil - this.now;
      this.sleep(1);
      return { ok: false, status: 503, origin: 'broker', retryAfterMs, body: null };
    }
    const outcome = await this.engine.handle(
      {
        method: known.method,
        target: known.path(id),
        headers: { authorization: 'ours' },
        ...(body === undefined ? {} : { body }),
        call: row.seq,
        step: this.#step,
      },
      this.now,
    );
    return this.#answered(row, outcome);
  }

  #answered(row: TraceRow, outcome: VendorOutcome): Answer {
    const late = outcome.afterMs > 60_000;
    row.elapsed = late ? 60_000 : outcome.afterMs;
    this.now = Math.max(this.now, row.at + row.elapsed);
    if (outcome.kind !== 'answer' || late) {
      row.status = late ? 504 : 502;
      row.sent = 'maybe';
      return { ok: false, status: row.status, origin: 'broker', retryAfterMs: 0, body: null };
    }
    row.status = outcome.status;
    row.origin = 'vendor';
    row.sent = 'yes';
    const { status, body } = outcome;
    if (status === 429 || status === 503) {
      this.#openUntil = this.now + 1000 * Number(outcome.headers['retry-after'] ?? 1);
      return { ok: false, status, origin: 'vendor', retryAfterMs: this.#openUntil - this.now, body };
    }
    return { ok: status < 300, status, origin: 'vendor', retryAfterMs: 0, body };
  }

  async run(behaviour: Behaviour): Promise<Evidence> {
    let turn = fleet.start(this.plan);
    for (;;) {
      const effect = turn.effects[0];
      if (effect === undefined || effect.kind === 'done') break;
      const { step } = effect;
      this.#step = step.index;
      const records = step.invocations.map(
        (call, invocation): StepRecord => ({
          step: step.index,
          invocation,
          ...call,
          startedAt: this.now,
          ledgerFrom: this.engine.ledger().length,
        }),
      );
      this.steps.push(...records);
      await Promise.all(records.map((record) => this.#invoke(record, behaviour)));
      this.#step = null;
      const results = records.flatMap((record) => record.result ?? []);
      if (results.length < records.length) {
        this.end = {
          kind: 'broken',
          reason: 'hang',
          text: 'The adapter waits for nothing.',
          site: siteAt(99),
        };
        break;
      }
      turn = fleet.next(turn.state, { kind: 'settled', step: step.index, results });
    }
    this.engine.settle(this.now);
    return this.evidence();
  }

  async #invoke(record: StepRecord, behaviour: Behaviour): Promise<void> {
    const result = await settle(() => this.#start(record, behaviour));
    if (result === null) return;
    record.result = result;
    record.returnedAt = this.now;
    record.ledgerTo = this.engine.ledger().length;
    record.traceTo = this.trace.length;
  }

  #start({ export: name, args }: StepRecord, behaviour: Behaviour): Promise<Json> {
    const [first, second, third] = args;
    if (name === 'inventory') return behaviour.inventory(this);
    if (name === 'dispatch') return behaviour.dispatch(this, String(first), second ?? null, String(third));
    if (name === 'wait') return behaviour.wait(this, String(first), second as { maxPolls?: number });
    return behaviour.cancel(this, String(first));
  }

  evidence(): Evidence {
    return JSON.parse(
      JSON.stringify({
        contract: fleet.id,
        plan: this.plan,
        steps: this.steps,
        trace: this.trace,
        ledger: this.engine.ledger(),
        record: this.engine.record(),
        end: this.end,
      }),
    );
  }
}

export function siteAt(line: number): Site {
  return { line, column: 1 };
}

async function settle(call: () => Promise<Json>): Promise<InvocationResult | null> {
  try {
    return { kind: 'returned', value: await call(), site: siteAt(50) };
  } catch (error) {
    if (error instanceof Hang) return null;
    if (!(error instanceof Thrown)) throw error;
    const { code, message } = error;
    const described = { isError: true, name: 'Error', message, site: siteAt(60) };
    return { kind: 'threw', error: code === undefined ? described : { ...described, code } };
  }
}

/** Runs a behaviour under a plan and judges what is left. */
export async function judged(
  plan: FleetPlan,
  behaviour: Behaviour,
): Promise<Judgement & { evidence: Evidence }> {
  const evidence = await new Rig(plan).run(behaviour);
  return { ...judge(evidence), evidence };
}

/** Ids of the broken rules. */
export function broken({ rules }: Judgement): string[] {
  return rules.filter((rule) => !rule.held).map((rule) => rule.id);
}

/** The outcome of one rule. */
export function ruleOf({ rules }: Judgement, id: string) {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) throw new Error(`no rule ${id}`);
  return rule;
}
