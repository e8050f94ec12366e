/**
 * A plan: the world, four commands, the steps they make and the faults they meet. Everything follows from scenario and
 * seed; the commands follow from the seed alone, so that a scenario's run can be compared with the nominal one.
 */
import type { CallFault, FaultSchedule, WorldFault } from '../../evidence/evidence.ts';
import { type RandomStream, randomStream } from './random.ts';
import { scenarioById } from './scenarios.ts';
import {
  type CallFaultTemplate,
  type Choice,
  type CommandEnd,
  CREATE,
  type FaultTemplate,
  FLOOR,
  type FleetCommand,
  type FleetPlan,
  type FleetRobot,
  type FleetScenario,
  type PlannedStep,
  type Target,
  TRIAL,
} from './types.ts';

const ROBOTS = ['r1', 'r2', 'r3'] as const;
const COMMANDS = 4;
/** Faults fall on the first so many commands; the one after them is cancelled. */
const FAULTABLE = 3;
/** Units from every place where the robot may stand to a target. */
const LEAST_DISTANCE = 4;
const LEAST_BATTERY = 60;
const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** What a seed gives before any scenario. */
interface Base {
  world: { resources: FleetRobot[] };
  commands: FleetCommand[];
  /** Index of the command that is waited for twice. */
  twice: number;
}

/** The plan of a scenario under a seed; throws an Error where the contract has no such scenario. */
export function planOf(scenario: string, seed: number): FleetPlan {
  const data = scenarioById(scenario);
  if (data === undefined) throw new Error(`The fleet contract has no scenario "${scenario}".`);
  const base = baseOf(seed);
  const random = randomStream(seed, `fleet/1 ${scenario}`);
  const chosen = random.pick(choices(base, data.chooses));
  const another = random.pick(firstCommands(base).filter((index) => index !== chosen));
  const steps = stepsOf(base, { twin: data.twin ? chosen : null, polls: pollsOf(base, data, chosen) });
  const faults = data.faults.map((template) => placed(template, { base, steps, random, chosen, another }));
  const ends = endsOf(base).map((end, index) => (index === chosen ? { ...end, ...data.end } : end));
  return { seed, scenario, world: base.world, faults, commands: base.commands, ends, steps };
}

export interface TrialOverlay {
  faults: FaultSchedule;
  /** Index of a command that is dispatched twice at once. */
  twin?: number;
  /** What differs from the expected end of single commands, by index. */
  ends?: ReadonlyMap<number, Partial<Omit<CommandEnd, 'command'>>>;
}

/** The seed's nominal plan under a fault schedule of the caller's. */
export function trialPlan(seed: number, overlay: TrialOverlay): FleetPlan {
  const base = baseOf(seed);
  const steps = stepsOf(base, { twin: overlay.twin ?? null, polls: new Map() });
  const ends = endsOf(base).map((end, index) => ({ ...end, ...overlay.ends?.get(index) }));
  return {
    seed,
    scenario: TRIAL,
    world: base.world,
    faults: overlay.faults,
    commands: base.commands,
    ends,
    steps,
  };
}

/** World events of a seed's plan: a breakdown in the middle of a command's drive, a stranger's order before it. */
export function worldEvents(seed: number, index: number): { breakdown: WorldFault; stranger: WorldFault } {
  const base = baseOf(seed);
  const steps = stepsOf(base, { twin: null, polls: new Map() });
  const scene = {
    base,
    steps,
    random: randomStream(seed, 'fleet/1 exploration'),
    chosen: index,
    another: index,
  };
  return { breakdown: breakdown(scene), stranger: strangersOrder(scene) };
}

/** Where the robot stands when the command at `index` starts, if all of its earlier commands were carried out. */
export function standsAt(plan: Pick<FleetPlan, 'world' | 'commands'>, index: number): Target {
  const robot = plan.commands[index]?.robot;
  const earlier = plan.commands.slice(0, index).findLast((command) => command.robot === robot);
  if (earlier !== undefined) return earlier.target;
  const start = plan.world.resources.find((resource) => resource.id === robot);
  if (start === undefined) throw new RangeError(`There is no command ${index} in this plan.`);
  return start.fields.pose;
}

