/** A completion list as the editor takes it: what all of its items share stands once, where it may. */
import { type CompletionItem, type CompletionList, type Range, TextEdit } from 'vscode-languageserver';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { EditorAbilities } from './feature.ts';

export function completionList(
  { completionDefaults }: Pick<EditorAbilities, 'completionDefaults'>,
  items: readonly CompletionItem[],
): CompletionList {
  const taken = (name: string) => completionDefaults.includes(name);
  const editRange = taken('editRange') ? sharedRange(items) : undefined;
  const format = taken('insertTextFormat') ? shared(items.map((item) => item.insertTextFormat)) : undefined;
  const data: unknown = taken('data') ? shared(items.map((item) => item.data)) : undefined;
  const itemDefaults = {
    ...(editRange === undefined ? {} : { editRange }),
    ...(format === undefined ? {} : { insertTextFormat: format }),
    ...(data === undefined ? {} : { data }),
  };
  return {
    isIncomplete: false,
    ...(Object.keys(itemDefaults).length > 0 ? { itemDefaults } : {}),
    items: items.map((item) => without(item, itemDefaults)),
  };
}

/** The value of all, compared as JSON; undefined: they differ, or there is none. */
function shared<Value>(values: readonly Value[]): Value | undefined {
  const [first, ...others] = values;
  return others.every((value) => value === first || sameJson(value, first)) ? first : undefined;
}

function sharedRange(items: readonly CompletionItem[]): Range | undefined {
  return shared(items.map(({ textEdit }) => (TextEdit.is(textEdit) ? textEdit.range : undefined)));
}

function without(
  item: CompletionItem,
  defaults: NonNullable<CompletionList['itemDefaults']>,
): CompletionItem {
  const { textEdit: _, insertTextFormat, data, ...rest } = item;
  return {
    ...rest,
    ...(defaults.insertTextFormat === undefined && insertTextFormat !== undefined
      ? { insertTextFormat }
      : {}),
    ...(defaults.data === undefined && data !== undefined ? { data } : {}),
    ...textOf(item, defaults.editRange !== undefined),
  };
}

/** Without a text of its own, an item that has the list's range stands for its label. */
function textOf({ label, textEdit }: CompletionItem, isRangeShared: boolean): Partial<CompletionItem> {
  if (!isRangeShared) return textEdit === undefined ? {} : { textEdit };
  return textEdit === undefined || textEdit.newText === label ? {} : { textEditText: textEdit.newText };
}
