/**
 * Numbers from a seed. The algorithm is part of the contract's version: xoroshiro128+ (pure-rand), its four words of
 * state made from seed and label by FNV-1a and the 32-bit finaliser of MurmurHash3. A vector test freezes it.
 */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export interface RandomStream {
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number;
  /** One of `items`; throws a RangeError where there is none. */
  pick<Item>(items: readonly Item[]): Item;
}

/** The stream of `seed` (a whole number from 0 to 2^53 - 1, else a RangeError) under `label`. */
export function randomStream(seed: number, label: string): RandomStream {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError('A seed has to be a whole number from 0 to 9007199254740991.');
  const generator = xoroshiro128plusFromState([0, 1, 2, 3].map((word) => hash32(`${label}/${seed}/${word}`)));
  const below = (count: number): number => uniformInt(generator, 0, count - 1);
  return {
    below,
    pick(items) {
      const [item] = items.length === 0 ? [] : items.slice(below(items.length));
      if (item === undefined) throw new RangeError('There is nothing to pick from.');
      return item;
    },
  };
}

function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
