/** A line of a grant as an editor meets it: its words, and the operations that its route means. */
import type { Position } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { shapeOf } from '../openapi/template.ts';
import type { FileContext } from './feature.ts';

export interface GrantLine {
  number: number;
  text: string;
  /** Words before a comment, with the column that each begins at. */
  words: { text: string; start: number }[];
}

export function grantLine(document: TextDocument, number: number): GrantLine {
  const end = { line: number + 1, character: 0 };
  const text = document.getText({ start: { line: number, character: 0 }, end }).replace(/[\r\n]+$/, '');
  const words: GrantLine['words'] = [];
  for (const match of text.matchAll(/[^ \t]+/g)) {
    if (match[0].startsWith('#')) break;
    words.push({ text: match[0], start: match.index });
  }
  return { number, text, words };
}

/** The word that the position is in or at the end of; its text up to there. */
export function wordBefore({ text }: GrantLine, { character }: Position): { start: number; typed: string } {
  const typed = /[^ \t]*$/.exec(text.slice(0, character))?.[0] ?? '';
  return { start: character - typed.length, typed };
}

/** Operations that a method and a route path mean: those of its very shape. */
export function operationsOf({ view }: FileContext, method: string, path: string): Operation[] {
  const all = view?.project.surface?.operations ?? [];
  return all.filter((operation) => operation.method === method && shapeOf(operation.path) === path);
}

/** The operation of a line that grants a route, or undefined. */
export function operationOfLine(context: FileContext, { words }: GrantLine): Operation | undefined {
  const [first, second, third] = words;
  if (first === undefined || second === undefined) return undefined;
  if (first.text.startsWith('@')) return third && operationsOf(context, second.text, third.text)[0];
  return operationsOf(context, first.text, second.text)[0];
}
