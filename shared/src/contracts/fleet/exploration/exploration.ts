/**
 * Fair fault schedules around a run of the fleet contract: each fault shows itself, the vendor is closed for at most
 * eight seconds and five calls in a row, and an order taken without an answer can be found. Two faults befall a command
 * as a whole instead, and its expected end says so: it is refused, or its creates are never answered.
 */
import type { CallFault, Evidence, FaultSchedule } from '../../../evidence/evidence.ts';
import type { Exploration, Schedule } from '../../contract.ts';
import { type TrialOverlay, trialPlan, worldEvents } from '../plan.ts';
import { randomStream } from '../random.ts';
import { CREATE, type FleetPlan, READ } from '../types.ts';
import { COMMAND_FAULTS, type FaultKind, kindsOf } from './kinds.ts';
import { callsOf, ordinal, type Position, positionText, telling } from './positions.ts';

const LONGEST_BURST = 5;
/** Commands that a fault may fall on; the one after them is cancelled. */
const FAULTABLE = 3;
/** Calls after the first fault at which a second one is tried. */
const FOLLOWERS = 4;
const MOST_RANDOM = 4;

export const fleetExploration: Exploration = {
  baseline: (seed) => trialPlan(seed, { faults: [] }),
  singles: (baseline) =>
    fair([
      ...placesOf(baseline).map(({ position, kind }) => single(planOf(baseline), position, kind)),
      ...wholeCommands(planOf(baseline)),
    ]),
  worlds: (baseline) => fair([...twins(baseline), ...strangers(baseline), ...breakdowns(baseline)]),
  bursts: (baseline) => fair(burstsOf(baseline)),
  pairs: (first, evidence) => fair(pairsOf(first, evidence)),
  random: randomSchedule,
  smaller: smallerOf,
};

interface Place {
  position: Position;
  kind: FaultKind;
}

function planOf({ plan }: Evidence): FleetPlan {
  return plan as unknown as FleetPlan;
}

function placesOf(baseline: Evidence): Place[] {
  return telling(callsOf(baseline)).flatMap((position) =>
    kindsOf(position.operation).map((kind) => ({ position, kind })),
  );
}

function faultAt({ step, operation, nth }: Position, { fault }: FaultKind, count = 1): CallFault {
  return { kind: 'call', step, operation, nth, ...(count === 1 ? {} : { count }), ...fault };
}

function single(plan: FleetPlan, position: Position, kind: FaultKind): Schedule {
  return schedule(plan.seed, {
    kind: kind.id,
    operation: position.operation,
    text: `${positionText(plan, position)} ${kind.text}`,
    faults: [faultAt(position, kind)],
  });
}

function wholeCommands(plan: FleetPlan): Schedule[] {
  return plan.commands.flatMap((command, index) => {
    const step = plan.steps.find((each) => each.kind === 'dispatch' && each.command === command.id);
    if (step === undefined) return [];
    const position = { step: step.index, operation: CREATE, nth: 1 };
    return COMMAND_FAULTS.map((kind) =>
      schedule(plan.seed, {
        kind: kind.id,
        operation: CREATE,
        text: `${positionText(plan, position)} ${kind.text}`,
        faults: [faultAt(position, kind)],
        ends: new Map([[index, kind.end]]),
      }),
    );
  });
}

interface Parts {
  kind: string;
  parts?: string[];
  operation: string;
  text: string;
  faults: FaultSchedule;
  twin?: number;
  ends?: TrialOverlay['ends'];
}

/** A forgotten order may be left unresolved by an honest adapter. */
function schedule(seed: number, { faults, twin, ends = new Map(), parts = [], ...named }: Parts): Schedule {
  const plan = trialPlan(seed, { faults, ends, ...(twin === undefined ? {} : { twin }) });
  const forgotten = faults.flatMap((fault) =>
    fault.kind === 'call' && fault.forget === true ? [commandAt(plan, fault.step)] : [],
  );
  for (const index of forgotten) {
    const end = plan.ends[index];
    if (end) plan.ends[index] = { ...end, mayBeUnresolved: true };
  }
  return { ...named, parts, plan };
}

