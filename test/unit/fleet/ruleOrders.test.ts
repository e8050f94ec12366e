import { describe, expect, it } from 'vitest';
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import type { Json } from '../../../shared/src/json.ts';
import { judge } from '../../../shared/src/judge.ts';
import { isRefusal, nameless, pauseAfter, right } from './behaviours.ts';
import { broken, type Rig, ruleOf, siteAt, Thrown } from './rig.ts';
import { AT_TARGET, but, create, ENDED, ONE, placeOf, REPORT, RIGHT, run, SEED } from './wrong.ts';

describe('one_order_per_command', () => {
  it('is broken alone by a repeat without a name, the second call first', async () => {
    const result = await run('lost_answer', nameless());
    expect(broken(result)).toEqual([ONE]);
    const { commands } = planOf('lost_answer', SEED);
    const orders = result.evidence.ledger.filter((row) => row.kind === 'order').slice(1, 3);
    const [first, second] = orders;
    expect(ruleOf(result, ONE)).toEqual({
      id: ONE,
      held: false,
      text: `2 orders for command ${commands[1]?.id}: order ${first?.order?.id} (row ${first?.seq}, 0.14 s) and order ${second?.order?.id} (row ${second?.seq}, 1.16 s).`,
      ledger: [first?.seq, second?.seq],
      sites: [siteAt(12), siteAt(11)],
    });
  });

  it('is broken alone by giving up honestly', async () => {
    const givesUp = but(() => ({
      async dispatch(rig, robot, target, command) {
        const mission = await create(rig, robot, { target, command_id: command });
        if (mission === null) throw new Thrown('cannot tell', 'unresolved');
        return mission;
      },
    }));
    const result = await run('overload', givesUp);
    expect(broken(result)).toEqual([ONE]);
    expect(ruleOf(result, ONE).text).toMatch(
      /^No order for command cmd-\w+, which the vendor would have taken\.$/,
    );
    expect(ruleOf(result, ONE).sites).toEqual([siteAt(60), siteAt(40)]);
  });

  it('is broken by an order of no command', async () => {
    const eager = but((good) => ({
      async inventory(rig) {
        if (rig.trace.length === 0) await create(rig, 'r1', { target: { x: 1, y: 1 } });
        return good.inventory(rig);
      },
    }));
    const result = await run('nominal', eager);
    expect(broken(result)).toContain(ONE);
    expect(ruleOf(result, ONE).text).toMatch(/^Order m-\w+ \(row 2, 0 s\) belongs to no command\.$/);
  });

  it('counts what arrives after the run', async () => {
    const oneTry = but(() => ({
      async dispatch(rig, robot, target) {
        const mission = await create(rig, robot, { target });
        if (mission !== null) return mission;
        throw new Thrown('cannot tell', 'unresolved');
      },
    }));
    const result = await run('late_acceptance', oneTry);
    // The order is there once, honestly in doubt; but it was not done when the platform stopped looking.
    expect(broken(result)).toEqual([ENDED]);
    expect(ruleOf(result, ENDED).text).toMatch(
      /was not there yet and not done when the dispatch of cmd-\w+ \(step \d+\) came back\.$/,
    );
  });

  it('gives an order with an unknown name to the command in whose step it was sent', async () => {
    let name = 0;
    const fresh = but(() => ({
      async dispatch(rig, robot, target) {
        for (;;) {
          name += 1;
          const answer = await rig.call('createMission', robot, { target, command_id: `fresh-name-${name}` });
          if (answer.ok) return answer.body.mission_id;
          if (isRefusal(answer)) throw new Thrown('refused', 'refused');
          pauseAfter(rig, answer);
        }
      },
    }));
    expect(broken(await run('nominal', fresh))).toEqual([]);
    expect(broken(await run('lost_answer', fresh))).toEqual([ONE]);
  });

  it('gives an order with the name of another command to that command', async () => {
    const swaps = but(() => ({
      async dispatch(rig, robot, target) {
        return create(rig, robot, { target, command_id: rig.plan.commands[0]?.id ?? '' });
      },
    }));
    const result = await run('nominal', swaps);
    expect(ruleOf(result, ONE).text).toMatch(/^No order for command /);
  });

  it('allows none where the scenario refuses, and none is what it wants there', async () => {
    const insists = but((good) => {
      let refused: (() => Promise<Json>) | null = null;
      return {
        async dispatch(rig, robot, target, command) {
          await refused?.();
          refused = null;
          try {
            return await good.dispatch(rig, robot, target, command);
          } catch (error) {
            refused = () => create(rig, robot, { target, command_id: command });
            throw error;
          }
        },
      };
    });
    expect(broken(await run('refused_order', right()))).toEqual([]);
    const result = await run('refused_order', insists);
    expect(broken(result)).toEqual([ONE, ENDED, REPORT]);
    expect(ruleOf(result, ONE).text).toMatch(
      /^1 order for command cmd-\w+, which the vendor refuses: order m-/,
    );
  });

  it("does not count a stranger's order", async () => {
    const result = await run('strangers_order', right());
    expect(result.evidence.ledger.filter((row) => row.kind === 'order')).toHaveLength(5);
    expect(ruleOf(result, ONE).text).toBe('4 dispatched commands, 4 orders, none too many and none missing.');
  });
});

