/** The contracts that this version knows. */
import type { Contract } from './contract.ts';
import { fleet } from './fleet/contract.ts';

const BY_ID: ReadonlyMap<string, Contract> = new Map<string, Contract>([[fleet.id, fleet]]);
const BY_VERSION: ReadonlyMap<string, Contract> = new Map(
  [...BY_ID.values()].map((contract) => [contract.version, contract]),
);

/** Their ids, in the order in which they are offered. */
export const contractIds: readonly string[] = [...BY_ID.keys()];

/** The contract of that id (`fleet/1`), or undefined where this version has none. */
export function contractById(id: string): Contract | undefined {
  return BY_ID.get(id);
}

/** The contract whose version and rules are those (`fleet/1.0`), or undefined where this version has none. */
export function contractByVersion(version: string): Contract | undefined {
  return BY_VERSION.get(version);
}
