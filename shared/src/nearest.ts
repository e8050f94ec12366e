/** "Did you mean": the known word nearest to an unknown one. */

const LONGEST = 200;

/**
 * The nearest of `known` within a third of the word's length (at least 1, at most 4 edits; a swap of two neighbours
 * is one), or nothing. Ties go to the earlier one.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const lower = word.toLowerCase();
  let limit = Math.min(4, Math.max(1, Math.floor(word.length / 3)));
  let best: string | undefined;
  for (const candidate of known) {
    if (candidate.length > LONGEST || Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance > limit || (best !== undefined && distance === limit)) continue;
    best = candidate;
    limit = distance;
    if (distance === 0) break;
  }
  return best;
}

/** ` Did you mean "x"?`, or the empty string. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

/** Optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, (before[j - 2] ?? 0) + 1);
      }
      row.push(value);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
