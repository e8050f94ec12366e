import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import { planOf, trialPlan } from '../../../shared/src/contracts/fleet/plan.ts';
import { contractById, contractIds } from '../../../shared/src/contracts/index.ts';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import type { Evidence } from '../../../shared/src/evidence/evidence.ts';
import { judge } from '../../../shared/src/judge.ts';
import { nameless, right } from './behaviours.ts';
import { broken, judged } from './rig.ts';

const RULE_IDS = [
  'ran_to_the_end',
  'kept_the_contracts_shapes',
  'inventory_is_the_vendors',
  'one_order_per_command',
  'right_robot_and_target',
  'ended_as_it_should',
  'robot_at_the_target',
  'report_is_true',
];

const samples: Evidence[] = [];
beforeAll(async () => {
  samples.push((await judged(planOf('nominal', 7), right())).evidence);
  samples.push((await judged(planOf('throttled', 8), nameless())).evidence);
  samples.push((await judged(planOf('strangers_order', 9), right())).evidence);
  samples.push((await judged(planOf('robot_fault', 10), right())).evidence);
  samples.push((await judged(trialPlan(11, { faults: [], twin: 1 }), nameless())).evidence);
});

function copyOf(index: number): Evidence {
  return structuredClone(samples[index] ?? samples[0]) as Evidence;
}

/** A judgement of full form, or Unjudgeable with one sentence. */
function holdsForm(value: unknown): void {
  try {
    const judgement = judge(value as Evidence);
    expect(judgement.rules.map((rule) => rule.id)).toEqual(RULE_IDS);
    expect(judgement.verdict).toBe(judgement.rules.every((rule) => rule.held) ? 'qualified' : 'failed');
    for (const rule of judgement.rules) {
      expect(rule.text).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]+[.!?…]$/);
      expect(rule.text.length).toBeLessThanOrEqual(2_010);
    }
  } catch (error) {
    // A cause would be a fault of the judge itself.
    if (!(error instanceof Unjudgeable) || error.cause !== undefined) throw error;
    expect(error.message).toMatch(/^[A-Z][^\n]+\.$|^evidence[^\n]+\.$/);
  }
}

describe('any value', () => {
  it('gives a judgement or an error that is none', () => {
    fc.assert(fc.property(fc.anything(), holdsForm), { numRuns: 300 });
    for (const value of [null, undefined, 0, '', [], {}, { contract: 'fleet/1' }, { contract: '__proto__' }])
      expect(() => judge(value as unknown as Evidence)).toThrow(Unjudgeable);
  });

  it('does so with every part of real evidence replaced, removed or moved, one at a time', () => {
    const strange = fc.oneof(
      fc.constantFrom(null, '', '__proto__', 'constructor', '\u0007\u202e', -1, 0, 1, 7, 1e15, true, {}, []),
      fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text)),
    );
    fc.assert(
      fc.property(fc.nat(), fc.nat(), strange, fc.boolean(), (which, where, value, remove) => {
        const evidence = copyOf(which % samples.length);
        const places = placesIn(evidence);
        const [holder, key] = places[where % places.length] ?? [{}, ''];
        if (remove && Array.isArray(holder)) holder.splice(Number(key), 1);
        else if (remove) delete holder[key];
        else holder[key] = value;
        holdsForm(evidence);
      }),
      { numRuns: 1_500 },
    );
  });

  it('does so for evidence that has no end', () => {
    const evidence = copyOf(0);
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const [first] = evidence.steps;
    if (first?.result?.kind !== 'returned') throw new Error('no result');
    Object.assign(first.result, { value: loop });
    expect(() => judge(evidence)).toThrow('evidence.steps[0].result');
  });
});

/** Every property of every object and list inside, as [holder, key]. */
function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    [holder, key] as [Record<string, unknown>, string],
    ...placesIn(holder[key]),
  ]);
}

