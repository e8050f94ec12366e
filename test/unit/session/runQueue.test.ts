/** The queue of runs: one at a time, each with one end, whatever becomes of it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type QueuedRun, RunQueue, type RunTask } from '../../../server/src/session/runQueue.ts';

let told: string[];
let queue: RunQueue;
let idle: () => Promise<void>;
beforeEach(() => {
  told = [];
  idle = async () => void told.push('idle');
  queue = new RunQueue({ idle: () => idle(), idleMs: 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

function task(name: string, work: (run: QueuedRun) => Promise<void> = async () => undefined): RunTask {
  return {
    async work(run) {
      told.push(`${name} begins`);
      await work(run);
      told.push(`${name} ends${run.signal.aborted ? ' (cancelled)' : ''}`);
    },
    dropped: () => void told.push(`${name} dropped`),
    failed: (_, error) => void told.push(`${name} failed: ${(error as Error).message}`),
  };
}

test('one after another, in the order asked; one that throws holds nobody up', async () => {
  queue.add(task('a'));
  queue.add(
    task('b', async () => {
      throw new Error('broken');
    }),
  );
  const last = gate();
  queue.add(task('c', async () => last.open()));
  await last.opened;
  await new Promise(setImmediate);
  await queue.stop();
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b failed: broken', 'c begins', 'c ends']);
});

test('one that waits is over at once when it is cancelled; one that runs is told', async () => {
  const started = gate();
  const cancelled = gate();
  const running = queue.add(
    task('a', ({ signal }) => {
      signal.addEventListener('abort', cancelled.open);
      started.open();
      return cancelled.opened;
    }),
  );
  const waiting = queue.add(task('b'));
  await started.opened;
  queue.cancel(waiting.id);
  queue.cancel(waiting.id);
  expect(told).toEqual(['a begins', 'b dropped']);
  queue.cancel(running.id);
  queue.cancel('unknown');
  await queue.stop();
  expect(told).toEqual(['a begins', 'b dropped', 'a ends (cancelled)']);
});

test('stop ends what runs and what waits', async () => {
  const started = gate();
  queue.add(
    task('a', ({ signal }) => {
      started.open();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    }),
  );
  queue.add(task('b'));
  await started.opened;
  await queue.stop();
  expect(told).toEqual(['a begins', 'b dropped', 'a ends (cancelled)']);
});

test('after a while without runs it says so, and the next run waits until that is dealt with', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const done = gate();
  idle = async () => {
    told.push('idle');
    await done.opened;
    told.push('stopped');
  };
  const first = gate();
  queue.add(task('a', async () => first.open()));
  await first.opened;
  await new Promise(setImmediate);
  vi.advanceTimersByTime(999);
  const second = gate();
  queue.add(task('b', async () => second.open()));
  await second.opened;
  await new Promise(setImmediate);
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  vi.advanceTimersByTime(1000);
  await new Promise(setImmediate);
  const third = gate();
  queue.add(task('c', async () => third.open()));
  await new Promise(setImmediate);
  expect(told.slice(4)).toEqual(['idle']);
  done.open();
  await third.opened;
  await new Promise(setImmediate);
  await queue.stop();
  expect(told.slice(4)).toEqual(['idle', 'stopped', 'c begins', 'c ends']);
});
