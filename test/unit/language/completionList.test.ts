/** What a completion list says once, by what the editor takes. */

import { expect, test } from 'vitest';
import type { CompletionItem, Range } from 'vscode-languageserver';
import { completionList } from '../../../server/src/language/completionList.ts';

const at = (character: number): Range => ({ start: { line: 0, character }, end: { line: 0, character } });
const item = (label: string, newText: string, character = 4): CompletionItem => ({
  ...{ label, textEdit: { range: at(character), newText }, insertTextFormat: 1, data: 'file:///a.js' },
});
const ALL = { completionDefaults: ['editRange', 'insertTextFormat', 'data', 'commitCharacters'] };

test('an editor that takes no defaults gets every item whole', () => {
  const items = [item('one', 'one'), item('two', '.two')];
  expect(completionList({ completionDefaults: [] }, items)).toEqual({ isIncomplete: false, items });
});

test('what is the same in all is said once, and an item that stands for its label says only that', () => {
  expect(completionList(ALL, [item('one', 'one'), item('two', '.two')])).toEqual({
    isIncomplete: false,
    itemDefaults: { editRange: at(4), insertTextFormat: 1, data: 'file:///a.js' },
    items: [{ label: 'one' }, { label: 'two', textEditText: '.two' }],
  });
});

test('what differs, or is not in all, stays where it is', () => {
  const other = { ...item('two', 'two', 7), insertTextFormat: 2 as const };
  const bare = { label: 'three', data: 'file:///a.js' };
  expect(completionList(ALL, [item('one', 'one'), other])).toMatchObject({
    itemDefaults: { data: 'file:///a.js' },
    items: [
      { textEdit: { range: at(4) }, insertTextFormat: 1 },
      { textEdit: { range: at(7) }, insertTextFormat: 2 },
    ],
  });
  expect(completionList(ALL, [item('one', 'one'), bare]).items).toEqual([
    { label: 'one', textEdit: { range: at(4), newText: 'one' }, insertTextFormat: 1 },
    { label: 'three' },
  ]);
  expect(completionList(ALL, [])).toEqual({ isIncomplete: false, items: [] });
});
