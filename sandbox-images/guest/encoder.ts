/**
 * Turns a value of the adapter into plain JSON without running any of its code: own data properties only. Uses the
 * harness's own intrinsics, which the adapter cannot reach. `JSON.stringify` never sees an object of the adapter:
 * its `toJSON` would choose the report.
 */
import { types } from 'node:util';
import type { Encoded } from '../../shared/src/guestProtocol.ts';
import type { Json, JsonObject } from '../../shared/src/json.ts';

/** Prototypes that make a plain object or array of the adapter's realm. */
export interface PlainPrototypes {
  object: object;
  array: object;
}

/** Arrays and objects inside one another, the value itself included. */
export const MAX_DEPTH = 32;

/** Names what a value is where it is no JSON value. */
export type OddReason =
  | 'undefined'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'not finite'
  | 'unsafe integer'
  | 'lone surrogate'
  | 'getter'
  | 'proxy'
  | 'cycle'
  | 'too deep'
  | 'sparse array'
  | 'class instance'
  | 'hidden property'
  | 'reserved key'
  | 'too large';

const LONE_SURROGATE = /\p{Surrogate}/u;

class TooLarge extends Error {}

interface Walk {
  prototypes: PlainPrototypes;
  /** Bytes of JSON that may still be written. */
  left: number;
  ancestors: Set<object>;
}

/**
 * Encodes `value`; the whole is `{"$odd": "too large"}` where its JSON would pass `maxBytes`. `undefined` is null at
 * the top (a function that returns nothing) and left out of objects, as JSON does; elsewhere it is odd. Object keys
 * keep their names, `__proto__` among them: objects of the result have no prototype.
 */
export function encode(value: unknown, prototypes: PlainPrototypes, maxBytes: number): Encoded {
  if (value === undefined) return null;
  try {
    return encodeAny(value, { prototypes, left: maxBytes, ancestors: new Set() });
  } catch (error) {
    if (error instanceof TooLarge) return odd('too large');
    throw error;
  }
}

/** True for the marker that `encode` leaves in place of what is no JSON value. */
export function isOdd(value: Encoded): value is { $odd: string } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$odd');
}

/** True where a marker stands anywhere in an encoded value. */
export function holdsOdd(value: Encoded): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isOdd(value) || Object.values(value).some(holdsOdd);
}

function odd(reason: OddReason): JsonObject {
  return { $odd: reason };
}

function spend(walk: Walk, bytes: number): void {
  walk.left -= bytes;
  if (walk.left < 0) throw new TooLarge();
}

function markOdd(walk: Walk, reason: OddReason): JsonObject {
  spend(walk, reason.length + 11);
  return odd(reason);
}

function encodeAny(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
      return encodeString(value, walk);
    case 'number':
      return encodeNumber(value, walk);
    case 'boolean':
      spend(walk, 5);
      return value;
    case 'object':
      if (value === null) {
        spend(walk, 4);
        return null;
      }
      return encodeObject(value, walk);
    default:
      return markOdd(walk, typeof value as OddReason);
  }
}

function encodeString(value: string, walk: Walk): Json {
  if (value.length > walk.left) throw new TooLarge();
  if (LONE_SURROGATE.test(value)) return markOdd(walk, 'lone surrogate');
  spend(walk, jsonBytes(value));
  return value;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function encodeNumber(value: number, walk: Walk): Json {
  if (!Number.isFinite(value)) return markOdd(walk, 'not finite');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return markOdd(walk, 'unsafe integer');
  spend(walk, String(value).length);
  // JSON has one zero.
  return value === 0 ? 0 : value;
}

function encodeObject(value: object, walk: Walk): Json {
  // First of all: every other look at a proxy would run its traps.
  if (types.isProxy(value)) return markOdd(walk, 'proxy');
  if (walk.ancestors.has(value)) return markOdd(walk, 'cycle');
  if (walk.ancestors.size >= MAX_DEPTH) return markOdd(walk, 'too deep');
  walk.ancestors.add(value);
  try {
    return Array.isArray(value) ? encodeArray(value, walk) : encodePlain(value, walk);
  } finally {
    walk.ancestors.delete(value);
  }
}

function encodeArray(value: unknown[], walk: Walk): Json {
  if (Object.getPrototypeOf(value) !== walk.prototypes.array) return markOdd(walk, 'class instance');
  if (value.length > walk.left) throw new TooLarge();
  spend(walk, 2 + value.length);
  const result: Json[] = [];
  for (let index = 0; index < value.length; index += 1) {
    const property = Object.getOwnPropertyDescriptor(value, index);
    if (property === undefined) return markOdd(walk, 'sparse array');
    result.push('value' in property ? encodeAny(property.value, walk) : markOdd(walk, 'getter'));
  }
  // Indexes and `length` are all that JSON carries.
  return Reflect.ownKeys(value).length === value.length + 1 ? result : markOdd(walk, 'hidden property');
}

function encodePlain(value: object, walk: Walk): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== walk.prototypes.object) return markOdd(walk, 'class instance');
  spend(walk, 2);
  const result: JsonObject = Object.create(null);
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === 'symbol' || property?.enumerable !== true) return markOdd(walk, 'hidden property');
    if (key === '$odd') return markOdd(walk, 'reserved key');
    if (key.length > walk.left) throw new TooLarge();
    if (LONE_SURROGATE.test(key)) return markOdd(walk, 'lone surrogate');
    if ('value' in property && property.value === undefined) continue;
    spend(walk, jsonBytes(key) + 2);
    result[key] = 'value' in property ? encodeAny(property.value, walk) : markOdd(walk, 'getter');
  }
  return result;
}
