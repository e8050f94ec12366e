/** Canonical JSON (RFC 8785): what is signed and digested. */
import serialize from 'canonicalize';

/** Deeper than evidence can be: what a guest says is nested at most 64 deep, and a statement adds a few. */
export const MAX_NESTING = 96;

const LONE_SURROGATE = /\p{Cs}/u;

/** What has no canonical form: no JSON value, nested too deep, or a text that is no Unicode. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/**
 * The canonical form of a JSON value; members that are `undefined` count as absent.
 * @throws NotCanonical
 */
export function canonical(value: unknown): string {
  requireCanonical(value, 0);
  const text = serialize(value);
  if (text === undefined) throw new NotCanonical('The value is no JSON value.');
  return text;
}

/** The serialiser recurses and takes anything, so nothing that was not looked at reaches it. */
function requireCanonical(value: unknown, depth: number): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new NotCanonical('A text holds half of a surrogate pair.');
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotCanonical('A number is not finite.');
    return;
  }
  if (typeof value !== 'object') throw new NotCanonical('The value is no JSON value.');
  if (depth >= MAX_NESTING) throw new NotCanonical(`The value is nested more than ${MAX_NESTING} deep.`);
  if (Array.isArray(value)) for (const item of value) requireCanonical(item, depth + 1);
  else
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      requireCanonical(name, depth + 1);
      requireCanonical(member, depth + 1);
    }
}
