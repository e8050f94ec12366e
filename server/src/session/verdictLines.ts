/** Lines of a verdict file as results that views show. */
import { lstatSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import {
  PREDICATE_TYPES,
  type SignedLine,
  type VerdictInputs,
  type VerdictStatement,
} from '../../../shared/src/evidence/statement.ts';
import { FILE_BYTES, verifyBytes } from '../../../shared/src/evidence/verify.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { isInside } from '../workspace/adapterFile.ts';

export type RunInputs = Pick<VerdictInputs, 'document' | 'grant' | 'config'>;

export interface SignedRun {
  statement: VerdictStatement;
  /** From 1. */
  line: number;
  result: RunResult;
}

/** `adapter.js` -> `adapter.verdicts.jsonl`, beside it. */
export function verdictFileOf(adapter: string): string {
  return `${adapter.replace(/\.[^./\\]+$/, '')}.verdicts.jsonl`;
}

/** Changes with the file; empty: there is none that may be read. */
export function stampOf(file: string): string {
  try {
    // A link may lead out of the folder; a signer writes none.
    const found = lstatSync(file);
    return found.isFile() && found.size <= FILE_BYTES
      ? `${found.mtimeMs} ${found.size} ${found.ino} ${found.ctimeMs}`
      : '';
  } catch {
    return '';
  }
}

/**
 * Runs by scenario of the lines that verify and whose key is trusted; what else stands there is no verdict.
 * @param trusted gives those of the key ids that are
 */
export async function signedRuns(
  folder: string,
  file: string,
  trusted: (kids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Map<string, SignedRun>> {
  const runs = new Map<string, SignedRun>();
  const bytes = await bytesInside(folder, relative(folder, file));
  if (bytes === undefined) return runs;
  const { failures, keys } = await verifyBytes(bytes, { partial: true });
  const bad = new Set(failures.map(({ line }) => line));
  if (bad.has(0)) return runs;
  const known = await trusted(keys);
  for (const [index, text] of new TextDecoder().decode(bytes).split('\n').entries()) {
    if (text === '' || bad.has(index + 1)) continue;
    const line = JSON.parse(text) as SignedLine<VerdictStatement>;
    const { statement } = line;
    if (statement.predicateType !== PREDICATE_TYPES.verdict || !known.has(kidOf(line))) continue;
    runs.set(statement.predicate.inputs.scenario, {
      statement,
      line: index + 1,
      result: resultOf(statement),
    });
  }
  return runs;
}

/** Bytes of a regular file whose real path lies in the folder; undefined: there is none, or it is too large. */
export async function bytesInside(
  folder: string,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const path = await realpath(join(folder, name));
    const found = await stat(path);
    if (!found.isFile() || found.size > FILE_BYTES || !(await isInside(folder, path))) return undefined;
    return new Uint8Array(await readFile(path));
  } catch {
    return undefined;
  }
}

/** Key id of a line whose form was verified. */
function kidOf({ protected: header }: SignedLine<unknown>): string {
  return (JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { kid: string }).kid;
}

export function resultOf({ predicate }: VerdictStatement): RunResult {
  const { inputs, environment, run, evidence, outcome } = predicate;
  return {
    scenario: inputs.scenario,
    verdict: outcome.verdict,
    tier: environment.tier,
    clock: environment.clock,
    durationMs: Math.max(0, Date.parse(run.endedAt) - Date.parse(run.startedAt)),
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    rules: outcome.rules,
    ...callsOf(evidence.trace),
    orders: evidence.record.orders.filter(({ credential }) => credential === 1).length,
    advice: [],
    log: { text: '', truncated: false },
    credential: run.jti,
    evidence,
  };
}

/** Counts of the broker, from its trace. */
export function callsOf(trace: readonly TraceRow[]): Pick<RunResult, 'calls' | 'perOperation'> {
  const calls = { sent: 0, refused: 0, shed: 0 };
  const perOperation = new Map<string, number>();
  for (const { refused, operation, count = 1 } of trace) {
    if (refused === 'shed') calls.shed += count;
    else if (refused !== undefined) calls.refused += count;
    else {
      calls.sent += count;
      if (operation !== null) perOperation.set(operation, (perOperation.get(operation) ?? 0) + count);
    }
  }
  return { calls, perOperation: Object.fromEntries(perOperation) };
}
