/** The pages of docs/diagnostics as data. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DIAGNOSTICS, type DiagnosticPlace } from '../../../shared/src/diagnostics.ts';

export const PAGES = resolve(import.meta.dirname, '../../../docs/diagnostics');

export interface Example {
  /** Code that the example is about. */
  code: string;
  language: string;
  side: 'wrong' | 'right';
  text: string;
}

export interface Section {
  code: string;
  text: string;
  examples: Example[];
}

/** Relative, with `/`. */
export function pageFiles(): string[] {
  return readdirSync(PAGES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md'))
    .sort();
}

/** A page of one code, or the sections of a page that codes share. */
export function sectionsOf(file: string): Section[] {
  const text = readFileSync(resolve(PAGES, file), 'utf8');
  const own = file.replace(/\.md$/, '');
  if (text.startsWith(`# ${own}\n`)) return [section(own, text)];
  return text
    .split(/^## /m)
    .slice(1)
    .filter((part) => !part.startsWith('How to silence them'))
    .map((part) => section(part.slice(0, part.indexOf('\n')), part));
}

function section(code: string, text: string): Section {
  const examples = [...text.matchAll(/^```(\w+) (wrong|right)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', side, body = '']): Example => ({
      code,
      language,
      side: side === 'wrong' ? 'wrong' : 'right',
      text: body,
    }),
  );
  return { code, text, examples };
}

/** Every example in a language of the codes that show at a place. */
export function examplesOf(place: DiagnosticPlace, language: string): Example[] {
  const codes = new Set(DIAGNOSTICS.filter((kind) => kind.place === place).map(({ code }) => code));
  return pageFiles()
    .flatMap((file) => sectionsOf(file).flatMap((section) => section.examples))
    .filter((example) => codes.has(example.code) && example.language === language);
}

/** As rows of a table of tests. */
export function named(examples: readonly Example[]): [string, Example][] {
  return examples.map((example) => [`${example.code}, ${example.side}`, example]);
}

/** Rules on what happens when a client call fails. */
export const FLOW_CODES: readonly string[] = [
  'retry-without-identity',
  'refusal-from-doubt',
  'unbounded-poll',
  'swallowed-error',
];