/** Index of the command that a step is about; -1: of none. */
function commandAt({ steps, commands }: FleetPlan, index: number | null): number {
  const step = index === null ? undefined : steps[index];
  return step === undefined || step.kind === 'inventory'
    ? -1
    : commands.findIndex(({ id }) => id === step.command);
}

function createPlaces(plan: FleetPlan, index: number): Place[] {
  const step = plan.steps.find(
    (each) => each.kind === 'dispatch' && each.command === plan.commands[index]?.id,
  );
  if (step === undefined) return [];
  const position = { step: step.index, operation: CREATE, nth: 1 };
  return kindsOf(CREATE).map((kind) => ({ position, kind }));
}

function faultable({ commands }: FleetPlan): number[] {
  return commands.slice(0, FAULTABLE).map((_, index) => index);
}

function twins(baseline: Evidence): Schedule[] {
  const plan = planOf(baseline);
  return faultable(plan).flatMap((index) => {
    const twin = trialPlan(plan.seed, { faults: [], twin: index });
    const what = `the ${ordinal(index + 1)} command is dispatched twice at once`;
    const alone = schedule(plan.seed, {
      kind: 'twin',
      operation: CREATE,
      text: what,
      faults: [],
      twin: index,
    });
    const faulted = createPlaces(twin, index).map(({ position, kind }) =>
      schedule(plan.seed, {
        kind: `twin, ${kind.id}`,
        parts: ['twin', kind.id],
        operation: CREATE,
        text: `${what}, and ${positionText(twin, position)} ${kind.text}`,
        faults: [faultAt(position, kind)],
        twin: index,
      }),
    );
    return [alone, ...faulted];
  });
}

/** On a robot that gets one command only: what runs there is ours or the stranger's. */
function strangers(baseline: Evidence): Schedule[] {
  const plan = planOf(baseline);
  const isAlone = (index: number) =>
    plan.commands.every(({ robot }, other) => other === index || robot !== plan.commands[index]?.robot);
  return faultable(plan)
    .filter(isAlone)
    .flatMap((index) =>
      createPlaces(plan, index).map(({ position, kind }) =>
        schedule(plan.seed, {
          kind: `stranger, ${kind.id}`,
          parts: [kind.id],
          operation: CREATE,
          text: `another client's order is accepted on the robot first, and ${positionText(plan, position)} ${kind.text}`,
          faults: [worldEvents(plan.seed, index).stranger, faultAt(position, kind)],
        }),
      ),
    );
}

/** On the last command of its robot: a robot in fault starts none that comes later. */
function breakdowns(baseline: Evidence): Schedule[] {
  const plan = planOf(baseline);
  const isLast = (index: number) =>
    plan.commands.slice(index + 1).every(({ robot }) => robot !== plan.commands[index]?.robot);
  return faultable(plan)
    .filter(isLast)
    .flatMap((index) => {
      const event = worldEvents(plan.seed, index).breakdown;
      const ends = new Map([[index, { state: 'failed' as const }]]);
      const what = `the robot of the ${ordinal(index + 1)} command breaks down on its way`;
      const alone = schedule(plan.seed, {
        kind: 'breakdown',
        operation: READ,
        text: what,
        faults: [event],
        ends,
      });
      const faulted = createPlaces(plan, index).map(({ position, kind }) =>
        schedule(plan.seed, {
          kind: `breakdown, ${kind.id}`,
          parts: ['breakdown', kind.id],
          operation: CREATE,
          text: `${what}, and ${positionText(plan, position)} ${kind.text}`,
          faults: [event, faultAt(position, kind)],
          ends,
        }),
      );
      return [alone, ...faulted];
    });
}

function burstsOf(baseline: Evidence): Schedule[] {
  const plan = planOf(baseline);
  const firsts = callsOf(baseline).filter(({ nth }) => nth === 1);
  return firsts.flatMap((position) =>
    kindsOf(position.operation)
      .filter(({ repeats }) => repeats)
      .flatMap((kind) =>
        Array.from({ length: LONGEST_BURST - 1 }, (_, more) => {
          const count = more + 2;
          return schedule(plan.seed, {
            kind: `${kind.id}, in a row`,
            parts: [kind.id],
            operation: position.operation,
            text: `${positionText(plan, position)} and the next ${count - 1}: each ${kind.text}`,
            faults: [faultAt(position, kind, count)],
          });
        }),
      ),
  );
}

