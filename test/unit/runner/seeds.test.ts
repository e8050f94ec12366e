import { expect, test } from 'vitest';
import { runNumbers } from '../../../server/src/runner/seeds.ts';

test('the numbers that a guest sees differ by scenario and seed and repeat for the same', () => {
  expect(runNumbers(7, 'nominal')).toEqual(runNumbers(7, 'nominal'));
  const all = ['nominal', 'silent'].flatMap((scenario) =>
    [1, 2].map((seed) => runNumbers(seed, scenario).random),
  );
  expect(new Set(all).size).toBe(4);
  expect(new Date(runNumbers(7, 'nominal').epoch).toISOString()).toMatch(/^202[67]-\d\d-\d\dT00:00:00.000Z$/);
});
