/**
 * The sixteen scenarios as data. A scenario says what happens and how its command has to end; it never adds a rule.
 * All other commands end as the plan has it: done, the fourth cancelled.
 */
import type { CallFaultTemplate, FleetScenario } from './types.ts';
import { CREATE, READ } from './types.ts';

const DONE = { state: 'done', mayBeUnresolved: false } as const;
const DONE_OR_UNRESOLVED = { state: 'done', mayBeUnresolved: true } as const;

/** The chosen command's first create. */
const FIRST_CREATE = { during: 'dispatch', of: 'chosen', operation: CREATE, nth: 1 } as const;
/** It was accepted, and its answer never arrives: a 503 comes instead. */
const ANSWER_LOST: CallFaultTemplate = { ...FIRST_CREATE, handled: 'yes', answer: 'status', status: 503 };

export const SCENARIOS: readonly FleetScenario[] = [
  {
    id: 'nominal',
    title: 'Nothing unusual happens.',
    aimsAt: 'inventory',
    chooses: 'any',
    faults: [],
    end: DONE,
  },
  {
    id: 'robot_fault',
    title: 'One robot breaks down in the middle of a mission.',
    aimsAt: 'wait',
    chooses: 'last-on-its-robot',
    faults: [{ during: 'drive' }],
    end: { state: 'failed', mayBeUnresolved: false },
  },
  {
    id: 'overload',
    title: 'The vendor answers five creates in a row with 503 and takes none of them.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, count: 5, handled: 'no', answer: 'status', status: 503 }],
    end: DONE,
  },
  {
    id: 'lost_answer',
    title: 'An order is accepted, and a 503 comes in place of its answer.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [ANSWER_LOST],
    end: DONE,
  },
  {
    id: 'dropped_connection',
    title: 'An order is accepted, and the connection closes before its answer.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, handled: 'yes', answer: 'dropped' }],
    end: DONE,
  },
  {
    id: 'server_error_after_accept',
    title: 'An order is accepted, and a 500 comes in place of its answer.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, handled: 'yes', answer: 'status', status: 500 }],
    end: DONE,
  },
  {
    id: 'refused_order',
    title: 'The vendor refuses every order of one command, with a reason.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [
      {
        ...FIRST_CREATE,
        count: null,
        handled: 'no',
        answer: 'status',
        status: 422,
        body: { error: { code: 'target_blocked', message: 'The target is closed to robots today.' } },
      },
    ],
    end: { state: 'refused', mayBeUnresolved: false },
  },
  {
    id: 'silent',
    title: 'An order is accepted, and no create of its command is ever answered.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, count: null, handled: 'yes', answer: 'dropped' }],
    end: DONE_OR_UNRESOLVED,
  },
  {
    id: 'slow_answer',
    title: 'An order is accepted at once and answered after 61 seconds.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, handled: 'yes', answer: 'slow', afterMs: 61_000 }],
    end: DONE,
  },
  {
    id: 'late_acceptance',
    title: 'An order is answered 503 and accepted later, after the next create was answered.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [{ ...FIRST_CREATE, handled: 'late', answer: 'status', status: 503 }],
    end: DONE,
  },
  {
    id: 'twin_dispatch',
    title: 'The platform dispatches one command twice at once.',
    aimsAt: 'dispatch',
    chooses: 'waited-for-once',
    faults: [],
    twin: true,
    end: DONE,
  },
  {
    id: 'forgetful_vendor',
    title: 'An answer is lost, and the vendor does not know the command id again in a repeat.',
    aimsAt: 'dispatch',
    chooses: 'alone-on-its-robot',
    faults: [{ ...ANSWER_LOST, forget: true }],
    end: DONE_OR_UNRESOLVED,
  },
  {
    id: 'strangers_order',
    title: "Another client's order is accepted on the robot first, and the answer to ours is lost.",
    aimsAt: 'dispatch',
    chooses: 'alone-on-its-robot',
    faults: [{ during: 'before-create' }, ANSWER_LOST],
    end: DONE,
  },
  {
    id: 'wrong_mission',
    title: "A status read is answered with another mission's state.",
    aimsAt: 'wait',
    chooses: 'not-the-first',
    faults: [{ during: 'wait', of: 'chosen', operation: READ, nth: 2, handled: 'yes', answer: 'other' }],
    end: DONE,
  },
  {
    id: 'flapping_reads',
    title: 'Status reads 2 to 4 and 7 to 9 are answered with 503, and the poll budget is tight.',
    aimsAt: 'wait',
    chooses: 'waited-for-once',
    faults: [2, 7].map((nth) => ({
      during: 'wait',
      of: 'chosen',
      operation: READ,
      nth,
      count: 3,
      handled: 'no',
      answer: 'status',
      status: 503,
    })),
    sparePolls: 5,
    end: DONE,
  },
  {
    id: 'throttled',
    title: 'Creates of one command and status reads of another are answered 429 with Retry-After.',
    aimsAt: 'dispatch',
    chooses: 'any',
    faults: [
      { ...FIRST_CREATE, count: 2, handled: 'no', answer: 'status', status: 429, retryAfterS: 1 },
      {
        during: 'wait',
        of: 'another',
        operation: READ,
        nth: 2,
        count: 2,
        handled: 'no',
        answer: 'status',
        status: 429,
        retryAfterS: 2,
      },
    ],
    end: DONE,
  },
];

const BY_ID = new Map(SCENARIOS.map((scenario) => [scenario.id, scenario]));

/** The scenario of that id, or undefined. */
export function scenarioById(id: string): FleetScenario | undefined {
  return BY_ID.get(id);
}
