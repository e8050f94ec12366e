/** Hover, definition, links, lens and folding in a grant. */
import {
  type CodeLens,
  type DocumentLink,
  type FoldingRange,
  FoldingRangeKind,
  type Hover,
  type Location,
  type Position,
} from 'vscode-languageserver';
import { markdownCode, oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { callersSentence } from './callers.ts';
import { locationOf } from './definition.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { grantLine, operationOfLine } from './grantText.ts';
import { markup } from './markup.ts';
import { operationMarkdown } from './operationText.ts';

/** What the route is, and which adapters here call it. */
export async function hoverGrant(context: FileContext, { line }: Position): Promise<Hover | null> {
  if (context.kind !== 'grant' || context.view === null) return null;
  const found = grantLine(context.document, line);
  const operation = operationOfLine(context, found);
  const last = found.words.at(-1);
  if (operation === undefined || last === undefined) return null;
  const used = await callersSentence(context.view, operation.name);
  const start = { line, character: found.words[0]?.start ?? 0 };
  const range = { start, end: { line, character: last.start + last.text.length } };
  const value = [`${markdownCode(operation.name, SUMMARY_LENGTH)}`, operationMarkdown(operation), used].join(
    '\n\n',
  );
  return { contents: markup(context.editor, value), range };
}

/** The operation in the vendor document. */
export function definitionInGrant(context: FileContext, { line }: Position): Location[] {
  if (context.kind !== 'grant' || context.view === null) return [];
  const operation = operationOfLine(context, grantLine(context.document, line));
  return operation === undefined ? [] : [locationOf(context.view, operation.source)];
}

/** Each route leads to its operation. */
export function grantLinks(context: FileContext): DocumentLink[] {
  const { view, document, kind } = context;
  if (kind !== 'grant' || view === null) return [];
  const links: DocumentLink[] = [];
  for (let number = 0; number < document.lineCount; number += 1) {
    const line = grantLine(document, number);
    const operation = operationOfLine(context, line);
    const path = line.words.find(({ text }) => text.startsWith('/'));
    if (operation === undefined || path === undefined) continue;
    const { uri, range } = locationOf(view, operation.source);
    links.push({
      range: {
        start: { line: number, character: path.start },
        end: { line: number, character: path.start + path.text.length },
      },
      target: `${uri}#${range.start.line + 1}`,
      tooltip: 'Open the operation in the vendor document',
    });
  }
  return links;
}

/** The line that grants an operation; of one that is not granted the last route, behind which it would be. @throws Error */
export function grantPlace(view: ProjectView, name: string): Location {
  const { surface, grant } = view.project;
  const operation = surface?.operations.find((each) => each.name === name);
  if (grant === null || operation === undefined)
    throw new Error(
      `The project has no operation ${oneLine(name, SUMMARY_LENGTH)} now; see its diagnostics.`,
    );
  const start = { line: 0, character: 0 };
  const nowhere = { file: grant.file, start, end: start };
  return locationOf(view, operation.grant?.source ?? grant.routes.at(-1)?.source ?? nowhere);
}

/** `6 of 8 operations`, on the first line. */
export function grantLenses(context: FileContext): CodeLens[] {
  const surface = context.view?.project.surface ?? null;
  if (context.kind !== 'grant' || surface === null || context.view?.project.grant?.file !== context.path)
    return [];
  const granted = surface.operations.filter(({ grant }) => grant !== null).length;
  const place = { line: 0, character: 0 };
  return [
    {
      range: { start: place, end: place },
      command: { title: `${granted} of ${surface.operations.length} operations`, command: '' },
    },
  ];
}

/** Blocks of comments, and of lines between blank ones. */
export function grantFolds({ kind, document }: FileContext): FoldingRange[] {
  if (kind !== 'grant') return [];
  const folds: FoldingRange[] = [];
  let from = 0;
  const close = (to: number, isComment: boolean) => {
    if (to > from)
      folds.push({ startLine: from, endLine: to, ...(isComment ? { kind: FoldingRangeKind.Comment } : {}) });
  };
  const kinds = Array.from({ length: document.lineCount }, (_, line) =>
    kindOf(grantLine(document, line).text),
  );
  for (const [line, each] of kinds.entries()) {
    const before = kinds[line - 1];
    if (line === 0 || each === before) continue;
    if (before !== undefined && before !== 'blank') close(line - 1, before === 'comment');
    from = line;
  }
  const last = kinds.at(-1);
  if (last !== undefined && last !== 'blank') close(kinds.length - 1, last === 'comment');
  return folds;
}

function kindOf(text: string): 'blank' | 'comment' | 'lines' {
  if (text.trim() === '') return 'blank';
  return text.trimStart().startsWith('#') ? 'comment' : 'lines';
}
