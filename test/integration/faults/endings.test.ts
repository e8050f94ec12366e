/** Ends that nobody's death brings: a cancel while the sandbox is set up, an engine that stops or refuses, a kill from outside. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QualifyResult, RunResult } from '../../../shared/src/results.ts';
import { startLoadline } from '../../support/loadline.ts';
import { engineProxy, temporaryFolder } from '../sandbox/support.ts';
import type { Moment } from './gate.ts';
import { atAttached } from './phases.ts';
import { World } from './world.ts';

const world = new World();
beforeAll(() => world.open());
afterAll(() => world.close());

type Ending = [code: number | null, runs: unknown[]];

function endings(stdout: string, each: (run: RunResult) => unknown): unknown[] {
  const { adapters }: QualifyResult = JSON.parse(stdout);
  return (adapters[0]?.runs ?? []).map(each);
}

/** What becomes of a run to which that is done at that moment; `while`: it ends before the moment is over. */
async function ending(
  moment: Moment,
  doIt: (cli: { kill(signal: NodeJS.Signals): unknown }) => unknown,
  release: 'while' | 'after' = 'after',
): Promise<Ending> {
  const { gate, folder, env } = world;
  const held = gate.holdAt(moment);
  const args = ['qualify', '--json', '--no-sign', '--scenario', 'nominal', '--jobs', '1'];
  const { child, finished } = startLoadline([...args, '--host', gate.host, 'adapter.js'], {
    cwd: folder,
    env,
  });
  await Promise.race([held.reached, finished]);
  await doIt(child);
  if (release === 'after') held.release(true);
  const { code, stdout } = await finished;
  if (release === 'while') held.release(true);
  return [code, endings(stdout, ({ verdict, reason, mayHaveRun }) => [verdict, reason, mayHaveRun])];
}

const CANCELLED: Ending = [2, [['not_run', 'cancelled', false]]];
const ENGINE: Ending = [2, [['not_run', 'engine', true]]];
const BUILD: Moment = { direction: 'up', request: /^POST \S*\/build/ };
const PREFLIGHT: Moment = { direction: 'down', request: /^POST \S*\/containers\/\w+\/wait/ };
const MID_STEP = atAttached('down', /"method":"call"/);

test('a cancel is heard while the image is built', async () => {
  expect(await ending(BUILD, (cli) => cli.kill('SIGINT'), 'while')).toEqual(CANCELLED);
  expect(await world.containers()).toEqual([]);
});

test('a cancel is heard during preflight', async () => {
  expect(await ending(PREFLIGHT, (cli) => cli.kill('SIGINT'), 'while')).toEqual(CANCELLED);
  expect(await world.containers()).toEqual([]);
});

test('a guest that is killed through the engine is not judged', async () => {
  const kill = async () => {
    const docker = new Docker({ socketPath: world.daemon.host.replace('unix://', '') });
    const [running] = await docker.listContainers();
    await docker.getContainer(running?.Id ?? '').kill();
  };
  expect(await ending(MID_STEP, kill)).toEqual(ENGINE);
});

test('an engine that is stopped in order, too, is no verdict on the adapter', async () => {
  expect(await ending(MID_STEP, () => world.daemon.stop('SIGTERM'))).toEqual(ENGINE);
  (await world.daemon.start()).close();
});

test('an engine that cannot start containers is asked once, and every scenario says why', async () => {
  const folder = temporaryFolder();
  const proxy = await engineProxy(folder.path);
  const run = async (...more: string[]) => {
    const args = ['qualify', '--json', '--no-sign', '--host', proxy.host, ...more, 'adapter.js'];
    const { code, stdout } = await startLoadline(args, { cwd: world.folder, env: world.env }).finished;
    return [
      code,
      endings(stdout, ({ verdict, message, tier, startedAt }) => [verdict, message, tier, startedAt]),
    ];
  };
  const [ready] = await run('--scenario', 'nominal');
  expect(ready).toBe(0);
  const isCreation = ({ path }: { path: string }) => path.endsWith('/containers/create');
  proxy.before = (request) =>
    isCreation(request) ? { status: 500, body: { message: 'the engine is not well' } } : undefined;
  const before = proxy.requests.filter(isCreation).length;
  const message = 'The engine could not start the sandbox: the engine is not well.';
  expect(await run()).toEqual([2, Array(16).fill(['not_run', message, null, undefined])]);
  expect(proxy.requests.filter(isCreation).length).toBe(before + 1);
  await proxy.close();
  folder.remove();
});
