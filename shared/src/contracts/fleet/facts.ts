/** What evidence says, looked up by command: the calls the platform made, the orders they led to, what was delivered. */
import { type Book, bookAt } from '../../evidence/book.ts';
import type { Evidence, LedgerRow, OrderState, StepRecord, TraceRow } from '../../evidence/evidence.ts';
import type { InvocationResult } from '../../guestProtocol.ts';
import { sameJson } from '../../sameJson.ts';
import type { ContractStep, Turn } from '../contract.ts';
import { Unjudgeable } from '../shape.ts';
import { type FleetState, next, start } from './machine.ts';
import type { CommandEnd, FleetCommand, FleetPlan, PlannedStep } from './types.ts';

/** A record whose call settled, with the moment at which it did. */
export interface Settled {
  record: StepRecord;
  planned: PlannedStep;
  result: InvocationResult;
  /** ms since the start of the run. */
  returnedAt: number;
  /** Number of the last ledger row there was. */
  ledgerTo: number;
}

/** An order accepted under this run's credential. */
export interface OwnOrder {
  id: string;
  /** The row that accepted it. */
  row: LedgerRow;
  state: OrderState;
  /** Whose order it is, or null where no command has it. */
  command: string | null;
}

/** What was called for one command. */
export interface CommandFacts {
  command: FleetCommand;
  end: CommandEnd;
  /** Its dispatch was called. */
  dispatched: boolean;
  /** All calls that settled, in their order. */
  settled: Settled[];
  /** The dispatches among them. */
  dispatches: Settled[];
  /** Each call of its dispatch settled. */
  dispatchesOver: boolean;
  /** Every call that the platform makes for it was made and settled. */
  over: boolean;
  orders: OwnOrder[];
}

export interface Facts {
  evidence: Evidence;
  plan: FleetPlan;
  /** In the order in which they were called. */
  settled: Settled[];
  /** Calls that were made and never settled. */
  hanging: StepRecord[];
  /** Every step of the plan was called and settled. */
  complete: boolean;
  commands: CommandFacts[];
  orders: OwnOrder[];
  bookAt(seq: number): Book;
  /** The command whose key a call carried, else the one in whose step it was made. */
  commandOf(key: string | null | undefined, step: number | null): string | null;
}

/** Number of this run's own credential on the ledger. */
const OURS = 1;

/** Throws Unjudgeable where the steps are not those that the contract's machine makes of the plan. */
export function factsOf(evidence: Evidence, plan: FleetPlan): Facts {
  const walk = walkSteps(evidence.steps, plan);
  const books = new Map<number, Book>();
  const commandOf = (key: string | null | undefined, step: number | null): string | null =>
    plan.commands.find((command) => command.id === key)?.id ?? commandOfStep(plan.steps, step);
  const orders = evidence.ledger.flatMap((row) => ownOrder(row, commandOf));
  return {
    evidence,
    plan,
    ...walk,
    commands: plan.commands.map((command, index) =>
      commandFacts(command, plan.ends[index], plan, walk, orders),
    ),
    orders,
    commandOf,
    bookAt(seq) {
      const book = books.get(seq) ?? bookAt(evidence.ledger, seq);
      books.set(seq, book);
      return book;
    },
  };
}

interface Walk {
  settled: Settled[];
  hanging: StepRecord[];
  complete: boolean;
  /** The step at which the run stopped, or null. */
  stoppedAt: number | null;
}

/** Plays the contract's machine on the recorded results: each step it asks for has to be the one on record. */
function walkSteps(records: readonly StepRecord[], plan: FleetPlan): Walk {
  const walk: Walk = { settled: [], hanging: [], complete: false, stoppedAt: null };
  let used = 0;
  let turn: Turn<FleetState> = start(plan);
  for (;;) {
    const effect = turn.effects[0];
    if (effect === undefined || effect.kind === 'done') break;
    const { step } = effect;
    const of = records.slice(used, used + step.invocations.length);
    if (of.length > 0) requireSame(of, step);
    used += of.length;
    const results = of.flatMap((record) => record.result ?? []);
    walk.settled.push(...of.flatMap((record) => settledOf(record, plan)));
    walk.hanging.push(...of.filter((record) => record.result === undefined));
    if (results.length < step.invocations.length) {
      walk.stoppedAt = step.index;
      break;
    }
    turn = next(turn.state, { kind: 'settled', step: step.index, results });
  }
  if (used < records.length) throw new Unjudgeable('The evidence has steps that the plan does not lead to.');
  return { ...walk, complete: walk.stoppedAt === null };
}

function requireSame(records: readonly StepRecord[], step: ContractStep): void {
  const told = records.map(({ step: index, invocation, export: name, args, about }) => ({
    index,
    invocation,
    export: name,
    args,
    about,
  }));
  const called = step.invocations.map((call, invocation) => ({ index: step.index, invocation, ...call }));
  if (!sameJson(told, called))
    throw new Unjudgeable(`Step ${step.index} was not called as the plan and the steps before it ask for.`);
}

function settledOf(record: StepRecord, plan: FleetPlan): Settled[] {
  const { result, returnedAt, ledgerTo } = record;
  const planned = plan.steps[record.step];
  if (planned === undefined || result === undefined || returnedAt === undefined || ledgerTo === undefined)
    return [];
  return [{ record, planned, result, returnedAt, ledgerTo }];
}

function commandFacts(
  command: FleetCommand,
  end: CommandEnd | undefined,
  plan: FleetPlan,
  walk: Walk,
  orders: readonly OwnOrder[],
): CommandFacts {
  if (end === undefined) throw new Unjudgeable('The plan has a command without an expected end.');
  const isOf = (step: number | null) => commandOfStep(plan.steps, step) === command.id;
  const settled = walk.settled.filter(({ planned }) => isOf(planned.index));
  const hanging = walk.hanging.filter(({ step }) => isOf(step));
  const dispatched = settled.length > 0 || hanging.length > 0;
  return {
    command,
    end,
    dispatched,
    settled,
    dispatches: settled.filter(({ planned }) => planned.kind === 'dispatch'),
    dispatchesOver: dispatched && hanging.every(({ step }) => plan.steps[step]?.kind !== 'dispatch'),
    over: dispatched && !isOf(walk.stoppedAt),
    orders: orders.filter((order) => order.command === command.id),
  };
}

function commandOfStep(steps: readonly PlannedStep[], index: number | null): string | null {
  const step = index === null ? undefined : steps[index];
  return step === undefined || step.kind === 'inventory' ? null : step.command;
}

function ownOrder(row: LedgerRow, commandOf: Facts['commandOf']): OwnOrder[] {
  const { kind, credential, order } = row;
  if (kind !== 'order' || credential !== OURS || order === undefined) return [];
  return [{ id: order.id, row, state: order, command: commandOf(order.key, row.step) }];
}

/** Whether an answer of the vendor's reached the adapter by `time` (ms since the start of the run). */
export function deliveredBy(row: TraceRow, time: number): boolean {
  return row.origin === 'vendor' && row.elapsed !== null && row.at + row.elapsed <= time;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