describe('right_robot_and_target', () => {
  it('is broken alone by another robot', async () => {
    const first = but((good) => ({
      dispatch: (rig, _, target, command) => good.dispatch(rig, 'r1', target, command),
    }));
    const result = await run('nominal', first);
    expect(broken(result)).toEqual([RIGHT]);
    expect(ruleOf(result, RIGHT).text).toMatch(
      /^Order m-\w+ \(row \d+, [\d.]+ s\) sends r1 to \{"x":\d,"y":\d\}, but command cmd-\w+ sends r3 to \{"x":\d,"y":\d\}; /,
    );
    expect(ruleOf(result, RIGHT).sites).toEqual([siteAt(10)]);
  });

  it('is broken alone by another target of the command that is cancelled', async () => {
    const wrong = but((good) => ({
      dispatch: (rig, robot, target, command) =>
        good.dispatch(rig, robot, placeOf(rig.plan, command) === 3 ? { x: 0, y: 0 } : target, command),
    }));
    expect(broken(await run('nominal', wrong))).toEqual([RIGHT]);
  });

  it('comes with robot_at_the_target where the mission is carried out', async () => {
    const mirrored = but((good) => ({
      dispatch(rig, robot, target, command) {
        const { x, y } = target as { x: number; y: number };
        return good.dispatch(rig, robot, { x: 8 - x, y }, command);
      },
    }));
    const result = await run('nominal', mirrored);
    expect(broken(result)).toEqual([RIGHT, AT_TARGET]);
    expect(ruleOf(result, AT_TARGET).text).toMatch(
      /^Order m-\w+ \(row \d+, [\d.]+ s\) was done with r\d at \{"x":\d,"y":\d\}, but the target of command cmd-\w+ is \{"x":\d,"y":\d\}; /,
    );
  });
});

describe('ended_as_it_should', () => {
  it('is broken alone by waiting too short', async () => {
    const short = but((good) => ({
      wait: (rig, mission, { maxPolls = 50 }) => good.wait(rig, mission, { maxPolls: Math.min(maxPolls, 3) }),
    }));
    const result = await run('nominal', short);
    expect(broken(result)).toEqual([ENDED]);
    expect(ruleOf(result, ENDED).text).toMatch(
      /^Order m-\w+ \(row \d+, [\d.]+ s\) was running and not done when the wait for cmd-\w+ \(step \d+\) came back; /,
    );
    expect(ruleOf(result, ENDED).sites).toEqual([siteAt(50), siteAt(10)]);
  });

  it('is broken alone by a cancel that does nothing', async () => {
    const lazy = but(() => ({ cancel: async () => null }));
    const result = await run('nominal', lazy);
    expect(broken(result)).toEqual([ENDED]);
    expect(ruleOf(result, ENDED).text).toMatch(
      / was done and not cancelled when the wait for cmd-\w+ \(step 10\) came back\.$/,
    );
  });

  it('wants done of a mission that had ended before the platform cancelled it', async () => {
    const drives = but((good) => ({
      async dispatch(rig, robot, target, command) {
        const mission = await good.dispatch(rig, robot, target, command);
        if (placeOf(rig.plan, command) === 3) await good.wait(rig, String(mission), {});
        return mission;
      },
    }));
    const result = await run('nominal', drives);
    expect(result.evidence.record.orders.map((order) => order.status)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ]);
    expect(broken(result)).toEqual([]);
  });

  it('is broken by a cancel that nobody asked for', async () => {
    const cancels = but((good) => ({
      async wait(rig, mission, opts) {
        await rig.call('cancelMission', mission);
        return good.wait(rig, mission, opts);
      },
    }));
    expect(broken(await run('nominal', cancels))).toEqual([ENDED]);
  });

  it.each(['silent', 'forgetful_vendor'])('takes any state for unresolved in %s', async (scenario) => {
    const doubts = but(() => ({
      async dispatch(rig, robot, target, command) {
        const mission = await create(rig, robot, { target, command_id: command });
        if (mission === null) throw new Thrown('cannot tell', 'unresolved');
        return mission;
      },
    }));
    expect(broken(await run(scenario, doubts))).toEqual([]);
    expect(broken(await run('lost_answer', doubts))).toEqual([ENDED]);
  });
});

