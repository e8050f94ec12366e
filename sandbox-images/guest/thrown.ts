/** What is told of a thrown value, read without running the adapter's getters or traps. */
import { types } from 'node:util';
import { LIMITS, type ThrownValue } from '../../shared/src/guestProtocol.ts';
import { encode, type PlainPrototypes } from './encoder.ts';
import type { Sites } from './sites.ts';

/** Prototypes of the adapter's realm. */
export interface RealmPrototypes extends PlainPrototypes {
  error: object;
}

const MAX_NAME = 200;
const MAX_MESSAGE = 4_000;
const MAX_PROTOTYPES = 100;

export function describeThrown(value: unknown, prototypes: RealmPrototypes, sites: Sites): ThrownValue {
  const isError = types.isNativeError(value) && inherits(value, prototypes.error);
  const site = sites.ofError(value);
  const described: ThrownValue = {
    isError,
    name: clip(readText(value, 'name') ?? (isError ? 'Error' : typeof value), MAX_NAME),
    message: clip(readText(value, 'message') ?? primitiveText(value), MAX_MESSAGE),
  };
  const code = ownData(value, 'code');
  if (code !== undefined) described.code = encode(code, prototypes, LIMITS.reportBytes);
  if (site) described.site = site;
  return described;
}

/** Well-formed and at most `length` UTF-16 code units; a pair is never cut. */
export function clip(text: string, length: number): string {
  const short = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return short.replace(/\p{Surrogate}/gu, '\u{fffd}');
}

function primitiveText(value: unknown): string {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? '' : String(value);
}

function inherits(value: object, prototype: object): boolean {
  let link: object | null = value;
  for (let count = 0; link !== null && count < MAX_PROTOTYPES; count += 1) {
    if (types.isProxy(link)) return false;
    link = Object.getPrototypeOf(link) as object | null;
    if (link === prototype) return true;
  }
  return false;
}

/** A string in a data property of `value` or of what it inherits from. */
function readText(value: unknown, key: string): string | undefined {
  let link: unknown = value;
  for (let count = 0; isObject(link) && count < MAX_PROTOTYPES; count += 1) {
    if (types.isProxy(link)) return undefined;
    const property = Object.getOwnPropertyDescriptor(link, key);
    if (property) return typeof property.value === 'string' ? property.value : undefined;
    link = Object.getPrototypeOf(link);
  }
  return undefined;
}

function ownData(value: unknown, key: string): unknown {
  if (!isObject(value) || types.isProxy(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
