/** Collects diagnostics: each place and code once, at most 100 of a code, so a broken giant stays readable. */

import type { Diagnostic, Severity, SourceRange } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';

const MOST_PER_CODE = 100;

export class Findings {
  readonly #list: Diagnostic[] = [];
  readonly #seen = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #firstDropped = new Map<string, Diagnostic>();

  add(code: string, severity: Severity, range: SourceRange, message: string): void {
    const { line, character } = range.start;
    const key = `${code}\n${range.file}\n${line}\n${character}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (this.#firstDropped.has(code)) return;
    const diagnostic = { code, severity, message: oneLine(message), range };
    if (count <= MOST_PER_CODE) this.#list.push(diagnostic);
    else this.#firstDropped.set(code, diagnostic);
  }

  /** Adds what another part found, under the same rules. */
  addAll(diagnostics: Iterable<Diagnostic>): void {
    for (const { code, severity, range, message } of diagnostics) this.add(code, severity, range, message);
  }

  /**
   * In the order of files and places. Of a document file that is broken as text only that is said: the rest would be
   * about what the parser lost.
   */
  list(): Diagnostic[] {
    const broken = new Set(this.#list.filter(isBrokenText).map(({ range }) => range.file));
    return this.#all().filter(({ code, range }) => !broken.has(range.file) || TEXT_CODES.has(code));
  }

  #all(): Diagnostic[] {
    const more = [...this.#firstDropped.values()].map((diagnostic) => ({
      ...diagnostic,
      message: `${diagnostic.message} (${(this.#counts.get(diagnostic.code) ?? 0) - MOST_PER_CODE - 1} more like this are not shown.)`,
    }));
    return [...this.#list, ...more].sort(byPlace);
  }
}

const TEXT_CODES = new Set(['document-syntax', 'document-alias', 'document-duplicate-key', 'document-limit']);

function isBrokenText({ code, severity }: Diagnostic): boolean {
  return code === 'document-syntax' && severity === 'error';
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.range.file !== b.range.file) return a.range.file < b.range.file ? -1 : 1;
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}
