/** Where the lines of an older text are in a newer one. */

/** More pairs of lines than these are not compared: only the common head and tail are found again then. */
const MOST_PAIRS = 1_000_000;

/**
 * For each line of `before` (0-based) its line in `after`, or null where it is not there any more. Line ends do not
 * count; of equal lines those are paired that keep the longest common order.
 */
export function lineMap(before: string, after: string): (number | null)[] {
  const old = before.split(/\r\n|\r|\n/);
  const now = after.split(/\r\n|\r|\n/);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const middle = pairs(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return old.map((_, line) => {
    if (line < head) return line;
    if (line >= old.length - tail) return line + now.length - old.length;
    const found = middle[line - head] ?? null;
    return found === null ? null : found + head;
  });
}

/** A longest common subsequence. */
function pairs(old: readonly string[], now: readonly string[]): (number | null)[] {
  const found: (number | null)[] = old.map(() => null);
  if (old.length * now.length > MOST_PAIRS) return found;
  const width = now.length + 1;
  // lengths[i * width + j]: of the longest one of old from i on and now from j on.
  const lengths = new Uint32Array((old.length + 1) * width);
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        old[i] === now[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) found[i++] = j++;
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return found;
}