/** Units that a robot drives from `from` to `to`. */
export function distance(from: Target, to: Target): number {
  return Math.abs(from.x - to.x) + Math.abs(from.y - to.y);
}

function baseOf(seed: number): Base {
  const random = randomStream(seed, 'fleet/1');
  const poses = freshCells(random, ROBOTS.length);
  const resources = ROBOTS.map((id, index): FleetRobot => {
    const battery = LEAST_BATTERY + random.below(101 - LEAST_BATTERY);
    return { id, status: 'idle', running: null, fields: { battery, pose: poses[index] ?? { x: 0, y: 0 } } };
  });
  const commands: FleetCommand[] = [];
  for (const [index, robot] of random.pick(ASSIGNMENTS).entries()) {
    commands.push({
      id: freshId(random, commands),
      robot,
      target: random.pick(targetsFor(robot, resources, commands)),
      cancel: index === COMMANDS - 1,
    });
  }
  return { world: { resources }, commands, twice: random.below(FAULTABLE) };
}

/**
 * Which robot gets which command: at least two robots, one with at least two commands, and one of the first three
 * commands alone on its robot, so that every scenario finds a command under every seed.
 */
const ASSIGNMENTS: readonly (readonly string[])[] = assignments(COMMANDS).filter(
  (robots) =>
    new Set(robots).size >= 2 &&
    robots.some((robot, index) => robots.indexOf(robot) < index) &&
    robots.slice(0, FAULTABLE).some((robot) => robots.filter((other) => other === robot).length === 1),
);

function assignments(count: number): string[][] {
  if (count === 0) return [[]];
  return assignments(count - 1).flatMap((robots) => ROBOTS.map((robot) => [...robots, robot]));
}

function cells(): Target[] {
  return Array.from({ length: FLOOR * FLOOR }, (_, cell) => ({
    x: cell % FLOOR,
    y: Math.floor(cell / FLOOR),
  }));
}

function freshCells(random: RandomStream, count: number): Target[] {
  const free = cells();
  return Array.from({ length: count }, () => free.splice(random.below(free.length), 1)).flat();
}

/**
 * Where a robot may be sent: away from where it starts and from all of its earlier targets, since a command that was
 * refused or cut short leaves it at any of them. At most three places rule out 75 of 81 cells, so there is always one.
 */
function targetsFor(
  robot: string,
  robots: readonly FleetRobot[],
  commands: readonly FleetCommand[],
): Target[] {
  const places = [
    ...robots.filter((each) => each.id === robot).map((each) => each.fields.pose),
    ...commands.filter((command) => command.robot === robot).map((command) => command.target),
  ];
  return cells().filter(
    (cell) =>
      places.every((place) => distance(place, cell) >= LEAST_DISTANCE) &&
      commands.every((command) => distance(command.target, cell) > 0),
  );
}

function freshId(random: RandomStream, commands: readonly FleetCommand[]): string {
  for (;;) {
    const letters = Array.from({ length: 12 }, () => ID_LETTERS.charAt(random.below(ID_LETTERS.length)));
    const id = `cmd-${letters.join('')}`;
    if (commands.every((command) => command.id !== id)) return id;
  }
}

function firstCommands(base: Base): number[] {
  return base.commands.slice(0, FAULTABLE).map((_, index) => index);
}

function choices(base: Base, choice: Choice): number[] {
  const robotOf = (index: number) => base.commands[index]?.robot;
  const others = (index: number) => base.commands.filter((_, other) => other !== index);
  return firstCommands(base).filter((index) => {
    switch (choice) {
      case 'any':
        return true;
      case 'last-on-its-robot':
        return base.commands.slice(index + 1).every((later) => later.robot !== robotOf(index));
      case 'alone-on-its-robot':
        return others(index).every((other) => other.robot !== robotOf(index));
      case 'not-the-first':
        return index > 0;
      case 'waited-for-once':
        return index !== base.twice;
    }
    return false;
  });
}

