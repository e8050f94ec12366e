import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, planOf, standsAt, trialPlan } from '../../../shared/src/contracts/fleet/plan.ts';
import { SCENARIOS } from '../../../shared/src/contracts/fleet/scenarios.ts';
import type { FleetPlan, PlannedStep, Target } from '../../../shared/src/contracts/fleet/types.ts';
import type { CallFault, WorldFault } from '../../../shared/src/evidence/evidence.ts';

const anySeed = fc.oneof(fc.nat({ max: 2 ** 31 - 1 }), fc.maxSafeNat());
const IDS = SCENARIOS.map((scenario) => scenario.id);

function underAnySeed(check: (seed: number) => void, runs = 1_000): void {
  fc.assert(fc.property(anySeed, check), { numRuns: runs });
}

function callFaults(plan: FleetPlan): CallFault[] {
  return plan.faults.filter((fault) => fault.kind === 'call');
}

function worldFault<Kind extends WorldFault['kind']>(plan: FleetPlan, kind: Kind) {
  const found = plan.faults.find((fault) => fault.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found as Extract<WorldFault, { kind: Kind }>;
}

/** Index of the command in whose step a call fault falls. */
function commandOf(plan: FleetPlan, fault: { step: number | null } | undefined): number {
  const step = plan.steps[fault?.step ?? -1];
  return plan.commands.findIndex(
    (command) => step !== undefined && step.kind !== 'inventory' && step.command === command.id,
  );
}

function robotsOf(plan: FleetPlan): string[] {
  return plan.commands.map((command) => command.robot);
}

function driveOf(plan: FleetPlan, index: number): number {
  const target = plan.commands[index]?.target;
  if (target === undefined) throw new Error(`no command ${index}`);
  return distance(standsAt(plan, index), target);
}

const onTheFloor = ({ x, y }: Target) =>
  Number.isInteger(x) && Number.isInteger(y) && x >= 0 && x <= 8 && y >= 0 && y <= 8;

describe('world and commands', () => {
  it('keep every constraint', () => {
    underAnySeed((seed) => {
      const plan = planOf('nominal', seed);
      const { resources } = plan.world;
      expect(resources.map((robot) => robot.id)).toEqual(['r1', 'r2', 'r3']);
      for (const { status, running, fields } of resources) {
        expect([status, running]).toEqual(['idle', null]);
        expect(fields.battery >= 60 && fields.battery <= 100).toBe(true);
        expect(onTheFloor(fields.pose)).toBe(true);
      }
      expect(plan.commands.map((command) => command.cancel)).toEqual([false, false, false, true]);
      const robots = robotsOf(plan);
      expect(new Set(robots).size).toBeGreaterThanOrEqual(2);
      expect(new Set(robots).size).toBeLessThan(robots.length);
      for (const [index, { id, target }] of plan.commands.entries()) {
        expect(id).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
        expect(onTheFloor(target)).toBe(true);
        expect(driveOf(plan, index)).toBeGreaterThanOrEqual(4);
      }
      expect(new Set(plan.commands.map((command) => command.id)).size).toBe(4);
      expect(new Set(plan.commands.map(({ target }) => `${target.x},${target.y}`)).size).toBe(4);
    });
  });

  it('keep targets away also from where a robot stands after a command that was not carried out', () => {
    underAnySeed((seed) => {
      const plan = planOf('nominal', seed);
      for (const [index, { robot, target }] of plan.commands.entries()) {
        const start = plan.world.resources.find(({ id }) => id === robot)?.fields.pose;
        const earlier = plan.commands.slice(0, index).filter((command) => command.robot === robot);
        for (const place of [start, ...earlier.map((command) => command.target)])
          expect(place && distance(place, target)).toBeGreaterThanOrEqual(4);
      }
    });
  });

  it('follow from the seed alone', () => {
    underAnySeed((seed) => {
      const { commands, world } = planOf('nominal', seed);
      for (const id of IDS) expect(planOf(id, seed)).toMatchObject({ commands, world });
    }, 30);
  });

  it('differ between seeds', () => {
    const plans = Array.from({ length: 500 }, (_, seed) => JSON.stringify(planOf('nominal', seed).commands));
    expect(new Set(plans).size).toBe(500);
  });

  it('use every assignment and every place of the command that is waited for twice', () => {
    const assignments = new Set<string>();
    const twice = new Set<number>();
    for (let seed = 0; seed < 3_000; seed += 1) {
      const plan = planOf('nominal', seed);
      assignments.add(robotsOf(plan).join());
      const step = plan.steps.find((each) => each.kind === 'wait' && each.maxPolls === 1);
      twice.add(commandOf(plan, { step: step?.index ?? null }));
    }
    expect(assignments.size).toBe(54);
    expect([...twice].sort()).toEqual([0, 1, 2]);
  });

  it('refuse what is no seed and what is no scenario', () => {
    for (const seed of [-1, 0.5, Number.NaN, 2 ** 53])
      expect(() => planOf('nominal', seed)).toThrow('A seed has to be a whole number');
    expect(() => planOf('calm', 1)).toThrow('The fleet contract has no scenario "calm".');
    expect(() => planOf('__proto__', 1)).toThrow('The fleet contract has no scenario "__proto__".');
  });
});

describe('steps', () => {
  const kinds = (plan: FleetPlan) => plan.steps.map((step) => step.kind);

  it('are inventory, the commands in order, inventory, each with its own place as index', () => {
    underAnySeed((seed) => {
      for (const id of IDS) {
        const plan = planOf(id, seed);
        expect(plan.steps.map((step) => step.index)).toEqual(plan.steps.map((_, index) => index));
        expect([kinds(plan)[0], kinds(plan).at(-1)]).toEqual(['inventory', 'inventory']);
        const commands = plan.steps.flatMap((step) => (step.kind === 'dispatch' ? [step.command] : []));
        expect(commands).toEqual(plan.commands.map((command) => command.id));
        expect(kinds(plan).filter((kind) => kind === 'cancel')).toHaveLength(1);
      }
    }, 60);
  });

  it('have two waits for one of the first three commands, the first with one poll', () => {
    underAnySeed((seed) => {
      const plan = planOf('nominal', seed);
      const waits = plan.commands.map(({ id }) =>
        plan.steps.flatMap((step) => (step.kind === 'wait' && step.command === id ? [step.maxPolls] : [])),
      );
      expect(waits.filter((polls) => polls.length === 2)).toEqual([[1, null]]);
      expect(waits.filter((polls) => polls.length === 1)).toEqual([[null], [null], [null]]);
      expect(waits[3]).toEqual([null]);
    });
  });
});

describe('scenarios', () => {
  it('are the sixteen, aimed as they are', () => {
    expect(SCENARIOS.map(({ id, aimsAt }) => `${id} ${aimsAt}`)).toEqual([
      'nominal inventory',
      'robot_fault wait',
      'overload dispatch',
      'lost_answer dispatch',
      'dropped_connection dispatch',
      'server_error_after_accept dispatch',
      'refused_order dispatch',
      'silent dispatch',
      'slow_answer dispatch',
      'late_acceptance dispatch',
      'twin_dispatch dispatch',
      'forgetful_vendor dispatch',
      'strangers_order dispatch',
      'wrong_mission wait',
      'flapping_reads wait',
      'throttled dispatch',
    ]);
  });

  it('place each call fault on a step of that operation, of one of the first three commands', () => {
    underAnySeed((seed) => {
      for (const id of IDS) {
        const plan = planOf(id, seed);
        for (const fault of callFaults(plan)) {
          const kind = plan.steps[fault.step ?? -1]?.kind;
          expect(`${fault.operation} ${kind}`).toBe(
            kind === 'wait' ? 'getMission wait' : 'createMission dispatch',
          );
          expect([0, 1, 2]).toContain(commandOf(plan, fault));
        }
      }
    }, 60);
  });

  it('have the exact ends', () => {
    const special: Record<string, [string, boolean]> = {
      robot_fault: ['failed', false],
      refused_order: ['refused', false],
      silent: ['done', true],
      forgetful_vendor: ['done', true],
    };
    underAnySeed((seed) => {
      for (const id of IDS) {
        const plan = planOf(id, seed);
        expect(plan.ends.map((end) => end.command)).toEqual(plan.commands.map((command) => command.id));
        const ends = plan.ends.map(({ state, mayBeUnresolved }) => [state, mayBeUnresolved]);
        expect(ends[3]).toEqual(['cancelled', false]);
        const chosen = ends.slice(0, 3).filter((end) => `${end}` !== 'done,false');
        expect(chosen).toEqual(special[id] === undefined ? [] : [special[id]]);
      }
    }, 60);
  });

  it('robot_fault: the last command of its robot, in the middle of its drive', () => {
    underAnySeed((seed) => {
      const plan = planOf('robot_fault', seed);
      const { resource, atMove } = worldFault(plan, 'resourceFault');
      const index = plan.ends.findIndex((end) => end.state === 'failed');
      expect(robotsOf(plan)[index]).toBe(resource);
      expect(robotsOf(plan).slice(index + 1)).not.toContain(resource);
      const before = robotsOf(plan)
        .slice(0, index)
        .reduce((sum, robot, earlier) => (robot === resource ? sum + driveOf(plan, earlier) : sum), 0);
      expect(atMove).toBe(before + Math.floor(driveOf(plan, index) / 2));
    });
  });

  it('wrong_mission: a command with an earlier mission in the run', () => {
    underAnySeed((seed) => {
      const plan = planOf('wrong_mission', seed);
      expect([1, 2]).toContain(commandOf(plan, callFaults(plan)[0]));
    });
  });

  it('forgetful_vendor and strangers_order: on a robot that runs nothing else', () => {
    underAnySeed((seed) => {
      for (const id of ['forgetful_vendor', 'strangers_order']) {
        const plan = planOf(id, seed);
        const robot = robotsOf(plan)[commandOf(plan, callFaults(plan)[0])];
        expect(robotsOf(plan).filter((each) => each === robot)).toHaveLength(1);
      }
    });
  });

  it("strangers_order: just before the chosen command's first create, to a place of its own", () => {
    underAnySeed((seed) => {
      const plan = planOf('strangers_order', seed);
      const stranger = worldFault(plan, 'strangersOrder');
      const step = plan.steps[stranger.before.step];
      const index = commandOf(plan, { step: stranger.before.step });
      expect([step?.kind, stranger.before.operation, stranger.before.nth]).toEqual([
        'dispatch',
        'createMission',
        1,
      ]);
      expect(stranger.resource).toBe(robotsOf(plan)[index]);
      const target = stranger.target as Target;
      expect(distance(standsAt(plan, index), target)).toBeGreaterThanOrEqual(4);
      for (const command of plan.commands) expect(distance(command.target, target)).toBeGreaterThan(0);
      const own = plan.commands[index]?.target;
      expect(own && distance(own, target)).toBeGreaterThanOrEqual(4);
    });
  });

  it('flapping_reads: waited for once, polls for the drive, six faults and five more', () => {
    underAnySeed((seed) => {
      const plan = planOf('flapping_reads', seed);
      const faults = callFaults(plan);
      expect(faults.map(({ nth, count, status }) => [nth, count, status])).toEqual([
        [2, 3, 503],
        [7, 3, 503],
      ]);
      const step = plan.steps[faults[0]?.step ?? -1] as PlannedStep & { maxPolls: number };
      expect(step.maxPolls).toBe(driveOf(plan, commandOf(plan, faults[0])) + 11);
      expect(faults[1]?.step).toBe(step.index);
    });
  });

  it('twin_dispatch: two calls in one step, a wait for each mission', () => {
    underAnySeed((seed) => {
      const plan = planOf('twin_dispatch', seed);
      const twins = plan.steps.flatMap((step) =>
        step.kind === 'dispatch' && step.times === 2 ? [step] : [],
      );
      expect(twins).toHaveLength(1);
      const after = plan.steps.slice((twins[0]?.index ?? 0) + 1, (twins[0]?.index ?? 0) + 3);
      expect(after.map((step) => (step.kind === 'wait' ? step.mission : step.kind))).toEqual([0, 1]);
    });
  });

  it('throttled: creates of one command, reads of another', () => {
    underAnySeed((seed) => {
      const plan = planOf('throttled', seed);
      const [create, read] = callFaults(plan);
      expect([create?.status, create?.retryAfterS, read?.status, read?.retryAfterS]).toEqual([
        429, 1, 429, 2,
      ]);
      expect(commandOf(plan, create)).not.toBe(commandOf(plan, read));
    });
  });
});

describe('trial plans', () => {
  it('are the nominal plan with the faults given', () => {
    const fault: WorldFault = { kind: 'resourceFault', resource: 'r1', atMove: 3 };
    const nominal = planOf('nominal', 11);
    expect(trialPlan(11, { faults: [fault] })).toEqual({ ...nominal, scenario: 'trial', faults: [fault] });
  });
});
