/** loadline.scenarios.json: what explorations found, kept to be run again. No verdict depends on it. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ExploreAnswer, KeptSchedule } from '../../../shared/src/runnerProtocol.ts';
import { oneLine } from '../../../shared/src/text.ts';

export const KEPT_FILE = 'loadline.scenarios.json';

/** Four faults in words have some hundred characters. */
const FAULT_LENGTH = 4_000;

/** The message says what to do. */
export class KeptUnusable extends Error {}

interface Kept extends KeptSchedule {
  /** Path from the project's folder, with `/`. */
  adapter: string;
  /** Of the adapter's bytes when it was found. */
  sha256: string;
  rules: string[];
}

/** What is kept of one adapter, by absolute path. @throws KeptUnusable */
export async function keptOf(folder: string, path: string): Promise<KeptSchedule[]> {
  const adapter = nameOf(folder, path);
  const own = read(join(folder, KEPT_FILE)).filter((each) => each.adapter === adapter);
  return own.map(({ fault, schedule }) => ({ fault, schedule }));
}

/** What was found in each adapter (path from the folder), by what was done to the vendor. @throws KeptUnusable */
export function faultsIn(folder: string): Map<string, string[]> {
  const faults = new Map<string, string[]>();
  for (const { adapter, fault } of read(join(folder, KEPT_FILE)))
    faults.set(adapter, [...(faults.get(adapter) ?? []), fault]);
  return faults;
}

/** Adds what was seen again in a fresh container; what was kept before stays, so that it can be tried after a fix. @throws KeptUnusable */
export async function keepFindings(folder: string, path: string, answer: ExploreAnswer): Promise<void> {
  const { findings, sha256 } = answer;
  const confirmed = findings.filter((finding) => finding.confirmed);
  if (confirmed.length === 0) return;
  const file = join(folder, KEPT_FILE);
  const adapter = nameOf(folder, path);
  const own = confirmed.map(
    ({ fault, rules, schedule }): Kept => ({ adapter, sha256, fault, rules, schedule }),
  );
  const isNew = (each: Kept) => !own.some(({ fault }) => each.adapter === adapter && each.fault === fault);
  write(file, [...read(file).filter(isNew), ...own]);
}

function nameOf(folder: string, path: string): string {
  return relative(folder, path).replaceAll('\\', '/');
}

function write(file: string, scenarios: readonly Kept[]): void {
  const made = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(made, `${JSON.stringify({ scenarios }, null, 1)}\n`);
    renameSync(made, file);
  } catch (error) {
    rmSync(made, { force: true });
    throw new KeptUnusable(
      `${file} cannot be written (${(error as Error).message}); make room, or mend its folder.`,
    );
  }
}

function read(file: string): Kept[] {
  if (!existsSync(file)) return [];
  try {
    const { scenarios } = JSON.parse(readFileSync(file, 'utf8')) as { scenarios?: unknown };
    if (Array.isArray(scenarios) && scenarios.every(isKept)) return scenarios;
  } catch {
    // Said below: what cannot be read is not written over.
  }
  throw new KeptUnusable(`${file} is not what explore writes; move it away first.`);
}

function isKept(value: unknown): value is Kept {
  const { adapter, fault, rules, schedule } = Object(value);
  const { kind, operation, seed, plan } = Object(schedule);
  const texts: unknown[] = [adapter, fault, kind, operation];
  return (
    texts.every((each) => typeof each === 'string') &&
    // It names the schedule wherever one is shown; what explore writes passes the gate as it is.
    oneLine(fault, FAULT_LENGTH) === fault &&
    Array.isArray(rules) &&
    Number.isSafeInteger(seed) &&
    Object(plan).seed === seed
  );
}
