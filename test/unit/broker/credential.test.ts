import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { createAuthority, ISSUER, type MintOptions } from '../../../server/src/broker/credential.ts';
import { VirtualClock } from '../../../server/src/runner/clock.ts';

const EPOCH = Date.UTC(2026, 0, 5, 12, 0, 0) + 700;
const START = Math.floor(EPOCH / 1000);

function options(more: Partial<MintOptions> = {}): MintOptions {
  return {
    subject: 'run-1',
    audience: 'Fleet',
    grantDigest: 'sha256:aa',
    clock: new VirtualClock(EPOCH),
    ...more,
  };
}

function tokenOf(authorization: string): string {
  expect(authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
  return authorization.slice('Bearer '.length);
}

describe('the token', () => {
  test('is an EdDSA JWT whose times are on the run clock', async () => {
    const authority = await createAuthority();
    const clock = new VirtualClock(EPOCH);
    clock.moveTo(4500);
    const { authorization, jti } = await authority.mint(options({ clock, budgetMs: 20_001 }));
    const token = tokenOf(authorization);
    const [key] = authority.jwks.keys;
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', kid: key?.kid, typ: 'JWT' });
    expect(decodeJwt(token)).toEqual({
      iss: ISSUER,
      sub: 'run-1',
      aud: 'Fleet',
      iat: START + 5,
      nbf: START,
      exp: START + 5 + 21 + 5,
      jti,
      grant: 'sha256:aa',
    });
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('lives for the 30 minutes of a virtual run where nothing else is said', async () => {
    const { authorization } = await (await createAuthority()).mint(options());
    expect(decodeJwt(tokenOf(authorization)).exp).toBe(START + 1800 + 5);
  });

  test('verifies with the public keys alone, and those hold nothing private', async () => {
    const authority = await createAuthority();
    expect(authority.jwks.keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
    ]);
    const { authorization, jti } = await authority.mint(options());
    const { payload } = await jwtVerify(tokenOf(authorization), createLocalJWKSet(authority.jwks), {
      currentDate: new Date(EPOCH),
      audience: 'Fleet',
    });
    expect(payload.jti).toBe(jti);
  });

  test('differs between runs', async () => {
    const authority = await createAuthority();
    const [one, two] = [await authority.mint(options()), await authority.mint(options())];
    expect(one.jti).not.toBe(two.jti);
    expect(one.authorization).not.toBe(two.authorization);
  });
});

describe('the verifier', () => {
  test("1 for this run's credential, 2 for another run's, null for the rest", async () => {
    const authority = await createAuthority();
    const mine = await authority.mint(options());
    const other = await authority.mint(options({ subject: 'run-2' }));
    const elsewhere = await authority.mint(options({ audience: 'Another vendor' }));
    const stranger = await (await createAuthority()).mint(options());
    const { verifier } = mine;
    const answers = [];
    for (const one of [mine, other, elsewhere, stranger]) {
      answers.push([
        await verifier.verify(one.authorization, START),
        await verifier.verify(one.authorization, START),
      ]);
    }
    expect(answers).toEqual([
      [1, 1],
      [2, 2],
      [null, null],
      [null, null],
    ]);
    expect(await other.verifier.verify(mine.authorization, START)).toBe(2);
    expect(await elsewhere.verifier.verify(elsewhere.authorization, START)).toBe(1);
    // Remembered under its own audience, it is still none for this one.
    expect(await verifier.verify(elsewhere.authorization, START)).toBeNull();
  });

  test.each([
    ['5 s before it was issued', -5, 1],
    ['earlier', -6, null],
    ['just before the end', 1804.9, 1],
    ['at the end', 1805, null],
  ])('times, at each call: %s', async (_, offset, expected) => {
    const { authorization, verifier } = await (await createAuthority()).mint(options());
    expect(await verifier.verify(authorization, START + offset)).toBe(expected);
    expect(await verifier.verify(authorization, START)).toBe(1);
    expect(await verifier.verify(authorization, START + offset)).toBe(expected);
  });

  test('a revoked token is none, also one that was accepted before, for every verifier', async () => {
    const authority = await createAuthority();
    const mine = await authority.mint(options());
    const other = await authority.mint(options());
    expect(await mine.verifier.verify(mine.authorization, START)).toBe(1);
    mine.revoke();
    expect(await mine.verifier.verify(mine.authorization, START)).toBeNull();
    expect(await other.verifier.verify(mine.authorization, START)).toBeNull();
    expect(await mine.verifier.verify(other.authorization, START)).toBe(2);
  });

  test('checks a signature once per token', async () => {
    const { authorization, verifier } = await (await createAuthority()).mint(options());
    const verify = vi.spyOn(crypto.subtle, 'verify');
    try {
      for (let index = 0; index < 5; index += 1) expect(await verifier.verify(authorization, START)).toBe(1);
      expect(verify).toHaveBeenCalledTimes(1);
    } finally {
      verify.mockRestore();
    }
  });

  test('what is no such token', async () => {
    const authority = await createAuthority();
    const { authorization, verifier } = await authority.mint(options());
    const token = tokenOf(authorization);
    const claims = { ...decodeJwt(token), jti: 'forged' };
    const kid = authority.jwks.keys[0]?.kid ?? '';
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey);
    const secret = new TextEncoder().encode(JSON.stringify(authority.jwks.keys[0]));
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    const unsigned = new UnsecuredJWT(claims).encode();
    const [head, body, signature = ''] = token.split('.');
    const changed = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    const cases = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `bearer ${token}`,
      `Bearer  ${token}`,
      `Bearer ${token} `,
      `Bearer ${forged}`,
      `Bearer ${confused}`,
      `Bearer ${unsigned}`,
      `Bearer ${head}.${body}.${changed}`,
      `Bearer ${head}.${forged.split('.')[1]}.${signature}`,
    ];
    const answers = [];
    for (const one of cases) answers.push(await verifier.verify(one, START));
    expect(answers).toEqual(cases.map(() => null));
  });
});
