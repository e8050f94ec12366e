/** One line of a verdict file: its byte form, its key and its signature. */
import { base64url } from 'jose';
import { Unjudgeable } from '../contracts/shape.ts';
import { canonical, MAX_NESTING, NotCanonical } from './canonical.ts';
import { sha256 } from './digest.ts';
import { Refused } from './failures.ts';
import { type MetKeys, protectedHeader, signatureHolds } from './jws.ts';
import type { PublicKey } from './statement.ts';
import { type ParsedLine, parsedLine } from './statementShape.ts';

export const LINE_BYTES = 8 * 1024 * 1024;

/** base64url of 64 bytes: the last character carries two bits, its four spare ones are 0. */
const SIGNATURE = /^[\w-]{85}[AQgw]$/;

/** A line in its right form whose signature is its key's. */
export type ReadLine = ParsedLine & {
  kid: string;
  /** SHA-256 of the line, LF apart. */
  digest: string;
};

/**
 * Reads a line, given without its LF.
 * @param keys those of the same verification
 * @throws Refused of kind `form` or `signature`
 */
export async function readLine(text: string, keys: MetKeys): Promise<ReadLine> {
  requireSize(text);
  requireNesting(text);
  const parsed = parse(text);
  const { line } = parsed;
  const payload = requireCanonical(text, line);
  const kid = requireHeader(parsed);
  if (!SIGNATURE.test(line.signature))
    throw new Refused('form', 'The signature is not 64 bytes in base64url as they are written.');
  const key = await keys.of(keyOf(parsed));
  if (key.kid !== kid) throw new Refused('signature', 'The key id is not that of the key in the line.');
  if (!(await signatureHolds({ protected: line.protected, signature: line.signature, payload }, key)))
    throw new Refused('signature', 'The signature does not belong to this statement and key.');
  return { ...parsed, kid, digest: await sha256(text) };
}

function requireSize(text: string): void {
  // A UTF-16 code unit is one byte of UTF-8 or more, three at most.
  if (text.length * 3 <= LINE_BYTES) return;
  if (text.length > LINE_BYTES || new TextEncoder().encode(text).length > LINE_BYTES)
    throw new Refused('form', `The line is longer than ${LINE_BYTES} bytes.`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counted over the text, so that nothing deep reaches a parser. */
function requireNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else depth += change(code);
    if (depth > MAX_NESTING) throw new Refused('form', `The line is nested more than ${MAX_NESTING} deep.`);
  }
}

/** 1 at `[` and `{`, -1 at `]` and `}`: they are a case bit (0x20) apart, and no other character is. */
function change(code: number): number {
  const bracket = code | 0x20;
  return bracket === 0x7b ? 1 : bracket === 0x7d ? -1 : 0;
}

function parse(text: string): ParsedLine {
  try {
    return parsedLine(JSON.parse(text));
  } catch (error) {
    if (error instanceof Unjudgeable) throw new Refused('form', error.message);
    throw new Refused('form', 'The line is not JSON.');
  }
}

/** The canonical form of the statement, which the line has to hold in exactly these bytes. */
function requireCanonical(text: string, line: ParsedLine['line']): string {
  const payload = canonicalOrRefused(line.statement);
  const rest = { protected: line.protected, signature: line.signature };
  const expected = `${canonicalOrRefused(rest).slice(0, -1)},"statement":${payload}}`;
  if (text !== expected) throw new Refused('form', 'The line is not in canonical form (RFC 8785).');
  return payload;
}

function canonicalOrRefused(value: unknown): string {
  try {
    return canonical(value);
  } catch (error) {
    if (error instanceof NotCanonical) throw new Refused('form', error.message);
    throw error;
  }
}

/** The key id of a protected header that is, byte for byte, the one of that kind and key. */
function requireHeader({ kind, line }: ParsedLine): string {
  const header = headerOf(line.protected);
  if (Object.hasOwn(header, 'alg') && header.alg !== 'EdDSA')
    throw new Refused('signature', 'The signature is of another algorithm than EdDSA.');
  const kid = Object.hasOwn(header, 'kid') ? header.kid : undefined;
  if (typeof kid !== 'string' || line.protected !== protectedHeader(kind, kid))
    throw new Refused('form', `The protected header is not the one of a ${kind}.`);
  return kid;
}

function headerOf(text: string): { alg?: unknown; kid?: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(base64url.decode(text)));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below: what is no header is as wrong as another one.
  }
  throw new Refused('form', 'The protected header is no JSON object in base64url.');
}

function keyOf(parsed: ParsedLine): PublicKey {
  return parsed.kind === 'checkpoint'
    ? parsed.line.statement.predicate.key
    : parsed.line.statement.predicate.run.key;
}
