import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SignerProcess } from '../../../server/src/runs/signerProcess.ts';
import { keyPlace } from '../../../server/src/signer/keyPlace.ts';
import { loadKey, publicKeys, retiredKeys, rotateKey } from '../../../server/src/signer/keys.ts';
import { trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import { signerScript } from './processes.ts';
import { filesIn, placeIn, placeOfMode, temporaryFolder } from './support.ts';

const mode = (path: string) => statSync(path).mode & 0o7777;
const jsonOf = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

describe('where the key is', () => {
  test('in the configuration folder, or where LOADLINE_SIGNING_KEY says', () => {
    expect(keyPlace({ XDG_CONFIG_HOME: '/c' }).file).toBe('/c/loadline/key.jwk');
    expect(keyPlace({ XDG_CONFIG_HOME: 'relative', HOME: '/home/x' }).file).toMatch(
      /\/\.config\/loadline\/key\.jwk$/,
    );
    const named = keyPlace({ XDG_CONFIG_HOME: '/c', LOADLINE_SIGNING_KEY: '/s/ci.jwk' });
    expect([named.file, named.known, named.heads]).toEqual([
      '/s/ci.jwk',
      '/s/ci.known.jwk',
      '/s/ci.heads.json',
    ]);
  });
});

describe('the first use', () => {
  test('makes a key that only its owner may read, in a folder that only its owner may enter', async () => {
    const place = placeIn();
    const key = await loadKey(place);
    expect([mode(place.folder), mode(place.file)]).toEqual([0o700, 0o600]);
    expect(Object.keys(jsonOf(place.file))).toEqual(['kty', 'crv', 'x', 'd']);
    expect(jsonOf(place.known)).toEqual(key.publicKey);
    expect(key.privateKey.extractable).toBe(false);
    expect(filesIn(place.folder)).toEqual(['key.jwk', 'key.known.jwk']);
    expect((await loadKey(place)).kid).toBe(key.kid);
  });

  test('by several processes at once ends with one key', async () => {
    const config = temporaryFolder();
    vi.stubEnv('XDG_CONFIG_HOME', config);
    const signers = Array.from({ length: 4 }, () => new SignerProcess(signerScript));
    const sets = await Promise.all(signers.map((signer) => signer.exportKeys()));
    await Promise.all(signers.map((signer) => signer.stop()));
    expect(new Set(sets.map(({ keys }) => keys.map(({ kid }) => kid).join()))).toHaveLength(1);
    expect(filesIn(placeIn(config).folder)).toEqual(['key.jwk', 'key.known.jwk']);
  });

  test('by many calls of one process at once ends with one key', async () => {
    const place = placeIn();
    const kids = await Promise.all(Array.from({ length: 12 }, async () => (await loadKey(place)).kid));
    expect(new Set(kids)).toHaveLength(1);
  });
});

describe('a key that is not as it was', () => {
  test('missing: it is said, and no other is made', async () => {
    const place = placeIn();
    const { kid } = await loadKey(place);
    rmSync(place.file);
    await expect(loadKey(place)).rejects.toThrow(
      `The signing key ${kid} is missing from ${place.file}; put it back, or run "loadline keys rotate" to go on with a new one.`,
    );
    expect(existsSync(place.file)).toBe(false);
  });

  test('exchanged: it is said, and removing what was known accepts it', async () => {
    const place = placeIn();
    const other = placeIn();
    const { kid: before } = await loadKey(place);
    const { kid } = await loadKey(other);
    copyFileSync(other.file, place.file);
    await expect(loadKey(place)).rejects.toThrow(
      `${place.file} holds the key ${kid} and not ${before}, which signed so far; put that key back, or remove ${place.known} to go on with this one.`,
    );
    rmSync(place.known);
    expect((await loadKey(place)).kid).toBe(kid);
  });

  test.each([0o640, 0o604, 0o620, 0o666])('readable or writable by others (%o): refused', async (loose) => {
    const place = placeIn();
    await loadKey(place);
    chmodSync(place.file, loose);
    await expect(loadKey(place)).rejects.toThrow(
      `Others may read the signing key; run: chmod 600 ${place.file}`,
    );
  });

  test('in a folder that is open to others: refused', async () => {
    const place = placeOfMode(0o755);
    await expect(loadKey(place)).rejects.toThrow(
      `The folder of the signing key is open to others; run: chmod 700 ${place.folder}`,
    );
    expect(existsSync(place.file)).toBe(false);
  });

  test('named by the person: its folder may be read, but not written by others', async () => {
    const readable = placeOfMode(0o755, true);
    expect((await loadKey(readable)).kid).toHaveLength(43);
    const writable = placeOfMode(0o775, true);
    await expect(loadKey(writable)).rejects.toThrow(
      `Others may write into ${writable.folder}, where the signing key is; run: chmod go-w ${writable.folder}`,
    );
    expect((await loadKey(placeOfMode(0o1777, true))).kid).toHaveLength(43);
  });

  test('damaged: it is said without a word of what it holds, and nothing is overwritten', async () => {
    const place = placeIn();
    await loadKey(place);
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I';
    for (const text of [
      '',
      'null',
      `{"kty":"OKP","d":"${secret}"`,
      `{"kty":"EC","crv":"P-256","d":"${secret}"}`,
    ]) {
      writeFileSync(place.file, text);
      await expect(loadKey(place)).rejects.toThrow(
        `${place.file} holds no Ed25519 private key as a JWK; put the right file back, or move it away.`,
      );
      expect(readFileSync(place.file, 'utf8')).toBe(text);
    }
  });

  test('of two halves that do not belong together: refused', async () => {
    const place = placeIn();
    const other = placeIn();
    await loadKey(place);
    await loadKey(other);
    const mixed = { ...jsonOf(place.file), x: jsonOf(other.file).x };
    writeFileSync(place.file, JSON.stringify(mixed));
    const refused = await loadKey(place).catch((error: Error) => error.message);
    expect(refused).toBe(
      `The two halves of the key in ${place.file} do not belong together; put the right file back.`,
    );
  });
});

describe('rotation', () => {
  test('keeps of the old key the public part alone', async () => {
    const place = placeIn();
    const old = await loadKey(place);
    const secret = jsonOf(place.file).d;
    const { kid, rotatedFrom } = await rotateKey(place);
    expect(rotatedFrom).toBe(old.kid);
    expect(jsonOf(place.retired(old.kid))).toEqual(old.publicKey);
    expect(await loadKey(place)).toMatchObject({ kid, rotatedFrom: old.kid });
    for (const name of filesIn(place.folder))
      expect(readFileSync(`${place.folder}/${name}`, 'utf8')).not.toContain(secret);
    expect([mode(place.file), mode(dirname(place.file))]).toEqual([0o600, 0o700]);
  });

  test('exports every public key, the one in use first', async () => {
    const place = placeIn();
    const first = await loadKey(place);
    await rotateKey(place);
    const third = await rotateKey(place);
    const set = await publicKeys(place);
    expect(set.keys[0]).toEqual({
      ...{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String) },
      ...{ kid: third.kid, alg: 'EdDSA', use: 'sig' },
    });
    expect(new Set(set.keys.map(({ kid }) => kid))).toEqual(
      new Set([third.kid, third.rotatedFrom, first.kid]),
    );
    expect(await trustedKeyIds(set)).toEqual(new Set([third.kid, third.rotatedFrom, first.kid]));
  });

  test('is the way on where the key is lost', async () => {
    const place = placeIn();
    const { kid: lost } = await loadKey(place);
    rmSync(place.file);
    const { kid } = await rotateKey(place);
    expect(await loadKey(place)).toMatchObject({ kid, rotatedFrom: lost });
    expect(await retiredKeys(place)).toHaveLength(1);
  });

  test('by two at once rotates twice and loses no public key', async () => {
    const place = placeIn();
    const { kid: first } = await loadKey(place);
    const [a, b] = await Promise.all([rotateKey(place), rotateKey(place)]);
    const last = await loadKey(place);
    expect([a.kid, b.kid]).toContain(last.kid);
    expect(new Set((await publicKeys(place)).keys.map(({ kid }) => kid))).toEqual(
      new Set([first, a.kid, b.kid]),
    );
  });

  test('while others load the key disturbs none of them', async () => {
    const place = placeIn();
    await loadKey(place);
    const loads = Array.from({ length: 20 }, () => loadKey(place));
    const rotated = await rotateKey(place);
    for (const { kid } of await Promise.all(loads)) expect([rotated.kid, rotated.rotatedFrom]).toContain(kid);
  });

  test('of no key at all is refused', async () => {
    const place = placeIn();
    await expect(rotateKey(place)).rejects.toThrow(
      `There is no key at ${place.file} to rotate; the first signature makes one.`,
    );
  });
});

beforeEach(() => vi.stubEnv('LOADLINE_SIGNING_KEY', undefined));
afterEach(() => vi.unstubAllEnvs());
