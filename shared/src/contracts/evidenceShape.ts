/**
 * Whether a value is evidence at all: form first, then what one part says of another. Evidence may come out of a file
 * that anybody wrote, so a judge looks here before it believes a single field.
 */
import { bookAt } from '../evidence/book.ts';
import type {
  BrokenReason,
  CallFault,
  Evidence,
  LedgerKind,
  LedgerRow,
  OrderState,
  OrderStatus,
  RefusedBy,
  StepRecord,
  TraceRow,
} from '../evidence/evidence.ts';
import type { Sent } from '../guestProtocol.ts';
import { sameJson } from '../sameJson.ts';
import {
  anyJson,
  type Check,
  either,
  jsonObject,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  requireShape,
  text,
  truth,
  Unjudgeable,
  whole,
} from './shape.ts';

const site = object({ line: whole, column: whole });
const resource = object({
  id: text,
  status: text,
  running: nullable(text),
  fields: jsonObject,
});
const order = object({
  id: text,
  resource: text,
  key: nullable(text),
  target: anyJson,
  status: oneOf<OrderStatus>({ queued: true, running: true, done: true, failed: true, cancelled: true }),
  progress: number,
  credential: whole,
  error: nullable(text),
});

const callFault = object({
  kind: literal('call'),
  step: nullable(whole),
  operation: text,
  nth: whole,
  count: optional(nullable(whole)),
  handled: oneOf<CallFault['handled']>({ no: true, yes: true, late: true }),
  answer: oneOf<CallFault['answer']>({
    own: true,
    status: true,
    dropped: true,
    unopened: true,
    slow: true,
    other: true,
  }),
  status: optional(whole),
  retryAfterS: optional(number),
  body: optional(anyJson),
  afterMs: optional(number),
  forget: optional(truth),
});
const resourceFault = object({ kind: literal('resourceFault'), resource: text, atMove: whole });
const strangersOrder = object({
  kind: literal('strangersOrder'),
  resource: text,
  target: anyJson,
  before: object({ step: whole, operation: text, nth: whole }),
});
/** Also the form of a plan's fault schedule, entry by entry. */
export const faultShape: Check = either(callFault, resourceFault, strangersOrder);

const ledgerRow = object({
  seq: whole,
  at: number,
  kind: oneOf<LedgerKind>({
    opened: true,
    order: true,
    repeat: true,
    start: true,
    read: true,
    move: true,
    fault: true,
    refusal: true,
    cancel: true,
    end: true,
  }),
  by: oneOf<LedgerRow['by']>({ client: true, vendor: true, scenario: true }),
  credential: nullable(whole),
  step: nullable(whole),
  call: nullable(whole),
  operation: optional(text),
  status: optional(whole),
  fault: optional(faultShape),
  note: optional(text),
  key: optional(nullable(text)),
  target: optional(text),
  order: optional(order),
  resource: optional(resource),
  resources: optional(list(resource)),
});

const traceRow = object({
  seq: whole,
  at: number,
  elapsed: nullable(number),
  step: nullable(whole),
  method: text,
  route: nullable(text),
  operation: nullable(text),
  status: whole,
  origin: oneOf<TraceRow['origin']>({ broker: true, vendor: true }),
  sent: oneOf<Sent>({ no: true, maybe: true, yes: true }),
  refused: optional(
    oneOf<RefusedBy>({
      'no-step': true,
      'run-ended': true,
      'in-flight': true,
      budget: true,
      route: true,
      'route-budget': true,
      shed: true,
      body: true,
    }),
  ),
  requestBytes: number,
  answerBytes: number,
  site: optional(site),
  count: optional(whole),
  notes: optional(list(text)),
});

const result = either(
  object({ kind: literal('returned'), value: anyJson, site: optional(site) }),
  object({
    kind: literal('threw'),
    error: object({
      isError: truth,
      name: text,
      message: text,
      code: optional(anyJson),
      site: optional(site),
    }),
  }),
);

const stepRecord = object({
  step: whole,
  invocation: whole,
  export: text,
  args: list(anyJson),
  about: anyJson,
  startedAt: number,
  ledgerFrom: whole,
  result: optional(result),
  returnedAt: optional(number),
  ledgerTo: optional(whole),
  traceTo: optional(whole),
});

