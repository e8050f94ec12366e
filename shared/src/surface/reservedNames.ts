/** Names that no method of the client may have. */

/** What an object answers to before anyone adds methods to it, and what makes it a promise or JSON. */
const RESERVED = new Set([
  'then',
  'constructor',
  'prototype',
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  '__proto__',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
]);

/** A client method may not have this name: it would change what the client object is. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name);
}