describe('evidence that contradicts itself', () => {
  it.each<[string, (evidence: Evidence) => void, string | RegExp]>([
    [
      'another contract',
      (evidence) => {
        evidence.contract = 'fleet/2';
      },
      'The evidence is of a contract that this version does not know.',
    ],
    [
      'a plan that allows more than its scenario',
      ({ plan }) => {
        for (const end of (plan as { ends: { mayBeUnresolved: boolean }[] }).ends) end.mayBeUnresolved = true;
      },
      'The plan is not the one that its scenario and seed give.',
    ],
    [
      'the plan of another seed',
      (evidence) => {
        evidence.plan = JSON.parse(JSON.stringify(planOf('nominal', 8)));
      },
      'Step 1 was not called as the plan and the steps before it ask for.',
    ],
    [
      'a scenario that is none',
      ({ plan }) => {
        (plan as { scenario: string }).scenario = 'calm';
      },
      'The plan is of a scenario that the fleet contract does not have.',
    ],
    [
      'a result that does not lead to the next step',
      ({ steps }) => {
        Object.assign(steps[1] ?? {}, { result: { kind: 'returned', value: 'm-other' } });
      },
      'Step 2 was not called as the plan and the steps before it ask for.',
    ],
    [
      'a step too many',
      ({ steps }) => {
        steps.push(...steps.slice(-1));
      },
      'The evidence has steps that the plan does not lead to.',
    ],
    [
      'steps in another order',
      ({ steps }) => {
        steps.reverse();
      },
      'Step 0 was not called as the plan and the steps before it ask for.',
    ],
    [
      'a result without its moment',
      ({ steps }) => {
        delete steps[0]?.ledgerTo;
      },
      'The record of step 0 does not say when its result came.',
    ],
    [
      'a moment after the end',
      ({ steps, ledger }) => {
        Object.assign(steps[0] ?? {}, { ledgerTo: ledger.length + 1 });
      },
      'The record of step 0 ends before it starts or after the ledger does.',
    ],
    [
      'a gap in the ledger',
      ({ ledger }) => {
        ledger.splice(3, 1);
      },
      'evidence.ledger[3].seq has to be 4.',
    ],
    [
      'an order that the ledger accepts twice',
      ({ ledger }) => {
        const order = ledger.find((row) => row.kind === 'order');
        ledger.push({ ...(order as (typeof ledger)[number]), seq: ledger.length + 1 });
      },
      /^evidence\.ledger\[\d+\] is not where order or credential belong\.$/,
    ],
    [
      'an order that was placed under another credential',
      ({ ledger }) => {
        Object.assign(ledger[2] ?? {}, { credential: 2 });
      },
      'evidence.ledger[2] is not where order or credential belong.',
    ],
    [
      'an order that becomes another',
      ({ ledger }) => {
        const row = ledger.find((each) => each.kind === 'start');
        Object.assign(row?.order ?? {}, { key: null });
      },
      /^evidence\.ledger\[\d+\]\.order is not the order that was accepted\.$/,
    ],
    [
      'an order without its state',
      ({ ledger }) => {
        const index = ledger.findIndex((row) => row.kind === 'order');
        delete ledger[index]?.order;
      },
      'evidence.ledger[2].order is missing.',
    ],
    [
      'a trace out of order',
      ({ trace }) => {
        trace.reverse();
      },
      /^evidence\.trace\[1\]\.seq has to be above \d+\.$/,
    ],
    [
      'a record that is not the ledger’s',
      ({ record }) => {
        record.orders.pop();
      },
      "The vendor's final record is not what its ledger leads to.",
    ],
    [
      'a word that is none',
      ({ ledger }) => {
        Object.assign(ledger[1] ?? {}, { kind: 'paid' });
      },
      'evidence.ledger[1].kind has to be one of opened, order, repeat, start, read, move, fault, refusal, cancel, end.',
    ],
  ])('%s', (_, change, message) => {
    const evidence = copyOf(0);
    change(evidence);
    expect(() => judge(evidence)).toThrow(Unjudgeable);
    expect(() => judge(evidence)).toThrow(message);
  });
});

describe('judging', () => {
  it('is the same for the same evidence, whatever the order of keys, and changes nothing', () => {
    for (const sample of samples) {
      const before = JSON.stringify(sample);
      const judgement = judge(sample);
      expect(judge(reversed(sample) as Evidence)).toEqual(judgement);
      expect(JSON.stringify(sample)).toBe(before);
    }
  });

  it('takes a trial by its own plan', () => {
    expect(broken(judge(copyOf(4)))).toEqual(['one_order_per_command']);
  });
});

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('the contract', () => {
  it('is found by its id alone', () => {
    expect(contractIds).toEqual(['fleet/1']);
    expect(contractById('fleet/1')).toBe(fleet);
    for (const id of ['fleet/2', 'fleet', '', '__proto__', 'constructor'])
      expect(contractById(id)).toBeUndefined();
  });

  it('names its exports, scenarios and rules', () => {
    expect(fleet.version).toBe('fleet/1.0');
    expect(fleet.exports.map((each) => each.name)).toEqual(['inventory', 'dispatch', 'wait', 'cancel']);
    expect(fleet.scenarios).toHaveLength(16);
    expect(fleet.rules.map((rule) => rule.id)).toEqual(RULE_IDS);
    for (const { aimsAt } of fleet.scenarios)
      expect(fleet.exports.map((each) => each.name)).toContain(aimsAt);
    for (const { title } of fleet.scenarios) expect(title).toMatch(/^[A-Z].*\.$/);
  });
});
