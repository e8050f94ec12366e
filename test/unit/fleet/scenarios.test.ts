import { describe, expect, it } from 'vitest';
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import { SCENARIOS } from '../../../shared/src/contracts/fleet/scenarios.ts';
import { nameless, repeating, right } from './behaviours.ts';
import { type Behaviour, broken, judged } from './rig.ts';

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed * 7919 + 7);

const [SHAPES, ONE, ENDED, REPORT] = [
  'kept_the_contracts_shapes',
  'one_order_per_command',
  'ended_as_it_should',
  'report_is_true',
];

/** What the nameless behaviour breaks; nothing elsewhere. */
const NAMELESS = new Map([
  ['lost_answer', [ONE]],
  ['twin_dispatch', [ONE]],
  ['forgetful_vendor', [ONE]],
  ['strangers_order', [ONE]],
  ['dropped_connection', [ENDED, REPORT]],
  ['server_error_after_accept', [ENDED, REPORT]],
  ['silent', [ENDED, REPORT]],
  ['slow_answer', [ENDED, REPORT]],
  ['wrong_mission', [ENDED, REPORT]],
  ['late_acceptance', [ONE, ENDED]],
  ['flapping_reads', [ENDED]],
  ['throttled', [SHAPES, ONE, ENDED, REPORT]],
]);
const REPEATING = new Map([
  ['forgetful_vendor', [ONE]],
  ['flapping_reads', [ENDED]],
]);

async function brokenUnderAll(scenario: string, behaviour: () => Behaviour): Promise<string[]> {
  const outcomes = new Set<string>();
  for (const seed of SEEDS)
    outcomes.add(JSON.stringify(broken(await judged(planOf(scenario, seed), behaviour()))));
  return [...outcomes];
}

describe.each(SCENARIOS.map((scenario) => scenario.id))('%s under 50 seeds', (scenario) => {
  it('a right behaviour holds every rule', async () => {
    expect(await brokenUnderAll(scenario, right)).toEqual(['[]']);
  });
  it('one that names nothing breaks exactly what it has to', async () => {
    expect(await brokenUnderAll(scenario, nameless)).toEqual([JSON.stringify(NAMELESS.get(scenario) ?? [])]);
  });
  it('one that repeats without looking breaks exactly what it has to', async () => {
    expect(await brokenUnderAll(scenario, repeating)).toEqual([
      JSON.stringify(REPEATING.get(scenario) ?? []),
    ]);
  });
});
