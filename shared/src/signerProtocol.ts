/** Messages between the signer process and those that start it (CLI, language server). JSON-RPC on its stdio. */

import type { Failure } from './evidence/failures.ts';
import type { Shard } from './evidence/shard.ts';
import type {
  ExamInputs,
  ProbeInputs,
  ProbePredicate,
  PublicKey,
  VerdictEnvironment,
  VerdictInputs,
} from './evidence/statement.ts';
import type { RefusedHandIn } from './exam.ts';
import type { ProbeEvidence, ProbeJudgement, ProbeRuleId } from './probe.ts';
import type { RunResult } from './results.ts';

/** Request: nonces for the runs of one qualification, each used once. Refused where no key can sign. */
export interface NoncesParams {
  count: number;
}

export interface NoncesAnswer {
  nonces: string[];
  /** Key that will sign. */
  kid: string;
}

/** Request: judge again, sign, and write the verdict file beside the adapter. */
export interface SignParams {
  /** Real path of the project folder. */
  folder: string;
  /** Absolute path of the adapter. */
  adapter: string;
  /** SHA-256 of the bytes that ran. The signer reads the file itself and refuses when they differ. */
  sha256: string;
  contract: string;
  inputs: Omit<VerdictInputs, 'plan' | 'seed' | 'scenario' | 'faults'>;
  seed: number;
  environment: VerdictEnvironment;
  /** The runs are one part of those that were asked for: they are signed into a file of the part's own. */
  shard?: Shard;
  /** Only runs that gave a verdict; `not_run` is no line. */
  runs: { result: RunResult; nonce: string; startedAt: string; endedAt: string }[];
}

/** Request: judge a probe again, sign, and write `probe.verdicts.jsonl` beside loadline.json. */
export interface SignProbeParams {
  /** Real path of the project folder. */
  folder: string;
  /** The signer reads loadline.json itself and refuses when its digest differs from `config`. */
  inputs: ProbeInputs;
  environment: ProbePredicate['environment'];
  run: { nonce: string; startedAt: string; endedAt: string };
  evidence: ProbeEvidence;
  /** What the caller made of it; refused where it does not follow. `held`: in the order of the rules. */
  outcome: { verdict: ProbeJudgement['verdict']; held: ProbeRuleId[] };
}

/** Request: judge an exam's runs again, sign, and write `exam.verdicts.jsonl` into the graded folder. */
export interface SignExamParams {
  /** Real path of the project folder. */
  folder: string;
  /** Real path of the folder with the hand-ins, in the project folder or the same. */
  graded: string;
  /** The signer reads loadline.json itself and refuses when its digest differs from `config`. */
  inputs: ExamInputs;
  environment: VerdictEnvironment;
  /** The nonce is given before the first run; the seeds follow from it. */
  run: { nonce: string; startedAt: string; endedAt: string };
  limit: number;
  /** How many. */
  seeds: number;
  /** In the order of their names. */
  handIns: GradedHandIn[];
  refused: RefusedHandIn[];
}

export interface GradedHandIn {
  file: string;
  /** The signer reads the file itself and refuses when they differ. null: it cannot be read as an adapter. */
  sha256: string | null;
  /** Seed by seed, each with the scenarios in the contract's order. */
  runs: RunResult[];
}

export type SignAnswer =
  | {
      signed: true;
      verdictFile: string;
      verdict: 'qualified' | 'failed' | 'partial';
      kid: string;
      notes: string[];
    }
  | { signed: false; reason: string };

/** Request: one verdict file from several about the same adapter, each line verified, sealed by the key at hand. */
export interface MergeParams {
  /** Absolute paths. */
  files: string[];
  /** Absolute path of the file that is written; it may be one of `files`. */
  target: string;
  /** The lines need not be of every scenario, nor of one environment. */
  partial: boolean;
  /** Key ids; absent: lines of any key are taken. */
  trusted?: string[];
}

export type MergeAnswer =
  | {
      merged: true;
      verdict: 'qualified' | 'failed' | 'partial';
      /** Lines before the checkpoint. */
      lines: number;
      /** Key ids of the lines and of the checkpoint, each once. */
      keys: string[];
      notes: string[];
    }
  /** `failures`: of what was read; none where `reason` says why nothing could be. */
  | { merged: false; reason: string; failures: MergeFailure[] };

export interface MergeFailure extends Failure {
  /** As in `files`; empty: all of them together. */
  file: string;
}

/** Answer of `exportKeys`: a JWK set, the key in use first, then those that it replaced. */
export interface KeysAnswer {
  keys: (PublicKey & { kid: string; alg: 'EdDSA'; use: 'sig' })[];
}

/** Answer of `rotateKey`. */
export interface RotateAnswer {
  kid: string;
  /** Key id of the key before. */
  rotatedFrom: string;
}

/** Answer of `keyPath`. */
export interface KeyPathAnswer {
  path: string;
}

export const SIGNER_METHODS = {
  nonces: 'nonces',
  sign: 'sign',
  signProbe: 'signProbe',
  merge: 'merge',
  signExam: 'signExam',
  exportKeys: 'exportKeys',
  rotateKey: 'rotateKey',
  keyPath: 'keyPath',
} as const;

/** Error code of a refusal; its message is a sentence for people. */
export const REFUSED = 1;
