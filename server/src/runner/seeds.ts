import { createHash } from 'node:crypto';

const DAY_MS = 86_400_000;
/** 2026-01-01T00:00:00Z: runs on the virtual clock start on a day within two years from here. */
const FIRST_EPOCH = 1_767_225_600_000;

function number32(...parts: (string | number)[]): number {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(part).length}:${part}`);
  return hash.digest().readUInt32BE(0);
}

/** Numbers that the guest or the vendor get for one run. None of them tells anything of seed, scenario or plan. */
export interface RunNumbers {
  /** Start of the adapter's Math.random. */
  random: number;
  /** Start of a run on the virtual clock, ms since 1970. */
  epoch: number;
  /** Start of the ids that the vendor gives. */
  idSeed: string;
}

export function runNumbers(seed: number, scenario: string): RunNumbers {
  return {
    random: number32('random', seed, scenario),
    epoch: FIRST_EPOCH + (number32('epoch', seed, scenario) % 730) * DAY_MS,
    idSeed: number32('ids', seed, scenario).toString(16),
  };
}
