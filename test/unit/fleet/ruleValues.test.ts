import { describe, expect, it } from 'vitest';
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import type { Json } from '../../../shared/src/json.ts';
import { judge } from '../../../shared/src/judge.ts';
import { right } from './behaviours.ts';
import { type Behaviour, broken, Hang, Rig, ruleOf, siteAt, Thrown } from './rig.ts';
import { but, INVENTORY, RAN, run, SEED, SHAPES } from './wrong.ts';

describe('ran_to_the_end', () => {
  it('is broken alone by a call that never comes back', async () => {
    let calls = 0;
    const hangs = but((good) => ({
      async inventory(rig) {
        calls += 1;
        if (calls === 2) throw new Hang();
        return good.inventory(rig);
      },
    }));
    const result = await run('nominal', hangs);
    expect(broken(result)).toEqual([RAN]);
    expect(ruleOf(result, RAN)).toEqual({
      id: RAN,
      held: false,
      text: 'The adapter waits for nothing. It was in the inventory (step 11).',
      ledger: [],
      sites: [siteAt(99)],
    });
  });

  it('is alone about a dispatch that never comes back, and about all that was never reached', async () => {
    const hangs = but(() => ({
      async dispatch() {
        throw new Hang();
      },
    }));
    expect(broken(await run('nominal', hangs))).toEqual([RAN]);
  });

  it('is alone about a wait that never comes back', async () => {
    const hangs = but(() => ({
      async wait() {
        throw new Hang();
      },
    }));
    expect(broken(await run('nominal', hangs))).toEqual([RAN]);
  });

  it('is alone about an adapter that does not load, its words through the gate', async () => {
    const rig = new Rig(planOf('nominal', SEED));
    rig.end = {
      kind: 'broken',
      reason: 'load',
      text: 'The adapter does not load: \u001b[31mboom\u202e',
      site: siteAt(3),
    };
    const result = judge(rig.evidence());
    expect(broken(result)).toEqual([RAN]);
    expect(ruleOf(result, RAN).text).toBe('The adapter does not load: [31mboom.');
    expect(ruleOf(result, RAN).sites).toEqual([siteAt(3)]);
  });

  it('is broken by an end that came after the last step', async () => {
    const { evidence } = await run('nominal', right());
    evidence.end = { kind: 'broken', reason: 'protocol', text: 'The guest broke a rule of the protocol.' };
    expect(broken(judge(evidence))).toEqual([RAN]);
  });

  it('is broken where steps are missing from a run that is said to be complete', async () => {
    const { evidence } = await run('nominal', right());
    evidence.steps.pop();
    expect(broken(judge(evidence))).toEqual([RAN]);
  });
});

describe('kept_the_contracts_shapes is broken alone by', () => {
  const inventoryOf = (change: (entries: Record<string, Json>[]) => Json) =>
    but((good) => ({
      inventory: async (rig) => change((await good.inventory(rig)) as Record<string, Json>[]),
    }));
  const waitOf = (change: (result: { state: string; polls: number }) => Json) =>
    but((good) => ({
      wait: async (...args) => change((await good.wait(...args)) as { state: string; polls: number }),
    }));

  it.each<[string, Behaviour, string]>([
    [
      'a battery that is a text',
      inventoryOf((entries) => entries.map((entry) => ({ ...entry, battery: String(entry.battery) }))),
      'Inventory (step 0) returned the entry {"id":"r1","status":"idle","battery":"95"}; an entry is {id, status, battery} with a status of idle, moving, fault and a battery that is a number; inventory (step 11) returned the entry',
    ],
    [
      'a status that the contract does not have',
      inventoryOf((entries) => entries.map((entry) => ({ ...entry, status: 'parked' }))),
      'Inventory (step 0) returned the entry {"id":"r1","status":"parked",',
    ],
    [
      'an entry that is nothing',
      inventoryOf(([, ...others]) => [null, ...others]),
      'Inventory (step 0) returned the entry null;',
    ],
    ['no list', inventoryOf((entries) => ({ robots: entries })), 'Inventory (step 0) returned {"robots":'],
    [
      'what cannot be passed on, in a key that is not looked at',
      inventoryOf((entries) => entries.map((entry) => ({ ...entry, more: [{ $odd: 'getter' }] }))),
      'Inventory (step 0) returned what is no plain value (getter);',
    ],
    [
      'an inventory that throws',
      inventoryOf(() => {
        throw new Thrown('no\u0007 robots');
      }),
      'Inventory (step 0) threw "Error: no robots"; inventory (step 11) threw "Error: no robots".',
    ],
    [
      'polls that the trace does not have',
      waitOf(({ state, polls }) => ({ state, polls: polls - 1 })),
      'Wait for cmd-j3dgbkq39jf2 (step 2) returned 4 polls, but the trace has 5 status reads;',
    ],
    [
      'polls that are a text',
      waitOf(({ state, polls }) => ({ state, polls: `${polls}` })),
      'Wait for cmd-j3dgbkq39jf2 (step 2) returned polls that are no whole number: "5";',
    ],
    [
      'no polls',
      waitOf(({ state }) => ({ state })),
      'Wait for cmd-j3dgbkq39jf2 (step 2) returned polls that are no whole number: none;',
    ],
    [
      'a cancel that throws',
      but((good) => ({
        async cancel(rig, mission) {
          await good.cancel(rig, mission);
          throw new Thrown('stopped', 'refused');
        },
      })),
      'Cancel of cmd-5q2j63nsccfq (step 9) threw "Error: stopped".',
    ],
    [
      'a cancel that returns what cannot be passed on',
      but((good) => ({
        async cancel(rig, mission) {
          await good.cancel(rig, mission);
          return { $odd: 'function' };
        },
      })),
      'Cancel of cmd-5q2j63nsccfq (step 9) returned what is no plain value (function).',
    ],
    [
      'reads past the budget',
      but((good) => ({
        wait: (rig, mission) => good.wait(rig, mission, { maxPolls: 50 }),
      })),
      ' status reads with a budget of 1.',
    ],
  ])('%s', async (_, behaviour, text) => {
    const result = await run('nominal', behaviour);
    expect(broken(result)).toEqual([SHAPES]);
    expect(ruleOf(result, SHAPES).text).toContain(text);
    expect(ruleOf(result, SHAPES).sites.length).toBe(1);
  });

  it.each<[string, Json | undefined]>([
    ['no code', undefined],
    ['another code', 'declined'],
    ['a code that is no text', 422],
    ['a code that cannot be passed on', { $odd: 'getter' }],
  ])('a refusal with %s', async (_, code) => {
    const uncoded = but((good) => ({
      async dispatch(...args) {
        try {
          return await good.dispatch(...args);
        } catch (error) {
          throw new Thrown((error as Error).message, code);
        }
      },
    }));
    const result = await run('refused_order', uncoded);
    expect(broken(result)).toEqual([SHAPES]);
    expect(ruleOf(result, SHAPES)).toMatchObject({
      text: `Dispatch of cmd-j3dgbkq39jf2 (step 1) threw "Error: The target is closed to robots today" without the code "refused" or "unresolved".`,
      sites: [siteAt(60)],
    });
  });

  it('a thrown value that is no Error', async () => {
    const { evidence } = await run('refused_order', right());
    for (const { result } of evidence.steps) if (result?.kind === 'threw') result.error.isError = false;
    expect(broken(judge(evidence))).toEqual([SHAPES]);
  });

  it('nothing where there are further keys', async () => {
    const generous = but((good) => ({
      async inventory(rig) {
        return ((await good.inventory(rig)) as Record<string, Json>[]).map((entry) => ({
          ...entry,
          zone: null,
        }));
      },
      async wait(...args) {
        return { ...((await good.wait(...args)) as Record<string, Json>), note: 'there' };
      },
      async cancel(rig, mission) {
        await good.cancel(rig, mission);
        return { cancelled: true };
      },
    }));
    expect(broken(await run('nominal', generous))).toEqual([]);
  });
});

