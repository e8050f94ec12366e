/** A folder per test, a key in it, and verdict lines of scripted runs. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { JudgedLine } from '../../../server/src/signer/existing.ts';
import { type KeyPlace, keyPlace } from '../../../server/src/signer/keyPlace.ts';
import type { NewLines } from '../../../server/src/signer/verdictFile.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import type { CheckpointPredicate, VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import { ADAPTER, evidenceOf, statementOf, verdictLine } from '../../support/verdictFiles.ts';
import type { Behaviour } from '../fleet/rig.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0).reverse()) close();
});

/** Removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loadline-signer-')));
  opened.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file system of its own with that many bytes; needs root, as the tests of the engine do. */
export function smallDisk(bytes: number): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  opened.push(() => execFileSync('umount', [folder]));
  return folder;
}

/** The default place in a configuration folder of the test's own. */
export function placeIn(folder = temporaryFolder()): KeyPlace {
  return keyPlace({ XDG_CONFIG_HOME: folder });
}

/** A place whose folder stands already, as that mode. */
export function placeOfMode(mode: number, named = false): KeyPlace {
  const config = temporaryFolder();
  mkdirSync(join(config, 'loadline'));
  chmodSync(join(config, 'loadline'), mode);
  return keyPlace(
    named ? { LOADLINE_SIGNING_KEY: join(config, 'loadline', 'mine.jwk') } : { XDG_CONFIG_HOME: config },
  );
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder).sort();
}

export interface LineOptions {
  adapter?: string;
  behaviour?: Behaviour;
  change?: (statement: VerdictStatement) => void;
}

export async function lineFor(
  scenario: string,
  key: SigningKey,
  { adapter = ADAPTER, behaviour, change }: LineOptions = {},
): Promise<JudgedLine> {
  const statement = await statementOf(await evidenceOf(scenario, behaviour, adapter), key, adapter);
  change?.(statement);
  return { text: await verdictLine(statement, key), statement, kid: key.kid };
}

/** What is to be written for those scenarios. */
export async function newsFor(
  folder: string,
  scenarios: readonly string[],
  key: SigningKey,
  options: LineOptions = {},
): Promise<NewLines> {
  const [first = '', ...others] = scenarios;
  const lines: NewLines['lines'] = [await lineFor(first, key, options)];
  for (const scenario of others) lines.push(await lineFor(scenario, key, options));
  return {
    target: join(folder, 'adapter.verdicts.jsonl'),
    folder,
    subject: { name: 'adapter.js', sha256: await sha256(options.adapter ?? ADAPTER) },
    lines,
  };
}

/** Scenarios of a verdict file in its order, and what its checkpoint says. */
export function contentOf(file: string): { scenarios: string[]; checkpoint: CheckpointPredicate } {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    scenarios: lines.slice(0, -1).map((line) => line.statement.predicate.inputs.scenario),
    checkpoint: lines.at(-1).statement.predicate,
  };
}
