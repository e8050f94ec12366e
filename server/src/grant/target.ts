/**
 * The raw request target, checked before anything is looked up. A path segment has exactly one accepted spelling, so
 * a gate and a vendor cannot read two different paths into the same bytes.
 *
 * A value is spelled as `encodeURIComponent` spells it, which is how the injected client writes it: the characters
 * `A-Z a-z 0-9 - _ . ! ~ * ' ( )` stand for themselves, everything else is a percent escape in upper-case hexadecimal, of
 * UTF-8. A bare comma also stands for itself: it separates the elements of an array, where `%2C` is a comma inside one.
 */

/** Longest target let through, in characters. */
const MAX_TARGET = 8192;

export interface RawSegment {
  raw: string;
  /** Decoded once. */
  text: string;
}

export type SplitTarget =
  | { kind: 'split'; segments: RawSegment[]; query: [key: string, value: string][] }
  | { kind: 'refused'; text: string };

/** Splits a target into decoded segments and query pairs, or says what is not canonical about it. */
export function splitTarget(target: string): SplitTarget {
  const form = wrongForm(target);
  if (form !== null) return { kind: 'refused', text: form };
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const raws = path.slice(1).split('/');
  const segments: RawSegment[] = [];
  for (const [index, raw] of raws.entries()) {
    const text = decodeOnce(raw);
    const wrong = wrongSegment(raw, text, index === raws.length - 1);
    if (wrong !== null || text === null) return { kind: 'refused', text: wrong ?? INVALID_ESCAPE };
    segments.push({ raw, text });
  }
  if (mark < 0) return { kind: 'split', segments, query: [] };
  return splitQuery(segments, target.slice(mark + 1));
}

const INVALID_ESCAPE =
  'The request target holds an invalid percent escape; encode each value with encodeURIComponent.';

function wrongForm(target: string): string | null {
  if (!target.startsWith('/'))
    return 'The request target must be a path that begins with "/", not an address.';
  if (target.length > MAX_TARGET) return `The request target is longer than ${MAX_TARGET} characters.`;
  if (!/^[\x21-\x7e]*$/.test(target)) {
    return 'The request target holds spaces, control or non-ASCII characters; encode each value with encodeURIComponent.';
  }
  if (target.includes('#')) return 'The request target must not carry a fragment.';
  return null;
}

function wrongSegment(raw: string, text: string | null, last: boolean): string | null {
  if (text === null) return INVALID_ESCAPE;
  // A path may end in "/" where the document's own path does; the routes decide that.
  if (raw === '') return last ? null : 'The path has an empty segment.';
  if (/[/\\]/.test(text))
    return 'A path segment holds a slash or a backslash; a value must fit into one segment.';
  if (/^\.+$/.test(text)) return 'A path segment consists of dots only.';
  if (hasControl(text)) return 'A path segment holds a control character.';
  if (text.includes('%')) return 'A path segment is percent encoded twice; encode each value once.';
  return null;
}

function splitQuery(segments: RawSegment[], raw: string): SplitTarget {
  const query: [string, string][] = [];
  for (const pair of raw.split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) return { kind: 'refused', text: 'Each part of the query must be written as key=value.' };
    const rawKey = pair.slice(0, equals);
    const rawValue = pair.slice(equals + 1);
    const key = decodeOnce(rawKey);
    const value = decodeOnce(rawValue);
    if (key === null || value === null) return { kind: 'refused', text: INVALID_ESCAPE };
    if (encodeURIComponent(key) !== rawKey || !isCanonical(rawValue)) {
      return { kind: 'refused', text: 'The query is not percent-encoded in its one accepted spelling.' };
    }
    if (hasControl(key) || hasControl(value)) {
      return { kind: 'refused', text: 'The query holds a control character.' };
    }
    query.push([key, value]);
  }
  return { kind: 'split', segments, query };
}

/** Whether raw text is a value in its one spelling, or several with commas between them. */
export function isCanonical(raw: string): boolean {
  return raw.split(',').every((element) => {
    const text = decodeOnce(element);
    return text !== null && encodeURIComponent(text) === element;
  });
}

/** Null where an escape is malformed or its bytes are no UTF-8. */
export function decodeOnce(raw: string): string | null {
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

function hasControl(text: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
}
