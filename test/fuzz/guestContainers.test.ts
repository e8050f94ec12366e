/**
 * Hostile guests in real containers, each conducted by the real runner: none is ever qualified, none harms the runner,
 * none is left behind.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine, type Engine } from '../../server/src/sandbox/engine.ts';
import { countOwned, removeOwned } from '../../server/src/sandbox/sweep.ts';
import type { RunResult } from '../../shared/src/results.ts';
import { temporaryFolder, testOwner } from '../integration/sandbox/support.ts';
import { root } from '../support/loadline.ts';
import { hostileGuest } from './hostileGuest.ts';
import { type Malformed, MUTATION_KINDS, malformed } from './mutations.ts';
import { Random } from './random.ts';
import { RECORDING, recordedSession, recording, type Said } from './recording.ts';
import { rightAdapter, runnerWith, sandboxWith } from './runs.ts';

const SEED = 20_260_108;
const CONTAINERS = 200;
const AT_ONCE = 2;

const owner = testOwner();
const folder = temporaryFolder();
let engine: Engine;

beforeAll(async () => {
  engine = await connectEngine();
});
afterAll(async () => {
  await removeOwned(engine, owner);
  engine.close();
  folder.remove();
});

/** Frames that a session lacks at least when it is broken off: too few of them follow for the run to come to its end. */
const LACKING = 8;

/** Every way of spoiling a session in turn, at any place of it but the greeting, which is said before the case is known. */
function cases(): Malformed[] {
  const session = recordedSession();
  const random = new Random(SEED);
  return Array.from({ length: CONTAINERS }, (_, index) => {
    const kind = MUTATION_KINDS[index % MUTATION_KINDS.length] ?? 'header';
    return malformed(random, kind, 1 + random.below(session.frames.length - LACKING), session);
  });
}

/** A script that was made for this test alone leaves no image. */
async function removeImage(id: string): Promise<void> {
  await engine.docker.getImage(id).remove({ force: true });
}

function endOf({ verdict, reason, evidence }: RunResult): string {
  const end = evidence?.end;
  if (verdict === 'not_run') return `not_run ${reason}`;
  return end?.kind === 'broken' ? `${verdict} ${end.reason}` : verdict;
}

test('the recorded session is what the guest says today', async () => {
  const sandbox = await sandboxWith(readFileSync(join(root, 'dist/guest.js')), owner, folder.path);
  const said: Said[] = [];
  const run = await runnerWith(recording(sandbox, said));
  const { verdict } = await run(rightAdapter(), 'recorded');
  await sandbox.close();
  const text = JSON.stringify(said, null, 1).replace(/"node": "v22[.0-9]*"/, '"node": "v22.0.0"');
  await expect(text).toMatchFileSnapshot(RECORDING);
  expect([verdict, await countOwned(engine, owner)]).toEqual(['qualified', 0]);
});

test(`${CONTAINERS} containers that break the protocol, or their session (seed ${SEED})`, async () => {
  const all = cases();
  const sandbox = await sandboxWith(hostileGuest(recordedSession(), all), owner, folder.path);
  const run = await runnerWith(sandbox);
  // The same script, without a case, plays the whole session: what fails below fails of what was spoilt.
  const whole = await run('none', 'whole');
  const ends: Record<string, number> = {};
  const left = all.entries();
  const worker = async () => {
    for (const [index, { kind, before, tail }] of left) {
      const result = await run(String(index), `case-${index}`);
      const end = endOf(result);
      ends[end] = (ends[end] ?? 0) + 1;
      const where = `seed ${SEED}, case ${index} (${kind}) after ${before}: ${JSON.stringify(tail.toString('latin1').slice(0, 300))}`;
      // Which of them it is may hang on whether the guest's end or its last words are seen first.
      expect(['failed protocol', 'failed guest-died'], where).toContain(end);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const again = await run('none', 'again');
  await sandbox.close();
  await removeImage(sandbox.image.id);
  expect([endOf(whole), endOf(again)]).toEqual(['qualified', 'qualified']);
  console.info(`containers: ${JSON.stringify(ends)}`);
  expect(Object.values(ends).reduce((sum, count) => sum + count, 0)).toBe(CONTAINERS);
  expect(await countOwned(engine, owner)).toBe(0);
});

test.each([
  [
    'something else than a greeting',
    "process.stdout.write('Content-Length: 3\\r\\n\\r\\n[1]');setTimeout(() => 0, 9e3)",
  ],
  ['nothing and ends', 'process.exit(3)'],
  [
    'a greeting of another protocol',
    "const b = JSON.stringify({ jsonrpc: '2.0', method: 'hello', params: { protocol: 2, node: '' } }); process.stdout.write('Content-Length: ' + b.length + '\\r\\n\\r\\n' + b);setTimeout(() => 0, 9e3)",
  ],
])('a guest that says %s has not run', async (_, script) => {
  const sandbox = await sandboxWith(Buffer.from(script), owner, folder.path);
  const result = await (await runnerWith(sandbox))('', 'greeting');
  await sandbox.close();
  await removeImage(sandbox.image.id);
  expect([endOf(result), result.mayHaveRun, await countOwned(engine, owner)]).toEqual([
    'not_run engine',
    false,
    0,
  ]);
});
