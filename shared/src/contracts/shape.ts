/** Checks of a foreign JSON value's form, put together like the type that they stand for. */

/** What was given cannot be judged: no verdict follows from it. The message is a sentence that names the place. */
export class Unjudgeable extends Error {
  override readonly name = 'Unjudgeable';
}

/** What is wrong with a value: the path from it to the place, and what has to be there. */
interface Misfit {
  path: string;
  text: string;
}

/** Null where the value has the form. */
export type Check = (value: unknown) => Misfit | null;

/** Throws Unjudgeable where `value`, found at `place`, has not the form. */
export function requireShape(check: Check, value: unknown, place: string): void {
  const misfit = check(value);
  if (misfit !== null) throw new Unjudgeable(`${place}${misfit.path} ${misfit.text}.`);
}

/** Deeper than anything that a guest may send. */
const MAX_DEPTH = 96;
/** More than the largest report holds. */
const MAX_VALUES = 1_000_000;

/** A finite JSON tree (own properties that are `undefined` count as absent). */
export const anyJson: Check = (value) => {
  let left = MAX_VALUES;
  const walk = (item: unknown, depth: number): string | null => {
    left -= 1;
    if (left < 0) return 'holds too many values';
    if (depth > MAX_DEPTH) return 'is nested too deep';
    if (typeof item !== 'object' || item === null)
      return isScalar(item) ? null : 'holds what is no JSON value';
    for (const member of Object.values(item)) {
      const problem = member === undefined ? null : walk(member, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  const problem = value === undefined ? 'has to be there' : walk(value, 0);
  return problem === null ? null : { path: '', text: problem };
};

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

function check(what: string, holds: (value: unknown) => boolean): Check {
  const misfit: Misfit = { path: '', text: `has to be ${what}` };
  return (value) => (holds(value) ? null : misfit);
}

export const text: Check = check('a text', (value) => typeof value === 'string');
export const truth: Check = check('true or false', (value) => typeof value === 'boolean');
export const number: Check = check('a number from 0', (value) => typeof value === 'number' && value >= 0);
export const whole: Check = check(
  'a whole number from 0',
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
);

/** A whole number from `least` to `most`. */
export function between(least: number, most: number): Check {
  return check(
    `a whole number from ${least} to ${most}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
  );
}

export function literal(expected: string): Check {
  return check(JSON.stringify(expected), (value) => value === expected);
}

/** One of the words of a union type; the compiler asks for each of them. */
export function oneOf<Word extends string>(words: Record<Word, true>): Check {
  const known = new Set<unknown>(Object.keys(words));
  return check(`one of ${[...known].join(', ')}`, (value) => known.has(value));
}

export function optional(inner: Check): Check {
  return (value) => (value === undefined ? null : inner(value));
}

/** A JSON object whatever it holds. */
export const jsonObject: Check = (value) =>
  isObject(value) ? anyJson(value) : { path: '', text: 'has to be an object' };

export function nullable(inner: Check): Check {
  return (value) => (value === null ? null : inner(value));
}

export function list(inner: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: '', text: 'has to be a list' };
    for (const [index, item] of value.entries()) {
      const misfit = inner(item);
      if (misfit !== null) return { path: `[${index}]${misfit.path}`, text: misfit.text };
    }
    return null;
  };
}

/** An object with these own properties; further ones are left alone. */
export function object(properties: Record<string, Check>): Check {
  const entries = Object.entries(properties);
  return (value) => {
    if (!isObject(value)) return { path: '', text: 'has to be an object' };
    for (const [name, inner] of entries) {
      const misfit = inner(Object.hasOwn(value, name) ? value[name] : undefined);
      if (misfit !== null) return { path: `.${name}${misfit.path}`, text: misfit.text };
    }
    return null;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says what is wrong with the last form where the value has none of them. */
export function either(...forms: [Check, ...Check[]]): Check {
  return (value) => {
    let misfit: Misfit | null = null;
    for (const form of forms) {
      misfit = form(value);
      if (misfit === null) return null;
    }
    return misfit;
  };
}
