import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualText } from '../../../server/src/analysis/virtualText.ts';

const texts = fc.string({ maxLength: 60 }).chain((real) =>
  fc.record({
    real: fc.constant(real),
    insertions: fc.array(
      fc.record({ at: fc.nat(real.length), text: fc.string({ minLength: 1, maxLength: 9 }) }),
      { maxLength: 8 },
    ),
  }),
);

test('every offset of the author survives the way there and back', () => {
  fc.assert(
    fc.property(texts, ({ real, insertions }) => {
      const virtual = new VirtualText(real, insertions);
      for (let offset = 0; offset <= real.length; offset += 1) {
        expect(virtual.toReal(virtual.toVirtual(offset))).toBe(offset);
      }
    }),
    { seed: 7, numRuns: 500 },
  );
});

test('a character of the author is the same character in the virtual text', () => {
  fc.assert(
    fc.property(texts, ({ real, insertions }) => {
      const virtual = new VirtualText(real, insertions);
      for (let offset = 0; offset < real.length; offset += 1) {
        expect(virtual.text.charAt(virtual.toVirtual(offset))).toBe(real.charAt(offset));
      }
      expect(virtual.text.length).toBe(
        real.length + insertions.reduce((sum, { text }) => sum + text.length, 0),
      );
    }),
    { seed: 8, numRuns: 500 },
  );
});

test('a span that lies in an insertion, or begins or ends in one, is nobody’s', () => {
  const virtual = new VirtualText('abcd', [
    { at: 2, text: '<in>' },
    { at: 4, text: '!' },
  ]);
  expect(virtual.text).toBe('ab<in>cd!');
  expect(virtual.realSpan(0, 2)).toEqual({ start: 0, end: 2 });
  expect(virtual.realSpan(1, 7)).toEqual({ start: 1, end: 3 });
  expect(virtual.realSpan(2, 6)).toBeNull();
  expect(virtual.realSpan(3, 5)).toBeNull();
  expect(virtual.realSpan(1, 4)).toBeNull();
  expect(virtual.realSpan(4, 8)).toBeNull();
  expect(virtual.realSpan(8, 9)).toBeNull();
  expect(virtual.realSpan(6, 6)).toEqual({ start: 2, end: 2 });
});
