import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../../server/src/workspace/glob.ts';

describe('adapter patterns', () => {
  it.each([
    ['adapter*.js', 'adapter.js', true],
    ['adapter*.js', 'adapter-v1.js', true],
    ['adapter*.js', 'adapter-v1.mjs', false],
    ['adapter*.js', 'sub/adapter.js', false],
    ['*/adapter.js', 'sub/adapter.js', true],
    ['*/adapter.js', 'a/b/adapter.js', false],
    ['**/adapter.js', 'adapter.js', true],
    ['**/adapter.js', 'a/b/adapter.js', true],
    ['a/**', 'a/b/c', true],
    ['a/**/z.js', 'a/z.js', true],
    ['a/**/b/**/z.js', 'a/x/b/y/z.js', true],
    ['a/**/b/**/z.js', 'a/x/y/z.js', false],
    ['adapter?.js', 'adapter1.js', true],
    ['adapter?.js', 'adapter.js', false],
    ['./adapter.js', 'adapter.js', true],
    ['a.js', 'aXjs', false],
    ['[a].js', 'a.js', false],
    ['*a*b*', 'xaybz', true],
    ['*a*b*', 'xbyaz', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesGlob(pattern, path)).toBe(expected);
  });

  it('without wildcards match themselves and nothing else', () => {
    const name = fc.stringMatching(/^[a-z.]{1,8}$/).filter((text) => text !== '.' && text !== '..');
    fc.assert(fc.property(name, name, (a, b) => matchesGlob(a, b) === (a === b)));
  });

  it('take no longer for patterns made to be slow', () => {
    expect(matchesGlob(`${'*a'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
    expect(matchesGlob(Array(200).fill('**').join('/x/'), `${'x/'.repeat(500)}y`)).toBe(true);
  });
});
