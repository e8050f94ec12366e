/** Which call meets which fault of a schedule. */
import type {
  CallFault,
  FaultSchedule,
  ResourceState,
  WorldFault,
} from '../../../shared/src/evidence/evidence.ts';
import type { ResourceFault } from './book.ts';
import type { VendorModel } from './model.ts';
import { hasShape } from './shape.ts';

export type StrangersOrder = Extract<WorldFault, { kind: 'strangersOrder' }>;

/** What waits for a call as it arrives. */
export interface Arrival {
  fault: CallFault | undefined;
  strangers: StrangersOrder[];
}

/** Which answers go with which handling: a request that is not handled has no answer of its own, and so on. */
const answersOf: Readonly<Record<CallFault['handled'], readonly CallFault['answer'][]>> = {
  no: ['status', 'dropped', 'unopened'],
  yes: ['own', 'status', 'dropped', 'slow', 'other'],
  late: ['status', 'dropped'],
};

export class FaultDesk {
  readonly #calls: readonly CallFault[];
  readonly #strangers: readonly StrangersOrder[];
  /** Faults of the world that the order book brings about. */
  readonly breakdowns: readonly ResourceFault[];
  /** Calls so far, by step and operation, and by operation alone. */
  readonly #counts = new Map<string, number>();

  /** Throws an Error with a sentence for people where the schedule asks for what cannot be. */
  constructor(schedule: FaultSchedule, model: VendorModel, resources: readonly ResourceState[]) {
    for (const [index, fault] of schedule.entries()) {
      const problem =
        fault.kind === 'call' ? callProblem(fault, model) : worldProblem(fault, model, resources);
      if (problem !== null) throw new Error(`Fault ${index + 1} of the schedule cannot be: ${problem}.`);
    }
    this.#calls = schedule.filter((fault) => fault.kind === 'call');
    this.#strangers = schedule.filter((fault) => fault.kind === 'strangersOrder');
    this.breakdowns = schedule.filter((fault) => fault.kind === 'resourceFault');
  }

  /** Counts a call and says what it meets: of several call faults the first in the schedule. */
  arrive(operation: string, step: number | null): Arrival {
    const inStep = this.#count(JSON.stringify([operation, step]));
    const inRun = this.#count(operation);
    return {
      fault: this.#calls.find(
        (fault) =>
          fault.operation === operation &&
          (fault.step === null ? covers(fault, inRun) : fault.step === step && covers(fault, inStep)),
      ),
      strangers: this.#strangers.filter(
        ({ before }) => before.operation === operation && before.step === step && before.nth === inStep,
      ),
    };
  }

  #count(what: string): number {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return count;
  }
}

function covers({ nth, count = 1 }: CallFault, call: number): boolean {
  return call >= nth && (count === null || call < nth + count);
}

function callProblem(fault: CallFault, model: VendorModel): string | null {
  const { handled, answer } = fault;
  const operation = model.operations.find((each) => each.name === fault.operation);
  if (operation === undefined) return `the vendor has no operation "${fault.operation}"`;
  if (!isOrdinal(fault.nth)) return 'nth counts calls from 1';
  if (typeof fault.count === 'number' && !isOrdinal(fault.count)) return 'count is at least 1';
  if (!answersOf[handled].includes(answer)) return `handled "${handled}" does not go with answer "${answer}"`;
  if (answer === 'status' && fault.status === undefined) return 'answer "status" needs a status';
  if (handled === 'late' && operation.action !== 'create') return 'only a create can be handled late';
  if (fault.forget === true && operation.action !== 'create') return 'only a create can be forgotten';
  if (fault.forget === true && handled === 'no') return 'what was not handled cannot be forgotten';
  if (answer === 'other' && operation.action !== 'read-order') {
    return 'only a read of an order can answer with another one';
  }
  return null;
}

function worldProblem(
  fault: WorldFault,
  model: VendorModel,
  resources: readonly ResourceState[],
): string | null {
  if (!resources.some(({ id }) => id === fault.resource)) return `there is no resource "${fault.resource}"`;
  if (fault.kind === 'resourceFault') return isOrdinal(fault.atMove) ? null : 'atMove counts moves from 1';
  if (!hasShape(fault.target, model.orders.target)) return 'its target is none that can be ordered';
  const { operation, nth } = fault.before;
  if (!model.operations.some(({ name }) => name === operation))
    return `the vendor has no operation "${operation}"`;
  return isOrdinal(nth) ? null : 'nth counts calls from 1';
}

function isOrdinal(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