const evidence = object({
  contract: text,
  plan: jsonObject,
  steps: list(stepRecord),
  trace: list(traceRow),
  ledger: list(ledgerRow),
  record: object({ resources: list(resource), orders: list(order) }),
  end: either(
    object({ kind: literal('complete') }),
    object({
      kind: literal('broken'),
      reason: oneOf<BrokenReason>({
        load: true,
        exports: true,
        hang: true,
        deadline: true,
        'virtual-budget': true,
        'timer-budget': true,
        'call-budget': true,
        protocol: true,
        'call-outside-step': true,
        'guest-died': true,
        memory: true,
      }),
      text,
      site: optional(site),
    }),
  ),
});

/** Throws Unjudgeable, which names the place, where `value` is no evidence or contradicts itself. */
export function requireEvidence(value: unknown): asserts value is Evidence {
  requireShape(evidence, value, 'evidence');
  const checked = value as unknown as Evidence;
  checked.ledger.forEach(requireRow);
  requireNumbering(checked);
  requireOrders(checked);
  for (const record of checked.steps) requireMoment(record, checked);
  requireRecord(checked);
}

function requireRow(row: LedgerRow, index: number): void {
  const place = `evidence.ledger[${index}]`;
  if (row.seq !== index + 1) throw new Unjudgeable(`${place}.seq has to be ${index + 1}.`);
  if ((row.kind === 'opened') !== (index === 0))
    throw new Unjudgeable(`${place} is not where "opened" belongs.`);
  if (row.kind === 'opened' && row.resources === undefined)
    throw new Unjudgeable(`${place}.resources is missing.`);
  if ((row.kind === 'order' || row.kind === 'end') && row.order === undefined)
    throw new Unjudgeable(`${place}.order is missing.`);
}

function requireNumbering({ trace }: Evidence): void {
  trace.forEach((row, index) => {
    const before = trace[index - 1]?.seq ?? 0;
    if (row.seq <= before) throw new Unjudgeable(`evidence.trace[${index}].seq has to be above ${before}.`);
  });
}

/** An order is accepted once, before anything happens to it, and stays the order that was accepted. */
function requireOrders({ ledger }: Evidence): void {
  const accepted = new Map<string, OrderState>();
  for (const { seq, kind, credential, order: state } of ledger) {
    if (state === undefined) continue;
    const first = accepted.get(state.id);
    const isAcceptance = kind === 'order';
    if (isAcceptance !== (first === undefined) || (isAcceptance && credential !== state.credential))
      throw new Unjudgeable(`evidence.ledger[${seq - 1}] is not where order or credential belong.`);
    if (first === undefined) accepted.set(state.id, state);
    else if (!sameJson(identityOf(first), identityOf(state)))
      throw new Unjudgeable(`evidence.ledger[${seq - 1}].order is not the order that was accepted.`);
  }
}

function identityOf({ resource: on, key, target, credential }: OrderState): object {
  return { on, key, target, credential };
}

/** A record is either settled, with the moment at which it was, or not. */
function requireMoment(record: StepRecord, { ledger, trace }: Evidence): void {
  const { step, result: settled, startedAt, returnedAt, ledgerFrom, ledgerTo, traceTo } = record;
  const place = `The record of step ${step}`;
  const parts = [settled, returnedAt, ledgerTo, traceTo].filter((part) => part !== undefined).length;
  if (parts !== 0 && parts !== 4) throw new Unjudgeable(`${place} does not say when its result came.`);
  if (ledgerFrom > ledger.length) throw new Unjudgeable(`${place} starts after the end of the ledger.`);
  if (returnedAt === undefined || ledgerTo === undefined || traceTo === undefined) return;
  if (returnedAt < startedAt || ledgerTo < ledgerFrom || ledgerTo > ledger.length || traceTo > trace.length)
    throw new Unjudgeable(`${place} ends before it starts or after the ledger does.`);
}

/** The final record is the book that the ledger's rows leave. */
function requireRecord({ ledger, record }: Evidence): void {
  const book = bookAt(ledger, ledger.length);
  const same = (states: { id: string }[], told: ReadonlyMap<string, { id: string }>): boolean =>
    states.length === told.size && states.every((state) => sameJson(state, told.get(state.id)));
  if (!same(record.resources, book.resources) || !same(record.orders, book.orders))
    throw new Unjudgeable("The vendor's final record is not what its ledger leads to.");
}
