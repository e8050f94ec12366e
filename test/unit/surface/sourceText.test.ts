import { expect, test } from 'vitest';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';

test('positions over all three line ends, and outside of the text', () => {
  const source = new SourceText('a.grant', 'ab\r\nc\rd\ne');
  const places = [-1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 99].map((offset) => {
    const { line, character } = source.position(offset);
    return `${offset} ${line}:${character}`;
  });
  // 3 is between CR and LF: the end of its line, since no editor has a place there.
  expect(places).toEqual([
    '-1 0:0',
    '0 0:0',
    '2 0:2',
    '3 0:2',
    '4 1:0',
    '5 1:1',
    '6 2:0',
    '7 2:1',
    '8 3:0',
    '9 3:1',
    '99 3:1',
  ]);
});
