/** Detached JWS over a statement's canonical form, EdDSA alone, and the key that goes with it. */
import {
  base64url,
  type CryptoKey,
  calculateJwkThumbprint,
  FlattenedSign,
  flattenedVerify,
  importJWK,
} from 'jose';
import { canonical } from './canonical.ts';
import type { LineKind, PublicKey, SignedLine, Statement } from './statement.ts';

export interface SigningKey {
  /** Of type Ed25519. */
  privateKey: CryptoKey;
  publicKey: PublicKey;
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
}

/** RFC 7638 thumbprint (SHA-256, base64url) of a public key. */
export function thumbprint({ kty, crv, x }: PublicKey): Promise<string> {
  return calculateJwkThumbprint({ kty, crv, x }, 'sha256');
}

/** The protected header of a line, base64url of exactly the bytes that every line of that kind and key has. */
export function protectedHeader(kind: LineKind, kid: string): string {
  return base64url.encode(JSON.stringify({ alg: 'EdDSA', kid, typ: `loadline-${kind}+jws` }));
}

/** Signs a statement. */
export async function signStatement<S extends Statement<unknown>>(
  kind: LineKind,
  statement: S,
  key: SigningKey,
): Promise<SignedLine<S>> {
  const payload = new TextEncoder().encode(canonical(statement));
  const header = { alg: 'EdDSA', kid: key.kid, typ: `loadline-${kind}+jws` };
  const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(key.privateKey);
  return { protected: protectedHeader(kind, key.kid), signature: jws.signature, statement };
}

/** Public keys as they are met in one verification: each is imported once. */
export class MetKeys {
  readonly #met = new Map<string, Promise<MetKey>>();

  of(key: PublicKey): Promise<MetKey> {
    const met = this.#met.get(key.x) ?? imported(key);
    this.#met.set(key.x, met);
    return met;
  }
}

export interface MetKey {
  kid: string;
  /** null: these are not the bytes of a key. */
  key: CryptoKey | null;
}

/** Whether a signature over the canonical text of a statement is that key's. */
export async function signatureHolds(
  line: { protected: string; signature: string; payload: string },
  { key }: MetKey,
): Promise<boolean> {
  if (key === null) return false;
  const jws = { ...line, payload: base64url.encode(line.payload) };
  try {
    await flattenedVerify(jws, key, { algorithms: ['EdDSA'] });
    return true;
  } catch {
    return false;
  }
}

async function imported(publicKey: PublicKey): Promise<MetKey> {
  const kid = await thumbprint(publicKey);
  const { kty, crv, x } = publicKey;
  const key = await importJWK({ kty, crv, x }, 'EdDSA').catch(() => null);
  return { kid, key: key instanceof Uint8Array ? null : key };
}
