import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../../server/src/signer/lock.ts';
import { filesIn, temporaryFolder } from './support.ts';

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

function left(folder: string, holder: object): string {
  const file = join(folder, 'lock');
  writeFileSync(
    file,
    JSON.stringify({ id: 'x', host: hostname(), pid: process.pid, started: null, ...holder }),
  );
  return file;
}

test('one at a time', async () => {
  const folder = temporaryFolder();
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  const work = async () => {
    const seen = Number(readFileSync(counter, 'utf8'));
    await pause();
    writeFileSync(counter, String(seen + 1));
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(join(folder, 'lock'), work)));
  expect(readFileSync(counter, 'utf8')).toBe('20');
  expect(filesIn(folder)).toEqual(['counter']);
});

test('is given back where the work fails', async () => {
  const file = join(temporaryFolder(), 'lock');
  await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(file)).toBe(false);
});

test('one that a dead process left is broken, by one of many that wait', async () => {
  const folder = temporaryFolder();
  const file = left(folder, { pid: deadPid() });
  let inside = 0;
  const most: number[] = [];
  const work = async () => {
    inside += 1;
    most.push(inside);
    await pause();
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => withLock(file, work)));
  expect(most).toEqual(Array(10).fill(1));
  expect(filesIn(folder)).toEqual([]);
});

test('a process that got the number of a dead one does not hold its lock', async () => {
  const file = left(temporaryFolder(), { started: '1' });
  expect(await withLock(file, async () => 'done')).toBe('done');
});

test.each([
  ['of a living process', {}, `process ${process.pid} on ${hostname()}`],
  ['of another machine', { host: 'elsewhere', pid: 1 }, 'process 1 on elsewhere'],
])('one %s is waited for, then named', async (_, holder, who) => {
  const file = left(temporaryFolder(), holder);
  const before = readFileSync(file, 'utf8');
  await expect(withLock(file, async () => 'done', { waitMs: 60 })).rejects.toThrow(
    `${file} has been held by ${who} for too long; wait for it, or remove that file if nothing is being signed.`,
  );
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('what is no lock is not removed', async () => {
  const file = join(temporaryFolder(), 'lock');
  writeFileSync(file, 'notes');
  await expect(withLock(file, async () => 'done', { waitMs: 60 })).rejects.toThrow('held by something');
  expect(readFileSync(file, 'utf8')).toBe('notes');
});
