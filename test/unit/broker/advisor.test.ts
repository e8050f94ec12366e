import { expect, test } from 'vitest';
import { answer, fleetSurface, rig, type Script } from './rig.ts';

async function adviceOf(
  calls: string[],
  script: Script = () => answer(200, { id: 1 }),
  surface = fleetSurface(),
) {
  const { ask, broker } = rig(script, { surface });
  for (const call of calls) await ask(call);
  return broker.advice();
}

function robots(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `GET /robots/r${index}`);
}

test('six calls of one route that a batch route answers', async () => {
  expect(await adviceOf(robots(5))).toEqual([]);
  expect(await adviceOf(['GET /robots', ...robots(6)])).toEqual([
    {
      code: 'fan-out',
      text: 'GET /robots/{id} was called 6 times; one GET /robots answers them all and saves 5 calls.',
      saved: 5,
      trace: [2, 3, 4, 5, 6, 7],
    },
  ]);
});

test('no batch route, or one that is not granted: no advice', async () => {
  expect(await adviceOf(robots(9), undefined, fleetSurface({ batches: [] }))).toEqual([]);
  const closed = fleetSurface();
  const operations = closed.operations.map((one) =>
    one.name === 'listRobots' ? { ...one, grant: null } : one,
  );
  expect(await adviceOf(robots(9), undefined, { ...closed, operations })).toEqual([]);
});

test('the same fixed route read four times with the same answer', async () => {
  const reads = Array<string>(4).fill('GET /robots');
  expect(await adviceOf(reads.slice(1))).toEqual([]);
  expect(await adviceOf(reads)).toEqual([
    {
      code: 'repeated-read',
      text: 'GET /robots was read 4 times and each answer had 8 bytes; keeping the first one would save up to 3 calls.',
      saved: 3,
      trace: [1, 2, 3, 4],
    },
  ]);
  expect(await adviceOf(reads, (_, __, nth) => answer(200, 'x'.repeat(nth)))).toEqual([]);
});

test('what was not delivered with a 2xx counts nowhere', async () => {
  expect(await adviceOf(robots(6), (_, __, nth) => answer(nth === 3 ? 404 : 200))).toEqual([]);
  expect(
    await adviceOf(robots(6), (_, __, nth) => (nth === 3 ? { kind: 'dropped', afterMs: 1 } : answer(200))),
  ).toEqual([]);
});
