/** Lines of an older text in a newer one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineMap } from '../../../server/src/language/lineMap.ts';

test.each([
  ['a\nb\nc', 'a\nb\nc', [0, 1, 2]],
  ['a\nb\nc', 'new\na\nb\nc', [1, 2, 3]],
  ['a\nb\nc', 'a\nc', [0, null, 1]],
  ['a\nb\nc', 'a\nB\nc', [0, null, 2]],
  ['a\nb\nc\nd\ne', 'x\na\nB\nc\ny\nd\ne', [1, null, 3, 5, 6]],
  ['}\na\n}\nb\n}', '}\n}\nb\n}', [0, null, 1, 2, 3]],
  ['a\r\nb', 'a\nb', [0, 1]],
  ['', 'a', [null]],
])('%j in %j', (before, after, expected) => {
  expect(lineMap(before, after)).toEqual(expected);
});

test('what is found is the same line, in the same order, and an equal text is found whole', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b', '}', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const [old, now] = [before.split('\n'), after.split('\n')];
      const found = lineMap(before, after);
      expect(found.length).toBe(old.length);
      const kept = found.flatMap((line, index) => (line === null ? [] : [[index, line] as const]));
      for (const [index, line] of kept) expect(now[line]).toBe(old[index]);
      expect(kept.map(([, line]) => line)).toEqual(
        [...new Set(kept.map(([, line]) => line))].sort((a, b) => a - b),
      );
      if (before === after) expect(found).toEqual(old.map((_, index) => index));
    }),
  );
});

test('texts that are too long to compare keep their head and tail', () => {
  const body = (word: string) => Array.from({ length: 1500 }, (_, index) => `${word}${index}`);
  const found = lineMap(
    ['head', ...body('a'), 'tail'].join('\n'),
    ['head', ...body('b'), 'x', 'tail'].join('\n'),
  );
  expect([found[0], found[1], found[1501]]).toEqual([0, null, 1502]);
});
