import { expect, test } from 'vitest';
import { canonical, NotCanonical } from '../../../shared/src/evidence/canonical.ts';
import { canonicalDigest, isDigest, sha256 } from '../../../shared/src/evidence/digest.ts';

test('keys are ordered by UTF-16 code units, numbers and texts written as RFC 8785 has them', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  expect(canonical(value)).toBe(
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
  );
  expect(canonical([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
  );
  expect(canonical('\u20ac$\u000f\nA\'B"\\"/')).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\"/"');
  expect(canonical({ a: undefined, b: null })).toBe('{"b":null}');
});

test.each([
  ['half a surrogate pair', '\ud800'],
  ['half a surrogate pair in a key', { '\udc00': 1 }],
  ['no number', Number.NaN],
  ['an endless number', Number.POSITIVE_INFINITY],
  ['a function', () => 1],
  ['nothing', undefined],
  ['too deep', JSON.parse(`${'['.repeat(97)}${']'.repeat(97)}`)],
])('has no canonical form: %s', (_, value) => {
  expect(() => canonical(value)).toThrow(NotCanonical);
});

test('digests are those of the bytes', async () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(await sha256('')).toBe(empty);
  expect(await sha256(new Uint8Array())).toBe(empty);
  expect(await canonicalDigest({ b: 1, a: 2 })).toBe(await sha256('{"a":2,"b":1}'));
  expect([isDigest(empty), isDigest(empty.toUpperCase()), isDigest(empty.slice(1)), isDigest(1)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
