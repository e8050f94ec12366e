/** Patterns over relative paths: `*` and `?` stay inside a segment, `**` as a segment stands for any number of them. */

/** Linear in pattern x path: no regular expression is made of a pattern. */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(clean(pattern), path.split('/'));
}

function clean(pattern: string): string[] {
  return pattern.split('/').filter((segment) => segment !== '.' && segment !== '');
}

/** `reached[j]`: the pattern so far fits the first j segments. */
function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  let reached = [true, ...path.map(() => false)];
  for (const segment of pattern) {
    const next = path.map(
      (_, index) => reached[index] === true && segment !== '**' && matchSegment(segment, path[index] ?? ''),
    );
    reached = segment === '**' ? spread(reached) : [false, ...next];
  }
  return reached[path.length] === true;
}

function spread(reached: readonly boolean[]): boolean[] {
  const first = reached.indexOf(true);
  return reached.map((_, index) => first !== -1 && index >= first);
}

/** Two pointers and one way back: the last `*`. */
function matchSegment(pattern: string, text: string): boolean {
  let p = 0;
  let star = -1;
  let starText = 0;
  for (let t = 0; t < text.length; ) {
    if (p < pattern.length && (pattern[p] === '?' || (pattern[p] !== '*' && pattern[p] === text[t]))) {
      p += 1;
      t += 1;
    } else if (pattern[p] === '*') {
      star = p;
      starText = t;
      p += 1;
    } else if (star !== -1) {
      p = star + 1;
      starText += 1;
      t = starText;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
