/**
 * The newest checkpoint of every verdict file that a person's keys signed, kept beside the key: what a file itself
 * cannot show. It only ever makes the signer more careful, so one that is lost or unreadable counts as empty.
 */
import { readFile } from 'node:fs/promises';
import { isDigest } from '../../../shared/src/evidence/digest.ts';
import { removeLeftovers, replaceFile } from './durable.ts';
import type { KeyPlace } from './keyPlace.ts';
import { withLock } from './lock.ts';

/** Runs signed and failures among them. */
export interface Counts {
  runs: number;
  failures: number;
}

export interface Head {
  /** Of the key that signed the checkpoint. */
  kid: string;
  sequence: number;
  /** SHA-256 of the checkpoint line. */
  checkpoint: string;
  /** By the adapter's digest, oldest first. */
  counts: [sha256: string, counts: Counts][];
}

const MOST_FILES = 1000;
const MOST_ADAPTERS = 50;

/** null: none is known. `target`: real path of the verdict file. */
export async function headOf(place: KeyPlace, target: string): Promise<Head | null> {
  return (await readHeads(place)).get(target) ?? null;
}

/** @throws the file system's error where it cannot be kept */
export async function keepHead(place: KeyPlace, target: string, head: Head): Promise<void> {
  await withLock(place.lock, async () => {
    const heads = await readHeads(place);
    heads.delete(target);
    heads.set(target, { ...head, counts: head.counts.slice(-MOST_ADAPTERS) });
    const entries = [...heads].slice(-MOST_FILES);
    await removeLeftovers(place.heads);
    await replaceFile(place.heads, `${JSON.stringify(entries)}\n`, 0o600);
  });
}

async function readHeads(place: KeyPlace): Promise<Map<string, Head>> {
  try {
    const entries: unknown = JSON.parse(await readFile(place.heads, 'utf8'));
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

function isEntry(value: unknown): value is [string, Head] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const { kid, sequence, checkpoint, counts } = (value[1] ?? {}) as Partial<Head>;
  return (
    typeof kid === 'string' &&
    isCount(sequence) &&
    isDigest(checkpoint) &&
    Array.isArray(counts) &&
    counts.every(
      (item) =>
        Array.isArray(item) && isDigest(item[0]) && isCount(item[1]?.runs) && isCount(item[1]?.failures),
    )
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
