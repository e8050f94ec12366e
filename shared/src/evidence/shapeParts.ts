/** Forms of the members that signed statements are made of. */
import { type Check, list, literal, number, object, oneOf } from '../contracts/shape.ts';
import { isDigest } from './digest.ts';
import type { VerdictEnvironment } from './statement.ts';

const BASE_NAME = /^[^/\\\p{Cc}]{1,255}$/u;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** base64url of 32 bytes: the last character carries four bits, its two spare ones are 0. */
const KEY_BYTES = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** An object with these own members and no other. */
export function exact(properties: Record<string, Check>): Check {
  const shape = object(properties);
  return (value) => {
    const misfit = shape(value);
    if (misfit !== null) return misfit;
    const further = Object.keys(value as object).find((name) => !Object.hasOwn(properties, name));
    return further === undefined ? null : { path: '', text: 'has a member that does not belong there' };
  };
}

export function pattern(what: string, expression: RegExp): Check {
  return (value) =>
    typeof value === 'string' && expression.test(value) ? null : { path: '', text: `has to be ${what}` };
}

export const digest: Check = (value) =>
  isDigest(value) ? null : { path: '', text: 'has to be a SHA-256 digest' };
export const time = pattern('a time in UTC (ISO 8601)', TIME);
export const numbers: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { path: '', text: 'has to be an object' };
  return (
    Object.values(value)
      .map(number)
      .find((misfit) => misfit !== null) ?? null
  );
};

export const key = exact({
  kty: literal('OKP'),
  crv: literal('Ed25519'),
  x: pattern('32 bytes in base64url', KEY_BYTES),
});

export const subject: Check = (value) => {
  const misfit = list(exact({ name: pattern('a base name', BASE_NAME), digest: exact({ sha256: digest }) }))(
    value,
  );
  if (misfit !== null) return misfit;
  return (value as unknown[]).length === 1 ? null : { path: '', text: 'has to name one file' };
};

export const tier = oneOf<VerdictEnvironment['tier']>({ container: true, kernel: true });
export const clock = oneOf<VerdictEnvironment['clock']>({ virtual: true, real: true });
export const runVerdict = { qualified: true, failed: true } as const;
export const fileVerdict = { ...runVerdict, partial: true } as const;
