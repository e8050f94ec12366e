/** SHA-256 through WebCrypto, alike in Node and in a browser. */
import { canonical } from './canonical.ts';

const DIGEST = /^[0-9a-f]{64}$/;
const encoder = new TextEncoder();

/** Lower-case hex; of a text, the digest of its UTF-8 bytes. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Digest of a value's canonical form. */
export async function canonicalDigest(value: unknown): Promise<string> {
  return sha256(canonical(value));
}

/** Whether a value is a SHA-256 digest as this program writes them. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
