/** Lenses, hover and definition on the operations of a vendor document. */
import type { CodeLens, Hover, Location, Position, Range } from 'vscode-languageserver';
import { COMMANDS, type ShowGrantParams } from '../../../shared/src/protocol.ts';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { markdownCode, oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { callersByOperation, callersSentence } from './callers.ts';
import { locationOf } from './definition.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { signatureLine } from './hover.ts';
import { markup } from './markup.ts';
import { operationMarkdown } from './operationText.ts';
import { overlaps } from './spans.ts';

/** Adapters that a title names; of more it counts. */
const MOST_NAMED = 2;
const TITLE = 80;

/** Where they stood last: a text that is being typed may be no document for a moment, and rows that jump are no help. */
const lastLenses = new WeakMap<ProjectView, Map<string, readonly CodeLens[]>>();

/** One per operation of this file: whether it is granted and which adapters call it. It leads to the grant. */
export async function documentLenses(context: FileContext): Promise<CodeLens[]> {
  const { kind, view, path, document, uri } = context;
  if (kind !== 'document' || view === null) return [];
  const known = lastLenses.get(view) ?? new Map<string, readonly CodeLens[]>();
  lastLenses.set(view, known);
  if (view.project.surface === null)
    return (known.get(path) ?? []).filter(({ range }) => range.start.line < document.lineCount);
  const callers = await callersByOperation(view);
  const lenses = operationsHere(context).map((operation) =>
    lensOf(uri, operation, callers.get(operation.name) ?? []),
  );
  known.set(path, lenses);
  return lenses;
}

/** What the operation under the cursor is to an adapter: on its method or its operationId. */
export async function hoverDocument(context: FileContext, position: Position): Promise<Hover | null> {
  const { view, editor } = context;
  const found = operationAt(context, position);
  if (found === null || view === null) return null;
  const { operation, range } = found;
  const value = [
    markdownCode(operation.name, SUMMARY_LENGTH),
    ...signatureLine(view, operation.name),
    operationMarkdown(operation),
    await callersSentence(view, operation.name),
  ].join('\n\n');
  return { contents: markup(editor, value), range };
}

/** The line of the grant. */
export function definitionInDocument(context: FileContext, position: Position): Location[] {
  const grant = operationAt(context, position)?.operation.grant;
  return grant && context.view ? [locationOf(context.view, grant.source)] : [];
}

/** The operation under the cursor, where it could be granted and is not. */
export function ungrantedAt(context: FileContext, position: Position): Operation | null {
  const operation = operationAt(context, position)?.operation;
  return operation?.grant === null && operation.unusable === undefined ? operation : null;
}

function operationsHere({ kind, view, path }: FileContext): Operation[] {
  const all = kind === 'document' ? view?.project.surface?.operations : undefined;
  return all?.filter(({ source }) => source.file === path) ?? [];
}

function lensOf(uri: string, operation: Operation, callers: readonly string[]): CodeLens {
  const { name, source } = operation;
  const start = source.start;
  const argument: ShowGrantParams = { uri, operation: name };
  return {
    range: { start, end: start },
    command: { title: titleOf(operation, callers), command: COMMANDS.showGrant, arguments: [argument] },
  };
}

function titleOf({ grant, unusable }: Operation, callers: readonly string[]): string {
  if (unusable !== undefined) return 'cannot be called';
  if (grant === null) return 'not granted';
  if (callers.length === 0) return 'granted · not used';
  const names = callers.length > MOST_NAMED ? `${callers.length} adapters` : callers.join(', ');
  return oneLine(`granted · used by ${names}`, TITLE);
}

interface OperationHere {
  operation: Operation;
  range: Range;
}

function operationAt(context: FileContext, position: Position): OperationHere | null {
  const at = { start: position, end: position };
  const here = operationsHere(context);
  const direct = here.find(({ source }) => overlaps(source, at));
  if (direct !== undefined) return { operation: direct, range: plain(direct.source) };
  const id = operationIdAt(context, position.line);
  if (id === null || !overlaps(id.range, at)) return null;
  const named = here.findLast(
    ({ operationId, source }) => operationId === id.value && source.start.line <= position.line,
  );
  return named === undefined ? null : { operation: named, range: id.range };
}

/** The value of an operationId that is written on this line, as documents write it: on the line of its key. */
function operationIdAt({ document }: FileContext, line: number): { value: string; range: Range } | null {
  const text = document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const found = /(\boperationId["']?\s*:\s*["']?)([^"',}\s]+)/.exec(text);
  const [, before = '', value = ''] = found ?? [];
  if (found === null) return null;
  const start = found.index + before.length;
  return {
    value,
    range: { start: { line, character: start }, end: { line, character: start + value.length } },
  };
}

function plain({ start, end }: Range): Range {
  return { start, end };
}
