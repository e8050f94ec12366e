/** Adapters that no loadline.json names: what is wrong, in a sentence, and the edit that mends it. */
import { applyEdits, modify } from 'jsonc-parser';
import { type CodeAction, CodeActionKind } from 'vscode-languageserver';
import { oneLine } from '../../../shared/src/text.ts';
import type { FileContext } from './feature.ts';
import { rangeOf } from './spans.ts';

const CONFIG = 'loadline.json';
const ADAPTER_NAME = /(?:^|\/)adapter[^/]*\.js$/;
const EXPORTS = /\bmodule\.exports\b/;

/**
 * Why a file that looks like an adapter is judged by none; null: it is judged, or does not look like one.
 * @param alsoNamedBy other loadline.json files above whose patterns match it
 */
export function governProblem(context: FileContext, alsoNamedBy: readonly string[]): string | null {
  const { kind, path, view, document } = context;
  if (kind === 'adapter') {
    const [other] = alsoNamedBy;
    if (other === undefined) return null;
    return oneLine(
      `${path} is named by ${other} as well, which does not count; take it out of "adapters" there.`,
    );
  }
  if (document.languageId !== 'javascript' || !EXPORTS.test(document.getText())) return null;
  if (view === null)
    return ADAPTER_NAME.test(path)
      ? oneLine(`No loadline.json governs ${path}; put one beside it, as Loadline: New Adapter does.`)
      : null;
  return isUnnamedAdapter(context)
    ? oneLine(`The "adapters" of loadline.json do not match ${path}; add it there to have it judged.`)
    : null;
}

/** Adds the file to the `adapters` of its loadline.json. */
export function nameInConfig(context: FileContext): CodeAction[] {
  const { view, path } = context;
  if (!isUnnamedAdapter(context) || view === null) return [];
  const config = view.textOf(CONFIG);
  if (config === null) return [];
  const text = config.getText();
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2 }, isArrayInsertion: true };
  const edits = modify(text, ['adapters', view.project.config?.adapters.length ?? 0], path, options);
  if (applyEdits(text, edits) === text) return [];
  const changes = edits.map(({ offset, length, content }) => ({
    range: rangeOf(config, { start: offset, end: offset + length }),
    newText: content,
  }));
  return [
    {
      title: oneLine(`Add ${path} to the adapters of loadline.json`),
      kind: CodeActionKind.QuickFix,
      edit: { changes: { [config.uri]: changes } },
    },
  ];
}

/** It exports what the contract asks for, in a folder whose loadline.json does not name it. */
function isUnnamedAdapter({ kind, view, document }: FileContext): boolean {
  if (kind !== 'other' || document.languageId !== 'javascript' || view === null) return false;
  const text = document.getText();
  const exports = view.contract?.exports ?? [];
  return exports.length > 0 && EXPORTS.test(text) && exports.every(({ name }) => text.includes(name));
}
