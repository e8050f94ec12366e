/** The signing key of a person: made on first use, never overwritten, never replaced in silence, never shown. */
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { exportJWK, generateKeyPair } from 'jose';
import { type SigningKey as CoreKey, thumbprint } from '../../../shared/src/evidence/jws.ts';
import type { PublicKey } from '../../../shared/src/evidence/statement.ts';
import { createFile, replaceFile } from './durable.ts';
import type { KeyPlace } from './keyPlace.ts';
import { withLock } from './lock.ts';
import { errorCode, fileTrouble, SigningRefused } from './refused.ts';

/** Its private half cannot be exported any more. */
export interface SigningKey extends CoreKey {
  /** Key id of the key before this one. */
  rotatedFrom?: string;
}

interface PrivateJwk extends PublicKey {
  d: string;
  rotatedFrom?: string;
}

const FILE_MODE = 0o600;
const MOST_BYTES = 64 * 1024;
const PART = /^[A-Za-z0-9_-]{43}$/;

/** The key in use; the first call ever makes it. @throws SigningRefused */
export async function loadKey(place: KeyPlace): Promise<SigningKey> {
  await prepareFolder(place);
  const stored = (await readPrivate(place)) ?? (await firstKey(place));
  const key = await imported(place, stored);
  const before = await remember(place, key);
  if (before === null) return key;
  // A rotation may have come between the two looks.
  if ((await readPrivate(place))?.x !== stored.x) return loadKey(place);
  throw new SigningRefused(
    `${place.file} holds the key ${key.kid} and not ${before}, which signed so far; put that key back, or remove ${place.known} to go on with this one.`,
  );
}

/** A public key as a JWK set has it. */
export interface ListedKey extends PublicKey {
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** Public parts of the key in use and, after it, of those before it, as a JWK set. @throws SigningRefused */
export async function publicKeys(place: KeyPlace): Promise<{ keys: ListedKey[] }> {
  const { publicKey } = await loadKey(place);
  const all = [publicKey, ...(await retiredKeys(place))];
  const listed = all.map(async (key): Promise<ListedKey> => {
    return { ...key, kid: await thumbprint(key), alg: 'EdDSA', use: 'sig' };
  });
  return { keys: await Promise.all(listed) };
}

/** Public parts of keys that were rotated away. */
export async function retiredKeys(place: KeyPlace): Promise<PublicKey[]> {
  const names = (await readdir(place.folder)).sort();
  const keys: PublicKey[] = [];
  for (const name of names) {
    const kid = place.retiredKid(name);
    const key = kid === null ? null : await readPublic(place.retired(kid));
    if (key !== null && (await thumbprint(key)) === kid) keys.push(key);
  }
  return keys;
}

/**
 * Puts a new key in place of the one in use, of which only the public part stays. Also the way on where a known key
 * is lost. @throws SigningRefused
 */
export async function rotateKey(place: KeyPlace): Promise<{ kid: string; rotatedFrom: string }> {
  await prepareFolder(place);
  return withLock(place.lock, async () => {
    const stored = await readPrivate(place);
    const old = stored ?? (await readPublic(place.known));
    if (old === null)
      throw new SigningRefused(`There is no key at ${place.file} to rotate; the first signature makes one.`);
    const rotatedFrom = await thumbprint(old);
    const made = { ...(await generated()), rotatedFrom };
    try {
      await createFile(place.retired(rotatedFrom), json(publicPart(old)), FILE_MODE);
      await replaceFile(place.file, json(made), FILE_MODE);
    } catch (error) {
      throw fileTrouble('written', place.file, error);
    }
    const key = await imported(place, made);
    await remember(place, key);
    return { kid: key.kid, rotatedFrom };
  });
}

async function prepareFolder({ folder, named }: KeyPlace): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') return;
    const { mode } = await stat(folder);
    const others = named ? mode & 0o022 : mode & 0o077;
    // In a sticky folder (/tmp) others cannot take the key's name away.
    if (others === 0 || (named && (mode & 0o1000) !== 0)) return;
  } catch (error) {
    throw fileTrouble('made', folder, error);
  }
  throw new SigningRefused(
    named
      ? `Others may write into ${folder}, where the signing key is; run: chmod go-w ${folder}`
      : `The folder of the signing key is open to others; run: chmod 700 ${folder}`,
  );
}