describe('status reads', () => {
  it('count as often as a row of the trace stands for several', async () => {
    const { evidence } = await run('nominal', right());
    const row = evidence.trace.findLast((each) => each.operation === 'getMission');
    if (row === undefined) throw new Error('no read');
    row.count = 3;
    expect(broken(judge(evidence))).toEqual([SHAPES]);
    for (const { step, result } of evidence.steps)
      if (step === row.step && result?.kind === 'returned') (result.value as { polls: number }).polls += 2;
    expect(broken(judge(evidence))).toEqual([]);
  });
});

describe('inventory_is_the_vendors', () => {
  const changed = (change: (entries: Record<string, Json>[]) => Json[]) =>
    but((good) => ({
      inventory: async (rig) => change((await good.inventory(rig)) as Record<string, Json>[]),
    }));

  it('is broken alone by an inventory that is remembered', async () => {
    let first: Json = null;
    const remembers = but((good) => ({
      async inventory(rig) {
        first ??= await good.inventory(rig);
        return first;
      },
    }));
    const result = await run('nominal', remembers);
    expect(broken(result)).toEqual([INVENTORY]);
    expect(ruleOf(result, INVENTORY).text).toBe(
      'The inventory (step 11) has r1 as idle with battery 95; the vendor has it as idle with battery 91; the inventory (step 11) has r2 as idle with battery 85; the vendor has it as idle with battery 80; the inventory (step 11) has r3 as idle with battery 74; the vendor has it as idle with battery 69.',
    );
  });

  it.each<[string, (entries: Record<string, Json>[]) => Json[], string]>([
    ['leaves a robot out', ([, ...others]) => others, 'lacks r1'],
    [
      'makes a robot up',
      (entries) => [...entries, { id: 'r9', status: 'idle', battery: 70 }],
      'lists r9, which the vendor does not have',
    ],
    [
      'lists a robot twice',
      (entries) => [...entries, ...entries.slice(0, 2)],
      'lists r1 and r2 more than once',
    ],
  ])('is broken alone by one that %s', async (_, change, text) => {
    const result = await run('nominal', changed(change));
    expect(broken(result)).toEqual([INVENTORY]);
    expect(ruleOf(result, INVENTORY).text).toBe(
      `The inventory (step 0) ${text}; the inventory (step 11) ${text}.`,
    );
  });

  it('is broken alone by idle for a robot in fault', async () => {
    const idle = () => changed((entries) => entries.map((entry) => ({ ...entry, status: 'idle' })));
    expect(broken(await run('nominal', idle()))).toEqual([]);
    const result = await run('robot_fault', idle());
    expect(broken(result)).toEqual([INVENTORY]);
    expect(ruleOf(result, INVENTORY).text).toMatch(
      /^The inventory \(step 11\) has (r\d) as idle with battery \d+; the vendor has it as fault with battery \d+\.$/,
    );
  });

  it('leaves an entry of the wrong shape to the shapes, named or not', async () => {
    const nameless = changed(([, ...others]) => [{ battery: 3 }, ...others]);
    expect(broken(await run('nominal', nameless))).toEqual([SHAPES]);
    const both = changed(([, , ...others]) => [{ battery: 3 }, ...others]);
    expect(broken(await run('nominal', both))).toEqual([SHAPES, INVENTORY]);
  });
});
