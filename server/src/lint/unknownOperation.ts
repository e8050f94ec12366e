import { nearest } from '../../../shared/src/nearest.ts';
import type { TextSpan } from '../analysis/facts.ts';
import { type Found, found, type LintInput, quickFix } from './finding.ts';

export function unknownOperation({ file, text, facts, surface }: LintInput): Found[] {
  // Of two that are equally near the granted one is meant.
  const isGranted = ({ grant }: { grant: unknown }): boolean => grant !== null;
  const known = [
    ...surface.operations.filter(isGranted),
    ...surface.operations.filter((operation) => !isGranted(operation)),
  ].map(({ name }) => name);
  return facts.uses.flatMap(({ kind, name, span }) => {
    if (kind !== 'unknown' || name === null) return [];
    const meant = nearest(name, known);
    const sentence = `The vendor document has no operation "${name}", so ${surface.client} has no such method.`;
    if (meant === undefined) return [found('unknown-operation', sentence, span)];
    const edits = [{ file, span, newText: renamed(text, span, meant) }];
    const fixes = [quickFix(`Change to ${meant}`, edits, true)];
    return [found('unknown-operation', `${sentence} Did you mean "${meant}"?`, span, { fixes })];
  });
}

/** The new name as the old one is written: after a dot, in quotes, or in a pattern where it also names a variable. */
function renamed(text: string, { start, end }: TextSpan, name: string): string {
  const quote = text[start] ?? '';
  if (/['"`]/.test(quote)) return `${quote}${name}${quote}`;
  const isMember = /\.\s*$/.test(text.slice(0, start));
  const isKey = /^\s*:/.test(text.slice(end));
  return isMember || isKey ? name : `${name}: ${text.slice(start, end)}`;
}
