import { expect, test } from 'vitest';
import { seedOf } from '../../../shared/src/evidence/seed.ts';

const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('a seed follows from the adapter and the contract, and is a whole number from 0 below 2^31', async () => {
  const seed = await seedOf(digest, 'fleet/1.0');
  expect(seed).toBe(await seedOf(digest, 'fleet/1.0'));
  expect(await seedOf(digest, 'fleet/1.1')).not.toBe(seed);
  expect(await seedOf(digest.replace('e', 'f'), 'fleet/1.0')).not.toBe(seed);
  expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
});

test('the derivation never changes: older verdict files would no longer verify', async () => {
  expect(await seedOf(digest, 'fleet/1.0')).toBe(33143383);
});
