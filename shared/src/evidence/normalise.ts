/**
 * Evidence as it may be signed and kept: ids, states, positions and counts as they are; foreign free text as digests.
 * Equal texts stay equal and different ones different, so the rules come to the same. Normalising twice changes nothing.
 */
import type { Json, JsonObject } from '../json.ts';
import { sameJson } from '../sameJson.ts';
import { sha256 } from './digest.ts';
import type {
  BrokenReason,
  Evidence,
  LedgerRow,
  OrderState,
  ResourceState,
  RunEnd,
  StepRecord,
  TraceRow,
} from './evidence.ts';

const DIGEST_TEXT = /^sha256:[0-9a-f]{64}~*$/;
const ID = /^[A-Za-z0-9][\w.:@~-]{0,127}$/;
const ERROR_NAME = /^[A-Z][A-Za-z]{0,31}$/;
const METHOD = /^[A-Z]{1,16}$/;
/** The guest's own words for what is no JSON value. */
const ODD_REASON = /^[a-z ]{1,40}$/;
const ODD_KEY = '$odd';
/** Rules tell texts longer than this from shorter ones (mission ids), so their digests are padded past it. */
const LONG_TEXT = 256;

/** What a run that broke off is said to have done; the sentence of the run itself may quote the adapter. */
const END_TEXTS: Record<BrokenReason, string> = {
  load: 'The adapter does not load.',
  exports: "The adapter lacks an export of the contract's.",
  hang: 'The adapter waits for nothing.',
  deadline: 'The run did not end before its deadline.',
  'virtual-budget': "The run used up the time of the run's clock.",
  'timer-budget': 'The run used up its timer turns.',
  'call-budget': 'The run used up its calls.',
  protocol: 'The guest broke its protocol.',
  'call-outside-step': 'The adapter made a call while no step was open.',
  'guest-died': 'The guest ended before the run did.',
  memory: 'The adapter used up its memory.',
};

/**
 * The normalised form of evidence of a known contract.
 * @param words keys, states and codes of the contract: its `words`
 */
export async function normalise(evidence: Evidence, words: readonly string[]): Promise<Evidence> {
  const texts = new Texts(evidence, words);
  // The first pass finds the texts to digest, the second puts their digests in place.
  const first = normalised(evidence, texts);
  if (!(await texts.digest())) return first;
  return normalised(evidence, texts);
}

class Texts {
  readonly #kept: Set<string>;
  readonly #digests = new Map<string, string>();

  constructor({ plan, ledger }: Evidence, words: readonly string[]) {
    this.#kept = new Set([...words, ...namesIn(plan), '']);
    for (const row of ledger) for (const id of idsOf(row)) if (ID.test(id)) this.#kept.add(id);
  }

  /** False where there is nothing to digest. */
  async digest(): Promise<boolean> {
    for (const text of this.#digests.keys()) {
      const digest = `sha256:${await sha256(text)}`;
      this.#digests.set(text, text.length > LONG_TEXT ? digest.padEnd(LONG_TEXT + 1, '~') : digest);
    }
    return this.#digests.size > 0;
  }

  /** A text that stays where `fits` takes it, and is known by its digest otherwise. */
  of(text: string, fits?: RegExp): string {
    if (fits?.test(text) || DIGEST_TEXT.test(text)) return text;
    const digest = this.#digests.get(text);
    if (digest === undefined) this.#digests.set(text, text);
    return digest ?? text;
  }

  /** A word that is known from plan, contract or ledger, else a digest. */
  word(text: string): string {
    return this.#kept.has(text) ? text : this.of(text);
  }

  value(value: Json): Json {
    if (typeof value === 'string') return this.word(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return ownEntries(entries.map(([name, member]) => this.#member(name, member)));
  }

  #member(name: string, member: Json): [string, Json] {
    if (name !== ODD_KEY) return [this.word(name), this.value(member)];
    return [name, typeof member === 'string' ? this.of(member, ODD_REASON) : this.value(member)];
  }
}

/** An object with exactly these own members, whatever they are called. */
function ownEntries(entries: [string, Json][]): JsonObject {
  return Object.fromEntries(entries);
}

/** Every text and key of a plan. */
function namesIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)]);
}

function idsOf({ order, resource, resources = [] }: LedgerRow): string[] {
  const states = resource === undefined ? resources : [...resources, resource];
  return [
    ...(order === undefined ? [] : [order.id, order.resource]),
    ...states.flatMap(({ id, status, running }) => [id, status, running ?? id]),
  ];
}

function normalised({ contract, plan, steps, trace, ledger, record, end }: Evidence, texts: Texts): Evidence {
  return {
    contract,
    plan,
    steps: steps.map((step) => stepOf(step, texts)),
    trace: trace.map((row) => traceRowOf(row, texts)),
    ledger: ledger.map((row) => ledgerRowOf(row, texts)),
    record: {
      resources: record.resources.map((resource) => resourceOf(resource, texts)),
      orders: record.orders.map((order) => orderOf(order, texts)),
    },
    end: endOf(end, texts),
  };
}

