/** What can happen to one call, as data. Every kind shows itself: an error, no answer, an answer about another thing. */
import type { CallFault } from '../../../evidence/evidence.ts';
import { type CommandEnd, CREATE, READ } from '../types.ts';

export interface FaultKind {
  id: string;
  /** After the name of the call: "… is answered with 503". */
  text: string;
  fault: Pick<
    CallFault,
    'handled' | 'answer' | 'status' | 'retryAfterS' | 'afterMs' | 'forget' | 'count' | 'body'
  >;
  /** It may come several times in a row without closing the vendor for longer than a right adapter waits. */
  repeats: boolean;
}

const COMMON: readonly FaultKind[] = [
  {
    id: 'busy',
    text: 'is answered with 503 and not handled',
    fault: { handled: 'no', answer: 'status', status: 503 },
    repeats: true,
  },
  {
    id: 'lost answer',
    text: 'is handled, and its answer is lost: a 503 comes in its place',
    fault: { handled: 'yes', answer: 'status', status: 503 },
    repeats: true,
  },
  {
    id: 'server error',
    text: 'is handled, and a 500 comes in place of its answer',
    fault: { handled: 'yes', answer: 'status', status: 500 },
    repeats: true,
  },
  {
    id: 'dropped connection',
    text: 'is handled, and the connection closes before its answer',
    fault: { handled: 'yes', answer: 'dropped' },
    repeats: true,
  },
  {
    id: 'no connection',
    text: 'finds no connection',
    fault: { handled: 'no', answer: 'unopened' },
    repeats: true,
  },
  {
    id: 'slow answer',
    text: 'is handled at once and answered after 61 seconds',
    fault: { handled: 'yes', answer: 'slow', afterMs: 61_000 },
    repeats: false,
  },
  {
    id: 'throttled',
    text: 'is answered with 429 and Retry-After',
    fault: { handled: 'no', answer: 'status', status: 429, retryAfterS: 1 },
    repeats: true,
  },
];

const CREATES: readonly FaultKind[] = [
  {
    id: 'late acceptance',
    text: 'is answered with 503 and accepted later',
    fault: { handled: 'late', answer: 'status', status: 503 },
    repeats: false,
  },
  {
    id: 'forgotten order',
    text: 'is accepted, its answer is lost, and the vendor forgets its name',
    fault: { handled: 'yes', answer: 'status', status: 503, forget: true },
    repeats: false,
  },
  {
    id: 'forgotten order, dropped',
    text: 'is accepted, the connection closes, and the vendor forgets its name',
    fault: { handled: 'yes', answer: 'dropped', forget: true },
    repeats: false,
  },
];

const READS: readonly FaultKind[] = [
  {
    id: 'other mission',
    text: "is answered with another mission's state",
    fault: { handled: 'yes', answer: 'other' },
    repeats: false,
  },
];

/** What befalls every create of a command. Its end is then another one, so it goes with no other fault. */
export interface CommandFaultKind extends FaultKind {
  /** What it changes of the command's expected end. */
  end: Partial<Omit<CommandEnd, 'command'>>;
}

export const COMMAND_FAULTS: readonly CommandFaultKind[] = [
  {
    id: 'refused order',
    text: 'and every later one of that command is refused with 422 and a reason',
    fault: {
      handled: 'no',
      answer: 'status',
      status: 422,
      count: null,
      body: { error: { code: 'target_blocked', message: 'The target is closed to robots today.' } },
    },
    repeats: false,
    end: { state: 'refused' },
  },
  {
    id: 'silence',
    text: 'and every later one of that command is handled, and the connection closes before its answer',
    fault: { handled: 'yes', answer: 'dropped', count: null },
    repeats: false,
    end: { mayBeUnresolved: true },
  },
];

export function kindsOf(operation: string): readonly FaultKind[] {
  if (operation === CREATE) return [...COMMON, ...CREATES];
  return operation === READ ? [...COMMON, ...READS] : COMMON;
}
