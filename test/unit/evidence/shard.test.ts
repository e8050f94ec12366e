import { expect, test } from 'vitest';
import { runsOfShard, shardSuffix, withoutShard } from '../../../shared/src/evidence/shard.ts';

test('every run is in one shard, and none has more than one run more than another', () => {
  const runs = Array.from({ length: 16 }, (_, index) => index);
  for (const count of [1, 2, 3, 5, 16]) {
    const shards = Array.from({ length: count }, (_, index) =>
      runsOfShard(runs, { index: index + 1, count }),
    );
    expect(shards.flat().sort((a, b) => a - b)).toEqual(runs);
    const sizes = shards.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }
});

test("the name of a shard's file leads back to its adapter", () => {
  expect(shardSuffix({ index: 2, count: 12 })).toBe('.shard-2-of-12');
  expect(withoutShard('adapter.shard-2-of-12')).toBe('adapter');
  expect(withoutShard('adapter')).toBe('adapter');
});
