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
  // Numbers and texts are written by RFC 8785 as ECMAScript does: where all members are in order nothing is left to do.
  const text = inOrder(value, 0) ? JSON.stringify(value) : serialize(value);
  if (text === undefined) throw new NotCanonical('The value is no JSON value.');
  return text;
}

/**
 * Whether all members stand in canonical order, by UTF-16 code units. What has no canonical form is refused here: the
 * serialiser recurses and takes anything, so nothing that was not looked at reaches it.
 * @throws NotCanonical
 */
function inOrder(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return requireUnicode(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotCanonical('A number is not finite.');
    return true;
  }
  if (typeof value !== 'object') throw new NotCanonical('The value is no JSON value.');
  if (depth >= MAX_NESTING) throw new NotCanonical(`The value is nested more than ${MAX_NESTING} deep.`);
  let ordered = true;
  if (Array.isArray(value)) {
    for (const item of value) ordered = inOrder(item, depth + 1) && ordered;
    return ordered;
  }
  let before: string | null = null;
  for (const name of Object.keys(value)) {
    const member: unknown = value[name as keyof typeof value];
    if (member === undefined) continue;
    requireUnicode(name);
    ordered = inOrder(member, depth + 1) && ordered && (before === null || before < name);
    before = name;
  }
  return ordered;
}

function requireUnicode(text: string): true {
  if (LONE_SURROGATE.test(text)) throw new NotCanonical('A text holds half of a surrogate pair.');
  return true;
}