function pairsOf(first: Schedule, evidence: Evidence): Schedule[] {
  const plan = first.plan as FleetPlan;
  const [fault, ...others] = plan.faults;
  if (fault?.kind !== 'call' || others.length > 0) return [];
  const calls = callsOf(evidence).filter(({ step }) => step === fault.step);
  const at = calls.findIndex(({ operation, nth }) => operation === fault.operation && nth === fault.nth);
  if (at < 0) return [];
  return calls.slice(at + 1, at + 1 + FOLLOWERS).flatMap((position) =>
    kindsOf(position.operation).map((kind) =>
      schedule(plan.seed, {
        kind: `${first.kind}, then ${kind.id}`,
        parts: [first.kind, kind.id],
        operation: first.operation,
        text: `${first.text}, and ${positionText(plan, position)} ${kind.text}`,
        faults: [fault, faultAt(position, kind)],
      }),
    ),
  );
}

function randomSchedule(baseline: Evidence, number: number): Schedule {
  const plan = planOf(baseline);
  const random = randomStream(plan.seed, `fleet/1 random ${number}`);
  const places = placesOf(baseline);
  for (;;) {
    const picked: Place[] = [];
    const wanted = 2 + random.below(MOST_RANDOM - 1);
    while (picked.length < wanted) {
      const place = random.pick(places);
      if (picked.every(({ position }) => position.step !== place.position.step)) picked.push(place);
    }
    picked.sort((a, b) => a.position.step - b.position.step);
    const made = schedule(plan.seed, {
      kind: picked.map(({ kind }) => kind.id).join(' + '),
      parts: picked.map(({ kind }) => kind.id),
      operation: picked[0]?.position.operation ?? CREATE,
      text: picked.map(({ position, kind }) => `${positionText(plan, position)} ${kind.text}`).join(', and '),
      faults: picked.map(({ position, kind }) => faultAt(position, kind)),
    });
    if (isFair(made)) return made;
  }
}

/** Without one of its faults, or with a shorter burst. */
function smallerOf({ plan, ...named }: Schedule): Schedule[] {
  const { faults, seed, ends } = plan as FleetPlan;
  const twin = twinOf(plan as FleetPlan);
  const kept = new Map(ends.map(({ command: _, ...end }, index) => [index, end] as const));
  const remade = (fewer: FaultSchedule, text: string): Schedule =>
    schedule(seed, { ...named, text, faults: fewer, ends: kept, ...(twin === null ? {} : { twin }) });
  const parts = named.text.split(', and ');
  const without =
    faults.length < 2
      ? []
      : faults.map((_, index) =>
          remade(
            faults.filter((__, other) => other !== index),
            parts.length === faults.length
              ? parts.filter((__, other) => other !== index).join(', and ')
              : named.text,
          ),
        );
  return without;
}

function twinOf({ steps, commands }: FleetPlan): number | null {
  const step = steps.find((each) => each.kind === 'dispatch' && each.times > 1);
  return step?.kind === 'dispatch' ? commands.findIndex(({ id }) => id === step.command) : null;
}

function fair(schedules: readonly Schedule[]): Schedule[] {
  return schedules.filter(isFair);
}

/** What a right adapter cannot be asked to hold under is left out. */
function isFair({ plan }: Schedule): boolean {
  const { faults, steps } = plan as FleetPlan;
  const calls = faults.filter((fault) => fault.kind === 'call');
  const isStranger = faults.some(({ kind }) => kind === 'strangersOrder');
  return calls.every((fault) => {
    const same = calls.filter((other) => other.step === fault.step && other.operation === CREATE);
    const isLateAndForgotten =
      same.some(({ handled }) => handled === 'late') && same.some(({ forget }) => forget === true);
    // Queued behind a stranger's order it is not its robot's running mission, so nobody can find it.
    const isUnfindable = fault.forget === true && isStranger;
    // There is no other mission yet whose state could be answered.
    const step = fault.step === null ? undefined : steps[fault.step];
    const isFirst = step?.kind === 'wait' && commandAt(plan as FleetPlan, fault.step) === 0;
    return !isLateAndForgotten && !isUnfindable && !(fault.answer === 'other' && isFirst);
  });
}
