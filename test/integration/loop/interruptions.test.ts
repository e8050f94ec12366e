/** Ctrl-C and killed processes: nothing is reported as passed, nothing is left behind. */
import { readFileSync } from 'node:fs';
import Docker from 'dockerode';
import { afterEach, expect, test } from 'vitest';
import type { QualifyResult } from '../../../shared/src/results.ts';
import {
  containersLeft,
  isAlive,
  loadline,
  projectFolder,
  type Started,
  startLoadline,
} from '../../support/loadline.ts';

/** In the middle of `nominal` it works for ever, so that there is a middle to interrupt. */
const BUSY = `module.exports = {
  async inventory() { for (;;); },
  async dispatch() {}, async wait() {}, async cancel() {},
};`;

const opened: { remove(): void }[] = [];
afterEach(() => {
  for (const project of opened.splice(0)) project.remove();
});

/** Starts a qualification and resolves when its adapter has been busy for a while. */
async function startBusy(): Promise<Started> {
  const project = projectFolder({ 'adapter.js': BUSY });
  opened.push(project);
  const started = startLoadline(['qualify', '--json', '--no-sign', '--jobs', '1', 'adapter.js'], {
    cwd: project.folder,
  });
  await until(async () => (await cpuTimes()).some((nanoseconds) => nanoseconds > 1e9));
  return started;
}

/** CPU time used by each running container of ours, ns: more than a second is no start-up, it is the adapter. */
async function cpuTimes(): Promise<number[]> {
  const docker = new Docker();
  const list = await docker.listContainers({ filters: { label: ['loadline.owner'], status: ['running'] } });
  return Promise.all(
    list.map(async ({ Id }) => {
      const stats = await docker.getContainer(Id).stats({ stream: false, 'one-shot': true });
      return stats.cpu_stats?.cpu_usage?.total_usage ?? 0;
    }),
  );
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function children(pid: number | undefined): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function outcomes(stdout: string): unknown[] {
  const { adapters }: QualifyResult = JSON.parse(stdout);
  return (adapters[0]?.runs ?? []).map(({ verdict, reason, mayHaveRun }) => [verdict, reason, mayHaveRun]);
}

test('Ctrl-C ends the runs under way, says that nothing was judged, and leaves no container', async () => {
  const { child, finished } = await startBusy();
  const [runner = 0] = children(child.pid);
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect(code).toBe(2);
  expect(outcomes(stdout)).toEqual([
    ['not_run', 'cancelled', true],
    ...Array(15).fill(['not_run', 'cancelled', false]),
  ]);
  expect(await containersLeft()).toEqual([]);
  expect(isAlive(runner)).toBe(false);
});

test('a runner that is killed is never a pass: its runs may have run, and its containers end', async () => {
  const { child, finished } = await startBusy();
  const [runner = 0] = children(child.pid);
  process.kill(runner, 'SIGKILL');
  const { code, stdout } = await finished;
  expect(code).toBe(2);
  expect(outcomes(stdout)).toEqual(Array(16).fill(['not_run', 'runner', true]));
  // What the killed one left has ended with its stdin; the next start sweeps it away.
  const project = projectFolder({ 'adapter.js': 'module.exports = 1;' });
  opened.push(project);
  await loadline(['qualify', '--no-sign', 'adapter.js'], { cwd: project.folder });
  expect(await containersLeft()).toEqual([]);
});

test('a command line that is killed takes its runner and its containers along', async () => {
  const { child, finished } = await startBusy();
  const [runner = 0] = children(child.pid);
  child.kill('SIGKILL');
  await finished;
  await until(async () => !isAlive(runner) && (await containersLeft()).length === 0);
  expect([isAlive(runner), await containersLeft()]).toEqual([false, []]);
});
