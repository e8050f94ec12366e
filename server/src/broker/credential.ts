/**
 * The run's credential: one JWT per run, signed with a key pair that lives and dies with this process. Vendors verify
 * it against the broker's JWKS. All its times are on the run's clock, so a virtual run's token never outlives it.
 */
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { RunClock } from '../../../shared/src/clock.ts';
import { LIMITS } from '../../../shared/src/guestProtocol.ts';
import type { TokenVerifier } from '../vendor/vendor.ts';

export const ISSUER = 'urn:loadline:broker';
/** Seconds that clocks may be apart: taken from `nbf`, added to `exp`. */
const LEEWAY_S = 5;
/** Tokens whose signature is remembered: a few for each trial that is under way at once. */
const REMEMBERED = 1_024;

export interface MintOptions {
  /** `sub`: the run. */
  subject: string;
  /** `aud`: the vendor. */
  audience: string;
  /** Claim `grant`: digest of the grant that this run acts under. */
  grantDigest: string;
  clock: Pick<RunClock, 'epoch' | 'now'>;
  /** What the run may take on its clock, ms. Default: the budget of a virtual run. */
  budgetMs?: number;
}

export interface Credential {
  /** `Bearer <JWT>`. Never leaves the runner but for the vendor. */
  authorization: string;
  /** Id of the token; differs between runs, so it stands in no ledger and no trace. */
  jti: string;
  /** For the vendor of this run: 1 for this credential, 2 for another valid one of this process, else null. */
  verifier: TokenVerifier;
  /** No vendor of this process accepts the token from now on. */
  revoke(): void;
}

export interface Authority {
  /** Public keys only. */
  jwks: JSONWebKeySet;
  mint(options: MintOptions): Promise<Credential>;
}

/** Makes a fresh Ed25519 key pair. */
export async function createAuthority(): Promise<Authority> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const jwks: JSONWebKeySet = { keys: [{ ...publicJwk, kid, alg: 'EdDSA', use: 'sig' }] };
  const revoked = new Set<string>();
  const verifies = signatureCheck(jwks);

  return {
    jwks,
    async mint({ subject, audience, grantDigest, clock, budgetMs = LIMITS.virtualMs }) {
      const jti = randomUUID();
      const issuedAt = Math.floor((clock.epoch + clock.now()) / 1000);
      const token = await new SignJWT({ grant: grantDigest })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt - LEEWAY_S)
        .setExpirationTime(issuedAt + Math.ceil(budgetMs / 1000) + LEEWAY_S)
        .setJti(jti)
        .sign(privateKey);
      const verifier: TokenVerifier = {
        async verify(authorization, nowS) {
          const claims = await verifies(authorization, audience, nowS);
          if (claims?.jti === undefined || revoked.has(claims.jti)) return null;
          return claims.jti === jti ? 1 : 2;
        },
      };
      return { authorization: `Bearer ${token}`, jti, verifier, revoke: () => void revoked.add(jti) };
    },
  };
}

type SignatureCheck = (
  authorization: string | undefined,
  audience: string,
  nowS: number,
) => Promise<JWTPayload | null>;

/** Checks a signature once per token; issuer, audience and times at every call. */
function signatureCheck(jwks: JSONWebKeySet): SignatureCheck {
  const keys = createLocalJWKSet(jwks);
  const signed = new Map<string, JWTPayload>();
  return async (authorization, audience, nowS) => {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(authorization ?? '')?.[1];
    if (token === undefined) return null;
    const known = signed.get(token);
    if (known) return known.aud === audience && isCurrent(known, nowS) ? known : null;
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['EdDSA'],
        issuer: ISSUER,
        audience,
        currentDate: new Date(nowS * 1000),
        requiredClaims: ['sub', 'iat', 'nbf', 'exp', 'jti'],
      });
      const [oldest] = signed.keys();
      if (signed.size >= REMEMBERED && oldest !== undefined) signed.delete(oldest);
      signed.set(token, payload);
      return payload;
    } catch {
      return null;
    }
  };
}

/** As `jwtVerify` judges: an absent time is no time to be current at. */
function isCurrent({ nbf, exp }: JWTPayload, nowS: number): boolean {
  const now = Math.floor(nowS);
  return nbf !== undefined && exp !== undefined && nbf <= now && exp > now;
}
