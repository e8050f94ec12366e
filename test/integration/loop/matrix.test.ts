/** Every example adapter in every scenario: exactly these rules are broken at seed 7, and no others. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdapterResult } from '../../../shared/src/results.ts';
import { containersLeft, exampleFolder, type Qualified, qualifyJson } from '../../support/loadline.ts';

const RULES: Record<string, string> = {
  ran_to_the_end: 'ran',
  kept_the_contracts_shapes: 'shapes',
  inventory_is_the_vendors: 'inventory',
  one_order_per_command: 'one_order',
  right_robot_and_target: 'target',
  ended_as_it_should: 'ended',
  robot_at_the_target: 'at_target',
  report_is_true: 'report',
};

const SCENARIOS = [
  'nominal',
  'robot_fault',
  'overload',
  'lost_answer',
  'dropped_connection',
  'server_error_after_accept',
  'refused_order',
  'silent',
  'slow_answer',
  'late_acceptance',
  'twin_dispatch',
  'forgetful_vendor',
  'strangers_order',
  'wrong_mission',
  'flapping_reads',
  'throttled',
];

/** Rules broken per scenario; `others`: in every scenario that is not named. */
const MATRIX: Record<string, { others: string; [scenario: string]: string }> = {
  'adapter-v1.js': {
    others: 'ended report',
    nominal: '',
    robot_fault: '',
    overload: '',
    lost_answer: 'one_order',
    refused_order: '',
    late_acceptance: 'one_order ended',
    twin_dispatch: 'one_order',
    forgetful_vendor: 'one_order',
    strangers_order: 'one_order',
    flapping_reads: 'ended',
    throttled: 'shapes one_order ended report',
  },
  'adapter-v2.js': { others: '', forgetful_vendor: 'one_order', flapping_reads: 'ended' },
  'adapter-v3.js': { others: '' },
  'broken/adapter-adopts-any-mission.js': { others: '', strangers_order: 'ended report' },
  'broken/adapter-cancels-nothing.js': { others: 'ended', forgetful_vendor: 'one_order ended' },
  'broken/adapter-dispatches-to-the-first-robot.js': {
    others: 'target',
    forgetful_vendor: 'one_order target',
  },
  'broken/adapter-fresh-name-each-time.js': {
    others: 'one_order',
    nominal: '',
    robot_fault: '',
    overload: '',
    refused_order: '',
    late_acceptance: 'one_order ended',
    wrong_mission: '',
    flapping_reads: '',
    throttled: '',
  },
  'broken/adapter-gives-up-early.js': { others: '', overload: 'one_order', forgetful_vendor: 'one_order' },
  'broken/adapter-hangs.js': { others: 'ran', forgetful_vendor: 'ran one_order' },
  'broken/adapter-never-retries.js': {
    others: '',
    overload: 'one_order',
    lost_answer: 'one_order ended',
    dropped_connection: 'ended',
    server_error_after_accept: 'ended',
    refused_order: 'report',
    slow_answer: 'ended',
    late_acceptance: 'one_order ended',
    forgetful_vendor: 'one_order',
    strangers_order: 'one_order ended',
    throttled: 'one_order',
  },
  'broken/adapter-polls-for-ever.js': { others: 'shapes', forgetful_vendor: 'shapes one_order' },
  'broken/adapter-remembers-inventory.js': { others: 'inventory', forgetful_vendor: 'inventory one_order' },
  'broken/adapter-reports-idle-always.js': {
    others: '',
    robot_fault: 'inventory',
    silent: 'inventory',
    forgetful_vendor: 'one_order',
  },
  'broken/adapter-retries-a-refusal.js': {
    others: '',
    refused_order: 'report',
    forgetful_vendor: 'one_order',
  },
  'broken/adapter-returns-numbers-as-strings.js': { others: 'shapes', forgetful_vendor: 'shapes one_order' },
  'broken/adapter-says-refused-when-silent.js': {
    others: '',
    silent: 'ended report',
    forgetful_vendor: 'one_order',
  },
  'broken/adapter-swallows-a-fault.js': { others: '', robot_fault: 'report', forgetful_vendor: 'one_order' },
  'broken/adapter-uncoded-refusal.js': { others: '', refused_order: 'shapes', forgetful_vendor: 'one_order' },
  'broken/adapter-uncounted-reads.js': {
    others: '',
    forgetful_vendor: 'one_order',
    wrong_mission: 'shapes',
    flapping_reads: 'shapes',
    throttled: 'shapes',
  },
  'broken/adapter-waits-too-short.js': { others: 'ended', forgetful_vendor: 'one_order ended' },
  'broken/adapter-wrong-target.js': {
    others: 'target at_target',
    forgetful_vendor: 'one_order target at_target',
  },
};

