import { expect, test } from 'vitest';
import { runNumbers, seedOf } from '../../../server/src/runner/seeds.ts';

const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('a seed follows from the adapter and the contract, and is a whole number from 0 below 2^31', () => {
  const seed = seedOf(digest, 'fleet/1.0');
  expect(seed).toBe(seedOf(digest, 'fleet/1.0'));
  expect(seedOf(digest, 'fleet/1.1')).not.toBe(seed);
  expect(seedOf(digest.replace('e', 'f'), 'fleet/1.0')).not.toBe(seed);
  expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});

test('the numbers that a guest sees differ by scenario and seed and repeat for the same', () => {
  expect(runNumbers(7, 'nominal')).toEqual(runNumbers(7, 'nominal'));
  const all = ['nominal', 'silent'].flatMap((scenario) =>
    [1, 2].map((seed) => runNumbers(seed, scenario).random),
  );
  expect(new Set(all).size).toBe(4);
  expect(new Date(runNumbers(7, 'nominal').epoch).toISOString()).toMatch(/^202[67]-\d\d-\d\dT00:00:00.000Z$/);
});