/** null: there is none. */
async function readPrivate({ file }: KeyPlace): Promise<PrivateJwk | null> {
  const text = await readKeyFile(file, true);
  if (text === null) return null;
  const key = parsed(text);
  const { d, rotatedFrom } = (key ?? {}) as { d?: unknown; rotatedFrom?: unknown };
  const open = publicOf(key);
  if (open === null || typeof d !== 'string' || !PART.test(d))
    throw new SigningRefused(
      `${file} holds no Ed25519 private key as a JWK; put the right file back, or move it away.`,
    );
  return { ...open, d, ...(typeof rotatedFrom === 'string' ? { rotatedFrom } : {}) };
}

/** null: there is none. `secret`: a file that others may read is refused. */
async function readKeyFile(file: string, secret: boolean): Promise<string | null> {
  try {
    const handle = await open(file, 'r');
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new SigningRefused(`${file} is no regular file; a signing key is one.`);
      if (secret && process.platform !== 'win32' && (found.mode & 0o077) !== 0)
        throw new SigningRefused(`Others may read the signing key; run: chmod 600 ${file}`);
      if (found.size > MOST_BYTES) throw new SigningRefused(`${file} is too large for a key.`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SigningRefused) throw error;
    if (errorCode(error) === 'ENOENT') return null;
    throw fileTrouble('read', file, error);
  }
}

/** Two that get here together end with the key of the faster one. */
async function firstKey(place: KeyPlace): Promise<PrivateJwk> {
  const known = await readPublic(place.known);
  if (known === null) {
    try {
      await createFile(place.file, json(await generated()), FILE_MODE);
    } catch (error) {
      throw fileTrouble('written', place.file, error);
    }
  }
  // What is known is written after the key: the key may have come between the two looks.
  const stored = await readPrivate(place);
  if (stored !== null) return stored;
  const kid = known === null ? 'that was just made' : await thumbprint(known);
  throw new SigningRefused(
    `The signing key ${kid} is missing from ${place.file}; put it back, or run "loadline keys rotate" to go on with a new one.`,
  );
}

async function generated(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const { x, d } = await exportJWK(privateKey);
  if (x === undefined || d === undefined) throw new SigningRefused('This Node cannot make Ed25519 keys.');
  return { kty: 'OKP', crv: 'Ed25519', x, d };
}

async function imported({ file }: KeyPlace, stored: PrivateJwk): Promise<SigningKey> {
  const { subtle } = globalThis.crypto;
  const { d, rotatedFrom } = stored;
  const publicKey = publicPart(stored);
  try {
    const privateKey = await subtle.importKey('jwk', { ...publicKey, d }, 'Ed25519', false, ['sign']);
    const verifying = await subtle.importKey('jwk', { ...publicKey }, 'Ed25519', false, ['verify']);
    const trial = new Uint8Array(32);
    const signature = await subtle.sign('Ed25519', privateKey, trial);
    const kid = await thumbprint(publicKey);
    if (await subtle.verify('Ed25519', verifying, signature, trial))
      return { kid, privateKey, publicKey, ...(rotatedFrom ? { rotatedFrom } : {}) };
  } catch {
    // Said below; what the library says may quote the key.
  }
  throw new SigningRefused(
    `The two halves of the key in ${file} do not belong together; put the right file back.`,
  );
}

/**
 * Keeps the public part beside the key, so that a key that is gone or exchanged is noticed. Gives the id of the key
 * that signed so far where this one does not follow it, else null.
 */
async function remember(
  place: KeyPlace,
  { kid, publicKey, rotatedFrom }: SigningKey,
): Promise<string | null> {
  const known = await readPublic(place.known);
  const before = known === null ? null : await thumbprint(known);
  if (before === kid) return null;
  if (before !== null && before !== rotatedFrom) return before;
  try {
    await replaceFile(place.known, json(publicKey), FILE_MODE);
  } catch (error) {
    // A key that is mounted read-only is put there anew by whoever mounts it.
    if (errorCode(error) !== 'EROFS' && errorCode(error) !== 'EACCES')
      throw fileTrouble('written', place.known, error);
  }
  return null;
}

async function readPublic(file: string): Promise<PublicKey | null> {
  const text = await readKeyFile(file, false);
  return text === null ? null : publicOf(parsed(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function publicOf(value: unknown): PublicKey | null {
  const { kty, crv, x } = (value ?? {}) as { kty?: unknown; crv?: unknown; x?: unknown };
  return kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && PART.test(x) ? { kty, crv, x } : null;
}

function publicPart({ kty, crv, x }: PublicKey): PublicKey {
  return { kty, crv, x };
}

function json(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