let qualified: Qualified;

beforeAll(async () => {
  qualified = await qualifyJson(['--seed', '7', ...Object.keys(MATRIX)], { cwd: exampleFolder });
}, 900_000);

afterAll(async () => expect(await containersLeft()).toEqual([]));

function broken(adapter: AdapterResult | undefined): Record<string, string> {
  const rows = (adapter?.runs ?? []).map(({ scenario, rules }) => [
    scenario,
    rules
      .filter((rule) => !rule.held)
      .map((rule) => RULES[rule.id])
      .join(' '),
  ]);
  return Object.fromEntries(rows);
}

function expected(name: string): Record<string, string> {
  const row = MATRIX[name];
  return Object.fromEntries(SCENARIOS.map((scenario) => [scenario, row?.[scenario] ?? row?.others ?? '']));
}

test('the matrix names every example adapter', () => {
  const inFolder = readdirSync(exampleFolder).filter((name) => /^adapter-.*\.js$/.test(name));
  const brokenOnes = readdirSync(`${exampleFolder}/broken`).map((name) => `broken/${name}`);
  expect(Object.keys(MATRIX).sort()).toEqual([...inFolder, ...brokenOnes].sort());
});

describe('at seed 7', () => {
  test.each(Object.keys(MATRIX))('%s', (name) => {
    const adapter = qualified.result.adapters.find(({ file }) => file === name);
    expect(broken(adapter)).toEqual(expected(name));
    for (const run of adapter?.runs ?? [])
      expect(run.rules.map((rule) => rule.id)).toEqual(Object.keys(RULES));
  });

  test('exit code and verdicts follow: one adapter is qualified', () => {
    expect(qualified.code).toBe(1);
    const right = qualified.result.adapters.filter(({ verdict }) => verdict === 'qualified');
    expect(right.map(({ file }) => file)).toEqual(['adapter-v3.js']);
  });

  test('every rule but robot_at_the_target is broken alone by some adapter', () => {
    const alone = new Set(Object.values(MATRIX).flatMap((row) => Object.values(row)));
    const rules = Object.values(RULES).filter((rule) => rule !== 'at_target');
    expect(rules.filter((rule) => !alone.has(rule))).toEqual([]);
    expect(alone.has('at_target')).toBe(false);
  });

  test('every run names the orders on the ledger and has a credential of its own', () => {
    const runs = qualified.result.adapters.flatMap((adapter) => adapter.runs);
    expect(runs).toHaveLength(21 * 16);
    expect(new Set(runs.map((run) => run.credential)).size).toBe(21 * 16);
    const orders = (name: string, scenario: string) =>
      qualified.result.adapters
        .find(({ file }) => file === name)
        ?.runs.find((run) => run.scenario === scenario)?.orders;
    expect(orders('adapter-v3.js', 'lost_answer')).toBe(4);
    expect(orders('adapter-v1.js', 'lost_answer')).toBe(5);
    expect(orders('adapter-v3.js', 'refused_order')).toBe(3);
    expect(orders('broken/adapter-fresh-name-each-time.js', 'silent')).toBe(15);
  });
});
