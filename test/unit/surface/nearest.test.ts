import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../shared/src/nearest.ts';

describe('did you mean', () => {
  it.each([
    ['grnat', ['client', 'grant'], 'grant'],
    ['statsu', ['limit', 'status'], 'status'],
    ['GETT', ['get', 'put'], 'get'],
    ['x', ['abc'], undefined],
    ['createMision', ['cancelMission', 'createMission'], 'createMission'],
    ['same', ['some', 'same'], 'same'],
    ['ab', ['cd'], undefined],
    ['', ['a'], 'a'],
    ['x'.repeat(201), ['x'.repeat(201)], undefined],
  ])('%s of %j: %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it('makes half a sentence of it', () => {
    expect(didYouMean('grnat', ['grant'])).toBe(' Did you mean "grant"?');
    expect(didYouMean('zzz', ['grant'])).toBe('');
  });
});
