/** The calls of a run at which a fault can fall, and how they are named. */
import type { Evidence, TraceRow } from '../../../evidence/evidence.ts';
import type { FleetPlan, PlannedStep } from '../types.ts';
import { READ } from '../types.ts';

export interface Position {
  step: number;
  operation: string;
  /** The nth call of that operation in that step, of those that reach the vendor. */
  nth: number;
}

/** Every call of a run that reached the vendor, in its order. */
export function callsOf({ trace }: Pick<Evidence, 'trace'>): (Position & { seq: number })[] {
  const counts = new Map<string, number>();
  return trace.flatMap((row) => {
    const { step, operation, seq } = row;
    if (step === null || operation === null || !reachesVendor(row)) return [];
    const key = `${step} ${operation}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return [{ step, operation, nth, seq }];
  });
}

/** Of the status reads of one wait the first, the middle and the last show what all of them would. */
export function telling(calls: readonly Position[]): Position[] {
  const reads = new Map<number, number>();
  for (const { step, operation } of calls)
    if (operation === READ) reads.set(step, (reads.get(step) ?? 0) + 1);
  return calls.filter(({ step, operation, nth }) => {
    const count = reads.get(step) ?? 0;
    return operation !== READ || nth === 1 || nth === count || nth === Math.ceil(count / 2);
  });
}

function reachesVendor({ refused, sent }: TraceRow): boolean {
  return refused === undefined && sent !== 'no';
}

export function positionText(plan: FleetPlan, { step, operation, nth }: Position): string {
  return `the ${ordinal(nth)} ${operation} ${stepText(plan, plan.steps[step])}`;
}

function stepText({ commands, steps }: FleetPlan, step: PlannedStep | undefined): string {
  if (step === undefined) return 'of the run';
  if (step.kind === 'inventory')
    return step.index === 0
      ? 'of the first inventory'
      : step.index === steps.length - 1
        ? 'of the last inventory'
        : 'of an inventory';
  const number = commands.findIndex(({ id }) => id === step.command) + 1;
  const words = { dispatch: 'in the dispatch of', wait: 'in the wait for', cancel: 'in the cancel of' };
  return `${words[step.kind]} the ${ordinal(number)} command`;
}

export function ordinal(number: number): string {
  const endings = ['th', 'st', 'nd', 'rd'];
  const isTeen = number % 100 > 10 && number % 100 < 14;
  return `${number}${(isTeen ? undefined : endings[number % 10]) ?? 'th'}`;
}
