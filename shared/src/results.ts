/** What a qualification yields, as `qualify --json` prints it and views show it. */
import type { Evidence, RuleOutcome } from './evidence/evidence.ts';

export type Tier = 'container' | 'kernel';
export type ClockKind = 'virtual' | 'real';

/** Why a run did not happen. */
export type NotRunReason =
  | 'engine'
  | 'image'
  | 'tier'
  | 'preflight'
  | 'capacity'
  | 'cancelled'
  | 'runner'
  | 'adapter'
  | 'judge';

export interface AdviceText {
  code: 'fan-out' | 'repeated-read';
  text: string;
  saved: number;
  sites: { line: number; column: number }[];
}

export interface RunResult {
  scenario: string;
  verdict: 'qualified' | 'failed' | 'not_run';
  /** Of `not_run`: a stable word; `message` says it in a sentence with what to do. */
  reason?: NotRunReason;
  message?: string;
  /** Of `not_run`: whether adapter code may have run. */
  mayHaveRun?: boolean;
  /** null: no container was reached. */
  tier: Tier | null;
  /** Endpoint of the engine that it ran on, where several share the runs. */
  host?: string;
  clock: ClockKind;
  /** Wall time of this run in ms, image and engine set-up apart. */
  durationMs: number;
  /** Host wall time, ISO 8601 in UTC. Absent where nothing was started. */
  startedAt?: string;
  endedAt?: string;
  rules: RuleOutcome[];
  calls: { sent: number; refused: number; shed: number };
  /** Calls per operation that reached the vendor. */
  perOperation: Record<string, number>;
  /** Orders of ours on the ledger. */
  orders: number;
  advice: AdviceText[];
  /** What the guest logged, capped, foreign text. */
  log: { text: string; truncated: boolean };
  /** Id of the run's credential, revoked when this is read. */
  credential?: string;
  /** What the verdict was made from; absent where nothing ran. */
  evidence?: Evidence;
}

export type AdapterVerdict = 'qualified' | 'failed' | 'partial' | 'not_run';

export interface AdapterResult {
  file: string;
  /** Of the bytes that ran; empty where the file could not be read. */
  sha256: string;
  contract: string;
  seed: number;
  verdict: AdapterVerdict;
  /** null: nothing was written beside the adapter. */
  verdictFile: string | null;
  runs: RunResult[];
}

/** Facts of the engine that ran it; null where none was reached. */
export interface EngineFacts {
  name: string;
  version: string;
  endpoint: string;
  runtime: string;
  tier: Tier;
  imageId: string;
  baseId: string;
  guestDigest: string;
  /** Of every container: `memoryBytes`, `pids`, `cpus`, `tmpBytes`, `openFiles`, `cpuSeconds`. */
  limits: Record<string, number>;
  /** What this engine cannot do, or cannot show that it does, as preflight found. */
  cannot: string[];
}

export interface QualifyResult {
  loadline: string;
  engine: EngineFacts | null;
  adapters: AdapterResult[];
}

/** The verdict of one adapter from its runs: `partial` when not every scenario of the contract has one. */
export function adapterVerdict(runs: readonly RunResult[], scenarios: readonly string[]): AdapterVerdict {
  if (runs.some((run) => run.verdict === 'failed')) return 'failed';
  if (runs.length === 0 || runs.some((run) => run.verdict === 'not_run')) return 'not_run';
  const ran = new Set(runs.map((run) => run.scenario));
  return scenarios.every((id) => ran.has(id)) ? 'qualified' : 'partial';
}
