/** Places that a run names, in the text as it is now. */
import type { Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import type { JudgedText } from './feature.ts';
import { lineMap } from './lineMap.ts';

/** 1-based; what the guest claims of its own code. */
export type Site = RuleOutcome['sites'][number];

/** Finds a site of a result again; null: its line was changed, or is not known. */
export type FindSite = (site: Site | undefined) => Range | null;

/** Of the very text that was judged: a place that is none is the first line. */
export function siteRange(document: TextDocument, site: Site | undefined): Range {
  if (site === undefined || site.line > document.lineCount) return firstLine(document);
  return wordAt(document, site.line - 1, site.column - 1);
}

/** Of a text that was edited since: only a line that still stands as it was judged is found. */
export function movedSite(document: TextDocument, judged: JudgedText | undefined): FindSite {
  const before = judged?.text ?? null;
  if (before === null) return () => null;
  const lines = lineMap(before, document.getText());
  return (site) => {
    const line = site === undefined ? undefined : lines[site.line - 1];
    return site === undefined || line === undefined || line === null
      ? null
      : wordAt(document, line, site.column - 1);
  };
}

export function firstLine(document: TextDocument): Range {
  return { start: { line: 0, character: 0 }, end: { line: 0, character: lineText(document, 0).length } };
}

/** From the place to the end of what is written there: never outside of the text. */
function wordAt(document: TextDocument, line: number, character: number): Range {
  const text = lineText(document, line);
  const from = Math.min(Math.max(0, character), text.length);
  const word = /^[\w$.]*/.exec(text.slice(from))?.[0].length ?? 0;
  return {
    start: { line, character: from },
    end: { line, character: from + Math.max(word, from < text.length ? 1 : 0) },
  };
}

function lineText(document: TextDocument, line: number): string {
  const end = { line: line + 1, character: 0 };
  return document.getText({ start: { line, character: 0 }, end }).replace(/[\r\n]+$/, '');
}
