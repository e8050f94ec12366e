/**
 * Wildcard over-reach: an operation whose route pattern also admits another operation of the same method. The broker
 * keeps them apart; a gateway that matches patterns would not, so it is worth knowing.
 */

import type { Findings } from './findings.ts';
import type { DocumentOperation } from './model.ts';

/** Comparisons made at most: GitHub's 1,223 operations need 50,000, a hostile document could ask for billions. */
const MOST_COMPARISONS = 4_000_000;

export function overReaches(operations: readonly DocumentOperation[], findings: Findings): void {
  let budget = MOST_COMPARISONS;
  for (const group of groups(operations)) {
    budget -= group.length ** 2;
    if (budget < 0) return;
    for (const operation of group) reportReach(operation, group, findings);
  }
}

interface Compared {
  operation: DocumentOperation;
  segments: string[];
}

function reportReach(from: Compared, group: readonly Compared[], findings: Findings): void {
  const { operation } = from;
  const others = group.filter(
    (other) => other.operation.shape !== operation.shape && admits(from.segments, other.segments),
  );
  const [first] = others;
  if (first === undefined) return;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  const message =
    `The pattern ${operation.method} ${operation.shape} also matches ${first.operation.method} ${first.operation.path}${more}. ` +
    'A grant of the one does not grant the other.';
  findings.add('document-over-reach', 'information', operation.source, message);
}

function groups(operations: readonly DocumentOperation[]): Iterable<Compared[]> {
  const byLength = new Map<string, Compared[]>();
  for (const operation of operations) {
    const segments = operation.shape.split('/');
    const key = `${operation.method} ${segments.length}`;
    const group = byLength.get(key);
    if (group) group.push({ operation, segments });
    else byLength.set(key, [{ operation, segments }]);
  }
  return byLength.values();
}

function admits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.every((segment, index) => admitsSegment(segment, path[index] ?? ''));
}

/** `*` stands for one or more signs other than `:` and `;`. Linear: each literal part at its earliest place. */
function admitsSegment(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  const literals = pattern.split('*');
  const head = literals[0] ?? '';
  const tail = literals.at(-1) ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length <= head.length + tail.length)
    return false;
  const middle = text.slice(head.length, text.length - tail.length);
  return middleFits(literals.slice(1, -1), middle);
}

function middleFits(literals: readonly string[], text: string): boolean {
  let rest = text;
  for (const literal of literals) {
    const at = rest.indexOf(literal, 1);
    if (at === -1 || /[:;]/.test(rest.slice(0, at))) return false;
    rest = rest.slice(at + literal.length);
  }
  return rest !== '' && !/[:;]/.test(rest);
}