/** What is there of optional members: `undefined` is left out, as in JSON. */
function present<T extends object>(members: { [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as T;
}

function map<In, Out>(value: In | undefined, change: (value: In) => Out): Out | undefined {
  return value === undefined ? undefined : change(value);
}

function siteOf({ line, column }: { line: number; column: number }): { line: number; column: number } {
  return { line, column };
}

function stepOf(record: StepRecord, texts: Texts): StepRecord {
  return present<StepRecord>({
    step: record.step,
    invocation: record.invocation,
    export: record.export,
    args: record.args.map((arg) => texts.value(arg)),
    about: record.about,
    startedAt: record.startedAt,
    ledgerFrom: record.ledgerFrom,
    result: map(record.result, (result) => resultOf(result, texts)),
    returnedAt: record.returnedAt,
    ledgerTo: record.ledgerTo,
    traceTo: record.traceTo,
  });
}

type Result = NonNullable<StepRecord['result']>;

function resultOf(result: Result, texts: Texts): Result {
  if (result.kind === 'returned')
    return present<Extract<Result, { kind: 'returned' }>>({
      kind: 'returned',
      value: texts.value(result.value),
      site: map(result.site, siteOf),
    });
  const { isError, name, message, code, site } = result.error;
  return {
    kind: 'threw',
    error: present<Extract<Result, { kind: 'threw' }>['error']>({
      isError,
      name: texts.of(name, ERROR_NAME),
      message: texts.of(message),
      code: map(code, (value) => texts.value(value)),
      site: map(site, siteOf),
    }),
  };
}

/** Notes of a trace row name the rule of the document that is broken, never a value. */
function traceRowOf(row: TraceRow, texts: Texts): TraceRow {
  return present<TraceRow>({
    seq: row.seq,
    at: row.at,
    elapsed: row.elapsed,
    step: row.step,
    method: texts.of(row.method, METHOD),
    route: row.route,
    operation: row.operation,
    status: row.status,
    origin: row.origin,
    sent: row.sent,
    refused: row.refused,
    requestBytes: row.requestBytes,
    answerBytes: row.answerBytes,
    site: map(row.site, siteOf),
    count: row.count,
    notes: row.notes,
  });
}

function ledgerRowOf(row: LedgerRow, texts: Texts): LedgerRow {
  return present<LedgerRow>({
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    by: row.by,
    credential: row.credential,
    step: row.step,
    call: row.call,
    operation: row.operation,
    status: row.status,
    fault: map(row.fault, (fault) => texts.value(fault as unknown as Json) as unknown as typeof fault),
    note: map(row.note, (note) => (isForeign(row) ? texts.of(note) : note)),
    key: map(row.key, (key) => (key === null ? null : texts.word(key))),
    target: map(row.target, (target) => texts.word(target)),
    order: map(row.order, (order) => orderOf(order, texts)),
    resource: map(row.resource, (resource) => resourceOf(resource, texts)),
    resources: map(row.resources, (resources) => resources.map((each) => resourceOf(each, texts))),
  });
}

/** A vendor's own words; why an order ended and what a scenario did is said by us. */
function isForeign({ kind, by }: LedgerRow): boolean {
  return kind === 'refusal' && by !== 'scenario';
}

function orderOf(order: OrderState, texts: Texts): OrderState {
  return {
    id: texts.word(order.id),
    resource: texts.word(order.resource),
    key: order.key === null ? null : texts.word(order.key),
    target: texts.value(order.target),
    status: order.status,
    progress: order.progress,
    credential: order.credential,
    error: order.error === null ? null : texts.word(order.error),
  };
}

function resourceOf(resource: ResourceState, texts: Texts): ResourceState {
  return {
    id: texts.word(resource.id),
    status: texts.word(resource.status),
    running: resource.running === null ? null : texts.word(resource.running),
    fields: texts.value(resource.fields) as JsonObject,
  };
}

function endOf(end: RunEnd, texts: Texts): RunEnd {
  if (end.kind === 'complete') return { kind: 'complete' };
  return present<Extract<RunEnd, { kind: 'broken' }>>({
    kind: 'broken',
    reason: end.reason,
    text: Object.hasOwn(END_TEXTS, end.reason) ? END_TEXTS[end.reason] : texts.of(end.text),
    site: map(end.site, siteOf),
  });
}

/** Whether evidence (JSON) is in its normalised form, to the last member. */
export async function isNormalised(evidence: Evidence, words: readonly string[]): Promise<boolean> {
  return sameJson(await normalise(evidence, words), evidence);
}
