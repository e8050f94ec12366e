/** What a reader brings along: the keys they trust and the digests they expect. */
import { type Check, object, optional, requireShape, text, Unjudgeable } from '../contracts/shape.ts';
import { thumbprint } from './jws.ts';
import type { VerdictInputs } from './statement.ts';

/** Key ids of the Ed25519 keys of a JWKS; other keys are left out. @throws Unjudgeable where it is none */
export async function trustedKeyIds(jwks: unknown): Promise<Set<string>> {
  const keys = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys))
    throw new Unjudgeable('The trusted keys are no JWKS: an object with a list "keys".');
  const ids = new Set<string>();
  for (const key of keys as unknown[]) {
    const { kty, crv, x } = (key ?? {}) as { kty?: unknown; crv?: unknown; x?: unknown };
    if (kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string')
      ids.add(await thumbprint({ kty, crv, x }));
  }
  return ids;
}

/** Inputs that every line has to have, as a protected branch holds them. */
export type Expected = Partial<Pick<VerdictInputs, (typeof EXPECTABLE)[number]>>;

const EXPECTABLE = ['document', 'grant', 'config', 'contract', 'client', 'guest', 'base'] as const;
const shape: Check = object(Object.fromEntries(EXPECTABLE.map((name) => [name, optional(text)])));

/** @throws Unjudgeable where the value is no expectation, or expects nothing */
export function expectedOf(value: unknown): Expected {
  requireShape(shape, value, 'The expectation');
  const names = Object.keys(value as object);
  const unknown = names.some((name) => !EXPECTABLE.some((known) => known === name));
  if (unknown || names.length === 0)
    throw new Unjudgeable(
      `The expectation has to name one or more of ${EXPECTABLE.join(', ')}, and nothing else.`,
    );
  return value as Expected;
}

/** The first input that is known and not as expected, or null. */
export function unexpectedInput(
  inputs: Partial<Pick<VerdictInputs, (typeof EXPECTABLE)[number]>>,
  expected: Expected,
): string | null {
  const differs = (name: (typeof EXPECTABLE)[number]): boolean =>
    expected[name] !== undefined && inputs[name] !== undefined && expected[name] !== inputs[name];
  return EXPECTABLE.find(differs) ?? null;
}