describe('report_is_true', () => {
  it('is broken alone by done for a mission that failed', async () => {
    const swallows = but((good) => ({
      async wait(...args) {
        const result = (await good.wait(...args)) as { state: string; polls: number };
        return result.state === 'failed' ? { ...result, state: 'done' } : result;
      },
    }));
    const result = await run('robot_fault', swallows);
    expect(broken(result)).toEqual([REPORT]);
    expect(ruleOf(result, REPORT)).toMatchObject({ sites: [siteAt(50), siteAt(20)] });
    expect(ruleOf(result, REPORT).text).toMatch(
      /^Wait for cmd-\w+ \(step \d+\) said that mission m-\w+ is done; the vendor had it as failed\.$/,
    );
  });

  it('is broken alone by timeout for a mission whose end was read', async () => {
    const shy = but((good) => ({
      async wait(...args) {
        return { ...((await good.wait(...args)) as Record<string, Json>), state: 'timeout' };
      },
    }));
    const result = await run('nominal', shy);
    expect(broken(result)).toEqual([REPORT]);
    expect(ruleOf(result, REPORT).text).toMatch(
      /^Wait for cmd-\w+ \(step 2\) said timeout of mission m-\w+, but its read at [\d.]+ s \(row \d+\) answered done; /,
    );
  });

  it('takes timeout for true where the read of the end was lost or about another mission', async () => {
    const result = await run('wrong_mission', right());
    const { evidence } = result;
    for (const row of evidence.trace)
      if (row.operation === 'getMission') Object.assign(row, { status: 503, origin: 'broker' });
    for (const { result: each } of evidence.steps)
      if (each?.kind === 'returned' && Object.hasOwn(Object(each.value), 'polls'))
        (each.value as { state: string }).state = 'timeout';
    expect(broken(judge(evidence))).toEqual([]);
  });

  it('is broken by a mission of another command, of a stranger, of nobody', async () => {
    const given = (mission: (rig: Rig) => Json) =>
      but((good) => ({
        async dispatch(rig, robot, target, command) {
          const own = await good.dispatch(rig, robot, target, command);
          return placeOf(rig.plan, command) === 2 ? mission(rig) : own;
        },
      }));
    const orderOf = (rig: Rig, credential: number) =>
      rig.engine.record().orders.find((order) => order.credential === credential)?.id ?? '';
    const another = await run(
      'nominal',
      given((rig) => orderOf(rig, 1)),
    );
    expect(broken(another)).toEqual([ENDED, REPORT]);
    expect(ruleOf(another, REPORT).text).toMatch(
      /^Dispatch of cmd-\w+ \(step \d\) gave mission m-\w+, which is an order of command cmd-\w+\.$/,
    );
    const nobodys = await run(
      'nominal',
      given(() => 'm-none'),
    );
    expect(ruleOf(nobodys, REPORT).text).toMatch(/ gave mission m-none, which the vendor does not have\.$/);
    const strangers = await run(
      'strangers_order',
      given((rig) => orderOf(rig, 2)),
      seedWithStrangerBefore(2),
    );
    expect(ruleOf(strangers, REPORT).text).toMatch(/, which is no order of any command\.$/);
  });

  it.each([
    ['dropped_connection', 'but there is order m-'],
    ['overload', 'but the vendor refused nothing of it.'],
    ['throttled', 'but the vendor refused nothing of it.'],
  ])('is broken by refused in %s', async (scenario, text) => {
    const hasty = but(() => ({
      async dispatch(rig, robot, target, command) {
        const mission = await create(rig, robot, { target, command_id: command });
        if (mission === null) throw new Thrown('refused', 'refused');
        return mission;
      },
    }));
    const result = await run(scenario, hasty);
    expect(broken(result)).toContain(REPORT);
    expect(ruleOf(result, REPORT).text).toContain(text);
  });

  it('takes no conflict for a refusal', async () => {
    const clashes = but((good) => ({
      async dispatch(rig, robot, target, command) {
        if (placeOf(rig.plan, command) !== 1) return good.dispatch(rig, robot, target, command);
        const first = rig.plan.commands[0]?.id ?? '';
        const answer = await rig.call('createMission', robot, { target, command_id: first });
        expect(answer.status).toBe(409);
        throw new Thrown('refused', 'refused');
      },
    }));
    expect(broken(await run('nominal', clashes))).toEqual([ONE, REPORT]);
  });

  it.each([
    ['accepted', 'nominal', '201'],
    ['refused', 'refused_order', '422'],
  ])('is broken by doubt where the vendor said that it %s the order', async (_, scenario, status) => {
    const doubts = but((good) => ({
      async dispatch(...args) {
        await good.dispatch(...args).catch(() => null);
        throw new Thrown('cannot tell', 'unresolved');
      },
    }));
    const result = await run(scenario, doubts);
    expect(broken(result)).toContain(REPORT);
    expect(ruleOf(result, REPORT).text).toMatch(
      new RegExp(
        `^Dispatch of cmd-\\w+ \\(step 1\\) said that it cannot tell, but the vendor's answer ${status} to the create at 0\\.02 s was delivered; `,
      ),
    );
  });
});

/** A seed whose stranger's order comes before or at the dispatch of the command at `index`. */
function seedWithStrangerBefore(index: number): number {
  for (let seed = 0; seed < 1_000; seed += 1) {
    const plan = planOf('strangers_order', seed);
    const stranger = plan.faults.find((fault) => fault.kind === 'strangersOrder');
    const step = stranger?.kind === 'strangersOrder' ? plan.steps[stranger.before.step] : undefined;
    if (step?.kind === 'dispatch' && placeOf(plan, step.command) < index) return seed;
  }
  throw new Error('no such seed');
}
