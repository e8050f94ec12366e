/** Spans of a text as LSP ranges, and back. */
import type { Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextSpan } from '../analysis/facts.ts';

export function rangeOf(document: TextDocument, { start, end }: TextSpan): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function spanOf(document: TextDocument, range: Range): TextSpan {
  return { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
}

export function overlaps(a: Range, b: Range): boolean {
  const before = (x: Range['start'], y: Range['start']) =>
    x.line < y.line || (x.line === y.line && x.character < y.character);
  return !before(a.end, b.start) && !before(b.end, a.start);
}
