/** An engine of the test's own: killed in the middle of a run, and without a base image. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBaseImage } from '../../../scripts/base-image.mjs';
import { connectEngine } from '../../../server/src/sandbox/engine.ts';
import type { QualifyResult } from '../../../shared/src/results.ts';
import { containersLeft, projectFolder, qualifyJson, startLoadline } from '../../support/loadline.ts';
import { PrivateEngine } from '../../support/privateEngine.ts';

const BUSY = `module.exports = {
  async inventory() { for (;;); },
  async dispatch() {}, async wait() {}, async cancel() {},
};`;

const daemon = new PrivateEngine();
const project = projectFolder({ 'adapter.js': BUSY });

beforeAll(async () => {
  (await daemon.start()).close();
});
afterAll(async () => {
  await daemon.remove();
  project.remove();
});

test('without a base image nothing runs, and the message says what to do', async () => {
  const { code, result } = await qualifyJson(['adapter.js', '--scenario', 'nominal', '--host', daemon.host], {
    cwd: project.folder,
  });
  const run = result.adapters[0]?.runs[0];
  expect([code, run?.verdict, run?.reason, run?.mayHaveRun]).toEqual([2, 'not_run', 'image', false]);
  expect(run?.message).toContain('docker pull node:22-slim');
});

test('an engine that is killed in the middle is no verdict, and its return leaves nothing behind', async () => {
  const [host, own] = [await connectEngine(), await connectEngine({ host: daemon.host })];
  const base = await ensureBaseImage();
  await daemon.loadBase(host, own, (await host.docker.getImage(base).inspect()).Id);
  host.close();
  const args = [
    'qualify',
    '--json',
    '--no-sign',
    '--jobs',
    '1',
    '--scenario',
    'nominal',
    '--host',
    daemon.host,
  ];
  const { finished } = startLoadline([...args, 'adapter.js'], { cwd: project.folder });
  while (!(await isBusy(own))) await new Promise((resolve) => setTimeout(resolve, 50));
  own.close();
  await daemon.stop('SIGKILL');
  const { code, stdout } = await finished;
  const result: QualifyResult = JSON.parse(stdout);
  const run = result.adapters[0]?.runs[0];
  expect([code, run?.verdict, run?.reason, run?.mayHaveRun]).toEqual([2, 'not_run', 'engine', true]);
  expect(run?.message).toContain('The engine was lost during the run');

  (await daemon.start()).close();
  const again = await qualifyJson(['adapter.js', '--scenario', 'nominal', '--host', daemon.host], {
    cwd: project.folder,
  });
  expect([again.code, again.result.adapters[0]?.runs[0]?.verdict]).toEqual([1, 'failed']);
  const back = await connectEngine({ host: daemon.host });
  expect(await containersLeft(back.docker)).toEqual([]);
  back.close();
});

/** More than a second of CPU time is no start-up any more: the adapter is at work. */
async function isBusy({ docker }: Awaited<ReturnType<typeof connectEngine>>): Promise<boolean> {
  const list = await docker.listContainers({ filters: { label: ['loadline.owner'] } });
  const used = await Promise.all(
    list.map(({ Id }) => docker.getContainer(Id).stats({ stream: false, 'one-shot': true })),
  );
  return used.some((stats) => (stats.cpu_stats?.cpu_usage?.total_usage ?? 0) > 1e9);
}
