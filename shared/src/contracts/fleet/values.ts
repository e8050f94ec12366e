/**
 * The contract's shapes, read from what an adapter returned or threw. Objects may have further keys, as TypeScript
 * allows them too; a value that cannot be passed on (`$odd`) may stand nowhere in them.
 */
import type { Encoded, ThrownValue } from '../../guestProtocol.ts';
import type { Json, JsonObject } from '../../json.ts';

/** Longest mission id, in UTF-16 code units. */
const MISSION_ID_LENGTH = 256;

export const ROBOT_STATUSES = ['idle', 'moving', 'fault'] as const;
export const FINAL_STATES = ['done', 'failed', 'cancelled', 'timeout'] as const;

export type FinalState = (typeof FINAL_STATES)[number];
export type DispatchCode = 'refused' | 'unresolved';

export interface InventoryEntry {
  id: string;
  status: string;
  battery: number;
}

/** Own property of a foreign object, or undefined. */
export function own(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mission id that a dispatch returned, or null. */
export function missionIdOf(value: Encoded): string | null {
  return typeof value === 'string' && value.length > 0 && value.length <= MISSION_ID_LENGTH ? value : null;
}

/** An entry of an inventory, or null where it has not the contract's shape. */
export function entryOf(value: Json): InventoryEntry | null {
  const id = own(value, 'id');
  const status = own(value, 'status');
  const battery = own(value, 'battery');
  if (typeof id !== 'string' || id === '' || typeof battery !== 'number' || typeof status !== 'string')
    return null;
  return ROBOT_STATUSES.some((known) => known === status) ? { id, status, battery } : null;
}

/** `state` of what a wait returned, or null where it is none. */
export function finalStateOf(value: Encoded): FinalState | null {
  const state = own(value, 'state');
  return FINAL_STATES.find((known) => known === state) ?? null;
}

/** The contract's code of an Error that a dispatch threw, or null. */
export function dispatchCodeOf(error: ThrownValue): DispatchCode | null {
  if (!error.isError) return null;
  return error.code === 'refused' || error.code === 'unresolved' ? error.code : null;
}

/** Why a part of the value cannot be passed on, or null where all of it can. */
export function oddIn(value: Encoded): string | null {
  if (Array.isArray(value)) return firstOdd(value);
  if (!isObject(value)) return null;
  const odd = own(value, '$odd');
  return odd === undefined ? firstOdd(Object.values(value)) : typeof odd === 'string' ? odd : 'odd';
}

function firstOdd(values: Json[]): string | null {
  for (const value of values) {
    const odd = oddIn(value);
    if (odd !== null) return odd;
  }
  return null;
}
