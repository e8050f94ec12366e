/** Exploration on a real engine: nothing is found in the right adapter, and each planted defect is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  containersLeft,
  exampleFolder,
  loadline,
  projectFolder,
  qualifyJson,
} from '../../support/loadline.ts';

interface Explored {
  code: number | null;
  trials: number;
  covered: string[];
  findings: { rules: string[]; fault: string; confirmed: boolean }[];
  problem?: { reason: string };
}

function example(file: string): string {
  return readFileSync(join(exampleFolder, file), 'utf8');
}

const right = example('adapter-v3.js');

/** adapter-v3 with one thing wrong. */
function planted(...changes: [string, string][]): string {
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`The example does not hold this once: ${from}`);
    return text.replace(from, () => to);
  }, right);
}

/** Wrong in ways that none of the sixteen scenarios shows. */
const DEFECTS = {
  'adapter-cancel-once.js': {
    text: planted([
      'await patiently(() => fleet.cancelMission(missionId));',
      'await fleet.cancelMission(missionId);',
    ]),
    fault: /1st cancelMission in the cancel of the 4th command/,
    rule: 'kept_the_contracts_shapes',
  },
  'adapter-inventory-once.js': {
    text: planted([
      'async inventory() {\n    const { robots } = await patiently(() => fleet.listRobots());',
      'async inventory() {\n    const { robots } = await fleet.listRobots();',
    ]),
    fault: /1st listRobots of the (first|last) inventory/,
    rule: 'kept_the_contracts_shapes',
  },
  'adapter-read-or-throw.js': {
    text: planted([
      'pause = pauseAfter(error, 1);',
      'if (error.status === 502) throw error;\n        pause = pauseAfter(error, 1);',
    ]),
    fault:
      /getMission in the wait for the \w+ command (is handled, and the connection closes|finds no connection)/,
    rule: 'kept_the_contracts_shapes',
  },
  'adapter-no-line-no-order.js': {
    // No connection is taken for the end of it.
    text: planted([
      'const over = isOver(attempt);',
      "const over = isOver(attempt) || (error.status === 502 && error.sent === 'no');",
    ]),
    fault: /createMission in the dispatch of the \w+ command finds no connection/,
    rule: 'one_order_per_command',
  },
} as const;

const project = projectFolder({
  'adapter-v3.js': right,
  ...Object.fromEntries(Object.entries(DEFECTS).map(([name, { text }]) => [name, text])),
  ...Object.fromEntries(
    readdirSync(join(exampleFolder, 'broken'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => [name, example(`broken/${name}`)]),
  ),
});
afterAll(() => project.remove());

async function explore(file: string, ...flags: string[]): Promise<Explored> {
  const path = join(project.folder, file);
  const { code, stdout, stderr } = await loadline(['explore', path, '--json', '--seed', '7', ...flags]);
  if (stdout === '') throw new Error(stderr);
  return { code, ...JSON.parse(stdout) };
}

test('adapter-v3 holds every rule under every single, world, burst and pair', async () => {
  const { code, findings, covered, problem } = await explore(
    'adapter-v3.js',
    ...['--faults', '2', '--trials', '2600', '--budget', '1200'],
  );
  expect({ code, findings, problem }).toEqual({ code: 0, findings: [], problem: undefined });
  expect(covered.slice(0, 3)).toEqual([
    'all 154 single faults',
    'all 71 world events with a fault of a create',
    'all 288 faults of two to five calls in a row',
  ]);
  expect(covered[3]).toMatch(/^all \d+ pairs of faults within a step$/);
  expect(covered[4]).toMatch(/^[1-9]\d* schedules at chance, of two to four faults$/);
  expect(await containersLeft()).toEqual([]);
}, 1_500_000);

describe('defects that no fixed scenario shows', () => {
  test.each(Object.entries(DEFECTS))(
    '%s',
    async (file, { fault, rule }) => {
      const { result } = await qualifyJson([join(project.folder, file), '--seed', '7']);
      expect(result.adapters.map(({ verdict }) => verdict)).toEqual(['qualified']);
      const { code, findings } = await explore(file, ...SINGLES);
      expect(code).toBe(1);
      const found = findings.filter((each) => fault.test(each.fault) && each.rules.includes(rule));
      expect(found.map(({ confirmed }) => confirmed)).toContain(true);
    },
    600_000,
  );
});

/** The nominal run and every single fault; every world event with a fault of a create too. */
const SINGLES = ['--trials', '155', '--budget', '500'];
const WORLDS = ['--trials', '226', '--budget', '500'];
/** Not wrong as long as nobody else gives orders and no robot breaks down. */
const IN_WORLDS = new Set(['adopts-any-mission', 'swallows-a-fault']);

/** Rules that each broken example breaks in the matrix: exploration finds one of them without being told a scenario. */
const BROKEN: Record<string, string> = {
  'never-retries': 'one_order_per_command',
  'gives-up-early': 'one_order_per_command',
  'fresh-name-each-time': 'one_order_per_command',
  'says-refused-when-silent': 'report_is_true',
  'swallows-a-fault': 'report_is_true',
  'adopts-any-mission': 'report_is_true',
  'reports-idle-always': 'inventory_is_the_vendors',
  'remembers-inventory': 'inventory_is_the_vendors',
  'polls-for-ever': 'kept_the_contracts_shapes',
  'uncounted-reads': 'kept_the_contracts_shapes',
  'waits-too-short': 'ended_as_it_should',
  'cancels-nothing': 'ended_as_it_should',
  'dispatches-to-the-first-robot': 'right_robot_and_target',
  'wrong-target': 'right_robot_and_target',
  'retries-a-refusal': 'report_is_true',
  'uncoded-refusal': 'kept_the_contracts_shapes',
  'returns-numbers-as-strings': 'kept_the_contracts_shapes',
  hangs: 'ran_to_the_end',
};

describe('the broken examples', () => {
  test('each of them is tried', () => {
    const names = readdirSync(join(exampleFolder, 'broken')).flatMap(
      (name) => /^adapter-(.*)\.js$/.exec(name)?.[1] ?? [],
    );
    expect(names.sort()).toEqual(Object.keys(BROKEN).sort());
  });

  test.each(Object.entries(BROKEN))(
    '%s',
    async (name, rule) => {
      const { findings } = await explore(`adapter-${name}.js`, ...(IN_WORLDS.has(name) ? WORLDS : SINGLES));
      expect(findings.flatMap(({ rules, confirmed }) => (confirmed ? rules : []))).toContain(rule);
    },
    600_000,
  );
});
