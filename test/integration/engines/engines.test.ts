/** Runs spread over three engines: what becomes of them when one is lost, cannot be reached, or differs. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { atAttached } from '../faults/phases.ts';
import { onEngine, ThreeEngines } from './world.ts';

const world = new ThreeEngines();
const verdicts = join(world.folder, 'adapter.verdicts.jsonl');
/** What each run did to the vendor where nothing was lost. */
const undisturbed = new Map<string, unknown>();

beforeAll(async () => {
  await world.open();
  const { code, runs } = await world.qualify(world.hosts);
  expect([code, runs.length]).toEqual([0, 16]);
  for (const run of runs) undisturbed.set(run.scenario, onLedger(run));
  expect(new Set(runs.map(({ host }) => host))).toEqual(new Set(world.hosts));
});
afterAll(() => world.close());

function onLedger({ orders, calls, perOperation }: RunResult): unknown {
  return { orders, calls, perOperation };
}

/** Times, nonce, credential and key differ from run to run. */
function withoutRun({ predicate, ...statement }: VerdictStatement): string {
  return JSON.stringify({ ...statement, predicate: { ...predicate, run: null } });
}

function signed(file = verdicts): VerdictStatement[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).statement);
}

function ends(runs: readonly RunResult[]) {
  return runs.map(({ verdict, reason, mayHaveRun }) => [verdict, reason, mayHaveRun]);
}

const HELD = ['qualified', undefined, undefined];

/** Kills the second engine as soon as that has come, and does not let it pass. */
async function killSecondAt(moment: Parameters<typeof world.gate.holdAt>[0], ...args: string[]) {
  const held = world.gate.holdAt(moment);
  const asked = world.qualify(world.hosts, ...args);
  await Promise.race([held.reached, asked]);
  await world.second.stop('SIGKILL');
  held.release(false);
  return asked;
}

test('a verdict file over three engines is whole', async () => {
  expect((await world.loadline(['verify', 'adapter.verdicts.jsonl'])).code).toBe(0);
  expect(signed().length).toBe(17);
});

test('three shards, by a key and on an engine each, make the file that one qualification makes', async () => {
  const shards = await Promise.all(
    world.hosts.map(async (host, index) => {
      const person = `shard-${index + 1}`;
      const { code } = await world.qualifyShard(host, `${index + 1}/3`, person);
      const { stdout } = await world.loadline(['keys', 'export'], person);
      return { code, file: `adapter.${person}-of-3.verdicts.jsonl`, keys: JSON.parse(stdout).keys };
    }),
  );
  expect(shards.map(({ code }) => code)).toEqual([0, 0, 0]);
  const one = await world.loadline(['verify', shards[0]?.file ?? '']);
  expect([one.code, one.stdout.includes('partial')]).toEqual([1, true]);

  const files = shards.map(({ file }) => file);
  const gap = await world.loadline(['merge', ...files.slice(1), '--out', 'merged.verdicts.jsonl']);
  expect([gap.code, gap.stdout]).toEqual([1, expect.stringContaining('  x partial: There is no line of ')]);

  const { code, stdout } = await world.loadline(['merge', ...files, '--out', 'merged.verdicts.jsonl']);
  expect([code, stdout]).toEqual([
    0,
    'merged.verdicts.jsonl: 16 verdict lines from 3 files; it says qualified\n',
  ]);
  const merged = join(world.folder, 'merged.verdicts.jsonl');
  expect(signed(merged).slice(0, -1).map(withoutRun)).toEqual(signed().slice(0, -1).map(withoutRun));

  const own = JSON.parse((await world.loadline(['keys', 'export'])).stdout);
  const keys = [...own.keys, ...shards.flatMap((shard) => shard.keys)];
  writeFileSync(join(world.home, 'keys.json'), JSON.stringify({ keys }));
  const trusted = ['--trusted', join(world.home, 'keys.json'), '--adapter', 'adapter.js', '--json'];
  const verified = await world.loadline(['verify', 'merged.verdicts.jsonl', ...trusted]);
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
    0,
    { verified: true, trusted: true, lines: 16, verdict: 'qualified', failures: [] },
  ]);
});

