/** Values of an adapter become a closed tree; nothing of theirs is run on the way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, holdsOdd, isOdd, MAX_DEPTH } from '../../../sandbox-images/guest/encoder.ts';

const prototypes = { object: Object.prototype, array: Array.prototype };
const MIB = 1024 * 1024;
const encoded = (value: unknown, maxBytes = MIB) =>
  JSON.parse(JSON.stringify(encode(value, prototypes, maxBytes)));
const odd = (reason: string) => ({ $odd: reason });

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}

const cycle: unknown[] = [];
cycle.push({ back: cycle });
const sparse = [1, 2, 3];
delete sparse[1];
const withExtra = Object.assign([1], { extra: 2 });
class Robot {
  id = 'r1';
}
class Robots extends Array {}
const trap = () => {
  throw new Error('ran a trap');
};
const traps = { get: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, has: trap };

describe('what is JSON', () => {
  test.each([
    [null, null],
    [true, true],
    [1.5, 1.5],
    [-0, 0],
    [1e-300, 1e-300],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['é😀', 'é😀'],
    [undefined, null],
    [
      [1, ['a'], {}],
      [1, ['a'], {}],
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('%j', (value, expected) => {
    expect(encoded(value)).toEqual(expected);
  });

  test('any JSON without inexact integers comes back as it is', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        tie('leaf'),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
      leaf: fc.oneof(
        fc.string(),
        fc.maxSafeInteger(),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.boolean(),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(encoded(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('names of prototypes are keys like others', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":4}');
    expect(JSON.stringify(encode(value, prototypes, MIB))).toBe(JSON.stringify(value));
  });

  test('toJSON chooses nothing', () => {
    expect(encoded({ state: 'failed', toJSON: () => ({ state: 'done' }) })).toEqual({
      state: 'failed',
      toJSON: odd('function'),
    });
  });

  test('the same object twice is no cycle', () => {
    const robot = { id: 'r1' };
    expect(encoded([robot, robot])).toEqual([{ id: 'r1' }, { id: 'r1' }]);
  });
});

describe('what is not', () => {
  test.each([
    ['a function', () => 1, 'function'],
    ['a symbol', Symbol('a'), 'symbol'],
    ['a bigint', 1n, 'bigint'],
    ['NaN', Number.NaN, 'not finite'],
    ['infinity', Number.POSITIVE_INFINITY, 'not finite'],
    ['an integer beyond the safe ones', 2 ** 53, 'unsafe integer'],
    ['a number too large to be exact', 1e300, 'unsafe integer'],
    ['half a character', 'a\ud800', 'lone surrogate'],
    ['half a character in a key', { 'a\udfff': 1 }, 'lone surrogate'],
    ['a proxy', new Proxy({}, traps), 'proxy'],
    ['a proxy of an array', new Proxy([], traps), 'proxy'],
    ['a date', new Date(0), 'class instance'],
    ['a map', new Map(), 'class instance'],
    ['an error', new Error('a'), 'class instance'],
    ['bytes', new Uint8Array(2), 'class instance'],
    ['an instance', new Robot(), 'class instance'],
    ['an instance of an array class', Robots.from([1]), 'class instance'],
    ['an array with holes', sparse, 'sparse array'],
    ['an array with more than items', withExtra, 'hidden property'],
    ['a symbol as key', { [Symbol('a')]: 1 }, 'hidden property'],
    ['a property that is not enumerable', Object.defineProperty({}, 'a', { value: 1 }), 'hidden property'],
    ['the marker itself', { $odd: 'proxy' }, 'reserved key'],
  ])('%s', (_name, value, reason) => {
    expect(encoded(value)).toEqual(odd(reason));
    expect(encoded({ in: [value] })).toEqual({ in: [odd(reason)] });
  });

  test('undefined in an array', () => {
    expect(encoded([undefined])).toEqual([odd('undefined')]);
  });

  test('getters are named and not called', () => {
    let calls = 0;
    const value = {
      get id() {
        calls += 1;
        return 'r1';
      },
      status: 'idle',
    };
    expect(encoded(value)).toEqual({ id: odd('getter'), status: 'idle' });
    const list = Object.defineProperty([1], 0, { get: () => value.id, enumerable: true });
    expect(encoded(list)).toEqual([odd('getter')]);
    expect(calls).toBe(0);
  });

  test('a cycle ends where it closes', () => {
    expect(encoded(cycle)).toEqual([{ back: odd('cycle') }]);
  });

  test(`${MAX_DEPTH} levels are enough, one more is not`, () => {
    expect(holdsOdd(encode(nested(MAX_DEPTH), prototypes, MIB))).toBe(false);
    expect(JSON.stringify(encode(nested(MAX_DEPTH + 1), prototypes, MIB))).toBe(
      `${'['.repeat(MAX_DEPTH)}{"$odd":"too deep"}${']'.repeat(MAX_DEPTH)}`,
    );
  });

  test.each([
    ['text', 'x'.repeat(200)],
    ['text that grows in JSON', '\u0001'.repeat(30)],
    ['a long array', new Array(200).fill(0)],
    ['a long empty array', new Array(4_000_000_000)],
    ['a long key', { ['x'.repeat(200)]: 1 }],
  ])('%s above the size limit', (_name, value) => {
    expect(encode(value, prototypes, 100)).toEqual(odd('too large'));
  });

  test('a graph that would unfold without end', () => {
    let value: unknown = ['x'];
    for (let level = 1; level < MAX_DEPTH; level += 1) value = [value, value];
    expect(encode(value, prototypes, MIB)).toEqual(odd('too large'));
  });

  test('the JSON of what passes is within the limit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 20, max: 400 }), (value, limit) => {
        const result = encode(value, prototypes, limit);
        if (isOdd(result)) return;
        expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(limit + 1);
      }),
    );
  });
});
