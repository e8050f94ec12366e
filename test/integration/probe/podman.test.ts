/** The sandbox on Podman: the same walls and the same verdicts as on Docker. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBaseImage } from '../../../scripts/base-image.mjs';
import type { ProbeResult } from '../../../shared/src/probe.ts';
import { exampleFolder, loadline, projectFolder, qualifyJson } from '../../support/loadline.ts';
import { PrivatePodman } from '../../support/privatePodman.ts';
import { table } from './support.ts';

const SCENARIOS = ['nominal', 'lost_answer', 'twin_dispatch'];
const podman = new PrivatePodman();
const project = projectFolder({
  'adapter-v3.js': readFileSync(join(exampleFolder, 'adapter-v3.js'), 'utf8'),
  'hog.js': 'const all = [];\nfor (;;) all.push(new Uint8Array(10_000_000).fill(1));\n',
});
const inProject = { cwd: project.folder, env: { XDG_CACHE_HOME: join(project.folder, '.cache') } };

beforeAll(async () => {
  await podman.start();
  await ensureBaseImage({ host: podman.host });
}, 120_000);

afterAll(async () => {
  await podman.remove();
  project.remove();
});

async function leftOnPodman(): Promise<number> {
  const docker = new Docker({ socketPath: podman.host.slice('unix://'.length) });
  return (await docker.listContainers({ all: true })).length;
}

test('every attempt of the probe is refused, under our own filter of system calls', async () => {
  const { code, stdout, stderr } = await loadline(
    ['probe', '--no-sign', '--json', '--host', podman.host],
    inProject,
  );
  if (stdout === '') throw new Error(`no JSON was printed: ${stderr}`);
  const result = JSON.parse(stdout) as ProbeResult;
  expect(table({ result })).toEqual([
    'refused_by_the_client: 29 29 0 0',
    'refused_by_the_broker: 118 118 0 0',
    'no_network: 30 30 0 0',
    'no_credential: 30 30 0 0',
    'no_host: 127 127 0 0',
    'the_vendor_saw_nothing: 5 5 0 0',
  ]);
  expect(result).toMatchObject({ runtime: 'runc', tier: 'container' });
  expect(result.rules.flatMap(({ notTried }) => notTried)).toEqual([]);
  expect(code).toBe(0);
  expect(await leftOnPodman()).toBe(0);
}, 240_000);

test('an adapter gets the same rules, calls and orders as on Docker', async () => {
  const ask = ['adapter-v3.js', ...SCENARIOS.flatMap((id) => ['--scenario', id])];
  const onPodman = await qualifyJson([...ask, '--host', podman.host], inProject);
  const onDocker = await qualifyJson(ask, inProject);
  const judged = ({ result }: typeof onPodman) =>
    result.adapters.flatMap(({ sha256, runs }) =>
      runs.map(({ scenario, verdict, rules, calls, orders, tier }) => ({
        ...{ sha256, scenario, verdict, rules, calls, orders, tier },
      })),
    );
  expect(onPodman.result.engine).toMatchObject({ name: 'Podman', runtime: 'runc', cannot: [] });
  expect(judged(onPodman)).toEqual(judged(onDocker));
  expect(judged(onPodman).map(({ verdict }) => verdict)).toEqual(['qualified', 'qualified', 'qualified']);
  expect(onPodman.code).toBe(0);
  expect(await leftOnPodman()).toBe(0);
}, 240_000);

test('of a guest that was killed it says what it knows, and no verdict is made', async () => {
  const ask = ['hog.js', '--scenario', 'nominal', '--host', podman.host];
  const { code, result } = await qualifyJson(ask, inProject);
  const runs = result.adapters.flatMap((adapter) => adapter.runs);
  expect([code, runs.map(({ verdict, reason }) => [verdict, reason])]).toEqual([2, [['not_run', 'engine']]]);
  expect(runs[0]?.message).toContain(
    'or something stopped it from outside; this Podman does not tell which.',
  );
  expect(await leftOnPodman()).toBe(0);
}, 60_000);

test('another runtime than the one that its service starts is refused before anything runs', async () => {
  const { code, stderr } = await loadline(
    ['probe', '--no-sign', '--runtime', 'runsc', '--host', podman.host],
    inProject,
  );
  expect(code).toBe(2);
  expect(stderr).toContain(`Podman at ${podman.host} starts "runc" whatever runtime is asked for`);
}, 60_000);