function endsOf(base: Base): CommandEnd[] {
  return base.commands.map(({ id, cancel }) => ({
    command: id,
    state: cancel ? 'cancelled' : 'done',
    mayBeUnresolved: false,
  }));
}

/** `maxPolls` of a command's last wait, by index, where the scenario sets it. */
function pollsOf(base: Base, scenario: FleetScenario, chosen: number): Map<number, number> {
  if (scenario.sparePolls === undefined) return new Map();
  const faulted = scenario.faults.reduce(
    (sum, fault) => (fault.during === 'wait' ? sum + (fault.count ?? 1) : sum),
    0,
  );
  return new Map([[chosen, driveOf(base, chosen) + faulted + scenario.sparePolls]]);
}

function driveOf(base: Base, index: number): number {
  const command = base.commands[index];
  if (command === undefined) return 0;
  return distance(standsAt(base, index), command.target);
}

interface StepOverlay {
  twin: number | null;
  polls: ReadonlyMap<number, number>;
}

function stepsOf(base: Base, { twin, polls }: StepOverlay): PlannedStep[] {
  type Unnumbered = PlannedStep extends infer Step
    ? Step extends unknown
      ? Omit<Step, 'index'>
      : never
    : never;
  const steps: Unnumbered[] = [{ kind: 'inventory' }];
  for (const [index, { id: command, cancel }] of base.commands.entries()) {
    const times = index === twin ? 2 : 1;
    steps.push({ kind: 'dispatch', command, times });
    for (let mission = 0; mission < times; mission += 1) {
      if (cancel) steps.push({ kind: 'cancel', command, mission });
      if (index === base.twice) steps.push({ kind: 'wait', command, mission, maxPolls: 1 });
      steps.push({ kind: 'wait', command, mission, maxPolls: polls.get(index) ?? null });
    }
  }
  steps.push({ kind: 'inventory' });
  return steps.map((step, index) => ({ index, ...step }));
}

interface Scene {
  base: Base;
  steps: PlannedStep[];
  random: RandomStream;
  chosen: number;
  another: number;
}

function placed(template: FaultTemplate, scene: Scene): CallFault | WorldFault {
  switch (template.during) {
    case 'drive':
      return breakdown(scene);
    case 'before-create':
      return strangersOrder(scene);
    default:
      return placedCall(template, scene);
  }
}

function placedCall({ during, of, ...fault }: CallFaultTemplate, scene: Scene): CallFault {
  const index = of === 'chosen' ? scene.chosen : scene.another;
  return { kind: 'call', step: lastStep(scene, during, index), ...fault };
}

function lastStep({ base, steps }: Scene, kind: 'dispatch' | 'wait', index: number): number {
  const id = base.commands[index]?.id;
  return steps.findLast((step) => step.kind === kind && step.command === id)?.index ?? 0;
}

/** Moves are counted over the whole run, so those of the robot's earlier missions come first. */
function breakdown({ base, chosen }: Scene): WorldFault {
  const robot = base.commands[chosen]?.robot ?? '';
  const earlier = firstCommands(base).filter(
    (index) => index < chosen && base.commands[index]?.robot === robot,
  );
  const before = earlier.reduce((sum, index) => sum + driveOf(base, index), 0);
  return { kind: 'resourceFault', resource: robot, atMove: before + Math.floor(driveOf(base, chosen) / 2) };
}

/** The stranger sends the robot far from where it starts and far from where we send it. */
function strangersOrder(scene: Scene): WorldFault {
  const { base, random, chosen } = scene;
  const robot = base.commands[chosen]?.robot ?? '';
  const ours = base.commands.filter((_, index) => index === chosen);
  const free = targetsFor(robot, base.world.resources, ours).filter((cell) =>
    base.commands.every((command) => distance(command.target, cell) > 0),
  );
  const { x, y } = random.pick(free);
  return {
    kind: 'strangersOrder',
    resource: robot,
    target: { x, y },
    before: { step: lastStep(scene, 'dispatch', chosen), operation: CREATE, nth: 1 },
  };
}
