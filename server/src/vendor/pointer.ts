/** JSON Pointers (RFC 6901) into foreign values: own properties of objects only, nothing here points into lists. */
import type { Json, JsonObject } from '../../../shared/src/json.ts';

/** Whether a value is an object, and no list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at `pointer`, or undefined where there is none. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  return walk(value, tokensOf(pointer));
}

/** The number at `pointer`; throws where there is none, which is a mistake of the model or of the world it was given. */
export function numberAt(value: Json, pointer: string): number {
  const found = valueAt(value, pointer);
  return typeof found === 'number' ? found : fail(pointer);
}

/** A copy of `object` with another number at `pointer`; throws where it has nothing there. */
export function withNumberAt(object: JsonObject, pointer: string, number: number): JsonObject {
  return withNumber(object, tokensOf(pointer), number) ?? fail(pointer);
}

function withNumber(value: Json | undefined, tokens: readonly string[], number: number): JsonObject | null {
  const [name, ...rest] = tokens;
  if (name === undefined || !isObject(value) || !Object.hasOwn(value, name)) return null;
  const member = rest.length === 0 ? number : withNumber(value[name], rest, number);
  return member === null ? null : { ...value, [name]: member };
}

function tokensOf(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1);
  return pointer.includes('~')
    ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    : tokens;
}

function walk(value: Json | undefined, tokens: readonly string[]): Json | undefined {
  let at = value;
  for (const token of tokens) {
    if (!isObject(at) || !Object.hasOwn(at, token)) return undefined;
    at = at[token];
  }
  return at;
}

function fail(pointer: string): never {
  throw new Error(`There is no number at ${pointer}, where the vendor model wants one.`);
}