test('of an engine that is killed in the middle, the run under way is not judged, and all others are', async () => {
  rmSync(verdicts);
  const { code, runs, stderr } = await killSecondAt(atAttached('down', /"method":"call"/));
  const lost = runs.filter(({ host }) => host === world.gate.host);
  expect([code, ends(lost)]).toEqual([2, [['not_run', 'engine', true]]]);
  const others = runs.filter((run) => !lost.includes(run));
  expect(ends(others)).toEqual(Array(15).fill(HELD));
  for (const run of others) expect(onLedger(run)).toEqual(undisturbed.get(run.scenario));
  expect(stderr.split('\n').filter((line) => line.includes('takes no more runs')).length).toBe(1);
  expect(signed().map(({ predicate }) => predicate.inputs?.scenario)).toEqual([
    ...others.map(({ scenario }) => scenario),
    undefined,
  ]);
  expect((await world.loadline(['verify', 'adapter.verdicts.jsonl'])).stdout).toContain('it says partial');
  expect(await world.containers(world.first)).toBe(0);
  expect(await world.containers(world.third)).toBe(0);
});

test('what was left on it is removed when it is back', async () => {
  (await world.second.start()).close();
  // The run's own, and up to two that were begun ahead.
  expect([1, 2, 3]).toContain(await world.containers(world.second));
  const { code } = await world.qualify(world.hosts, '--no-sign', '--scenario', 'nominal');
  expect([code, await world.containers(world.second)]).toEqual([0, 0]);
});

test('a run of which nothing had run goes to another engine, once', async () => {
  const started = { direction: 'down', request: /^POST \S*\/containers\/\w+\/start/ } as const;
  const { code, runs, stderr } = await killSecondAt(started);
  expect([code, ends(runs)]).toEqual([0, Array(16).fill(HELD)]);
  for (const run of runs) expect(onLedger(run)).toEqual(undisturbed.get(run.scenario));
  expect(new Set(runs.map(({ host }) => host))).toEqual(new Set([world.first.host, world.third.host]));
  expect(stderr).toContain(`loadline: The engine ${world.gate.host} takes no more runs. `);
  expect(await world.containers(world.first)).toBe(0);
  expect(await world.containers(world.third)).toBe(0);
});

test('an engine that cannot be reached is said in one sentence, and the others go on', async () => {
  const { code, runs, stderr } = await world.qualify(world.hosts, '--no-sign', '--scenario', 'nominal');
  expect([code, ends(runs)]).toEqual([0, [HELD]]);
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining(`loadline: The engine ${world.gate.host} is left out. `),
  ]);
});

test('where none can be reached nothing runs', async () => {
  const hosts = ['unix:///nowhere/one.sock', 'unix:///nowhere/two.sock'];
  const { code, runs } = await world.qualify(hosts, '--no-sign', '--scenario', 'nominal');
  expect([code, ends(runs)]).toEqual([2, [['not_run', 'engine', false]]]);
  for (const host of hosts) expect(runs[0]?.message).toContain(`there is no socket at ${host}`);
});

test('an engine with another base image is left out', async () => {
  await onEngine(world.third, async ({ docker }) => {
    const container = await docker.createContainer({ Image: 'node:22-slim', Cmd: ['node'] });
    await container.commit({ repo: 'node', tag: '22-slim', changes: 'LABEL other=yes' });
    await container.remove();
  });
  const hosts = [world.first.host, world.third.host];
  const { code, runs, stderr } = await world.qualify(hosts, '--no-sign', '--scenario', 'nominal');
  expect([code, ends(runs)]).toEqual([0, [HELD]]);
  expect(stderr.trimEnd()).toBe(
    `loadline: The engine ${world.third.host} is left out: its base image is not that of ${world.first.host}, and one verdict file holds runs of one environment. Make them alike, or name the other ones in a qualification of their own.`,
  );
});
