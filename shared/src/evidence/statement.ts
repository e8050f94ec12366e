/**
 * What is signed: in-toto Statement v1 with predicates of ours. All digests are lower-case hex SHA-256. A line of a
 * verdict file is `{"protected","signature","statement"}` in RFC 8785 canonical form plus LF; the signature is a
 * detached JWS (EdDSA) over the canonical form of `statement`.
 */
import type { ExamEvidence, ExamJudgement } from '../exam.ts';
import type { ProbeEvidence, ProbeJudgement } from '../probe.ts';
import type { Evidence, FaultSchedule, RuleOutcome } from './evidence.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

export const PREDICATE_TYPES = {
  verdict: 'urn:loadline:verdict:v1',
  checkpoint: 'urn:loadline:checkpoint:v1',
  probe: 'urn:loadline:probe:v1',
  exam: 'urn:loadline:exam:v1',
} as const;

export type LineKind = keyof typeof PREDICATE_TYPES;

export interface Statement<Predicate> {
  _type: typeof STATEMENT_TYPE;
  subject: [{ name: string; digest: { sha256: string } }];
  predicateType: string;
  predicate: Predicate;
}

/** Public key of the signer as a JWK; its RFC 7638 thumbprint is the `kid` of the line. That it is there vouches for nothing. */
export interface PublicKey {
  kty: 'OKP';
  crv: 'Ed25519';
  /** base64url, 32 bytes. */
  x: string;
}

/** What went in: the same inputs and the same adapter give the same steps, trace and ledger. */
export interface VerdictInputs {
  document: string;
  grant: string;
  /** loadline.json. */
  config: string;
  /** Contract and rules together, e.g. `fleet/1.0`. */
  contract: string;
  /** Client script. */
  client: string;
  /** Guest script. */
  guest: string;
  /** Image id of the base. */
  base: string;
  /** Canonical form of the plan. */
  plan: string;
  seed: number;
  scenario: string;
  faults: FaultSchedule;
}

export interface VerdictEnvironment {
  engine: { name: string; version: string };
  runtime: string;
  tier: 'container' | 'kernel';
  clock: 'virtual' | 'real';
  limits: Record<string, number>;
  /** What this engine cannot do or show, e.g. `seccomp profile`. */
  cannot: string[];
  loadline: string;
}

/** What differs from run to run. Times are stated, not trusted. */
export interface VerdictRun {
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt: string;
  /** Given by the signer before the run, used once. */
  nonce: string;
  /** Id of the run's credential: `credential 1` of the ledger. */
  jti: string;
  /** Of the key that signed this line. */
  key: PublicKey;
}

export interface VerdictPredicate {
  inputs: VerdictInputs;
  environment: VerdictEnvironment;
  run: VerdictRun;
  /** Normalised: free text and bodies as digests. */
  evidence: Evidence;
  outcome: { verdict: 'qualified' | 'failed'; rules: RuleOutcome[] };
  notEstablished: string[];
}

/** What a probe went by. */
export interface ProbeInputs {
  document: string;
  grant: string;
  /** loadline.json. */
  config: string;
  /** Client script. */
  client: string;
  /** Guest script. */
  guest: string;
  /** Image id of the base. */
  base: string;
  /** Script that tries from within a container. */
  prober: string;
  /** Program that makes system calls for it, or null where there was none. */
  helper: string | null;
  /** List of attempts and rules together, e.g. `probe/1.0`. */
  rules: string;
}

export interface ProbePredicate {
  inputs: ProbeInputs;
  environment: Omit<VerdictEnvironment, 'clock'>;
  run: Omit<VerdictRun, 'jti'>;
  /** Normalised: what the attempts told is a digest. */
  evidence: ProbeEvidence;
  outcome: ProbeJudgement;
  notEstablished: string[];
}

/** What an exam went by. */
export interface ExamInputs extends Omit<VerdictInputs, 'plan' | 'seed' | 'scenario' | 'faults'> {
  /** The text that authors were given. */
  paper: string;
}

export interface ExamPredicate {
  inputs: ExamInputs;
  environment: VerdictEnvironment;
  /** The seeds follow from its nonce. */
  run: Omit<VerdictRun, 'jti'>;
  evidence: ExamEvidence;
  outcome: ExamJudgement;
  notEstablished: string[];
}

export interface CheckpointPredicate {
  /** Of the key that signed this checkpoint. */
  key: PublicKey;
  /** Lines before this one. */
  count: number;
  /** SHA-256 of each of them, LF apart, in order. */
  lines: string[];
  verdict: 'qualified' | 'failed' | 'partial';
  /** From 1, one more than the checkpoint it replaced. */
  sequence: number;
  /** SHA-256 of the checkpoint line it replaced, or null. */
  previous: string | null;
  /** Runs signed and failures among them so far for this subject's digest. */
  history: { runs: number; failures: number };
  /** Key id of the key before a rotation. */
  rotatedFrom?: string;
  /** Of a file that was merged: key ids of its lines, where they are other keys than the checkpoint's; each once. */
  mergedFrom?: string[];
  notEstablished: string[];
}

export type VerdictStatement = Statement<VerdictPredicate>;
/** Its subject is loadline.json. */
export type ProbeStatement = Statement<ProbePredicate>;
/** Its subject is loadline.json. */
export type ExamStatement = Statement<ExamPredicate>;
/** Statements that evidence is judged for, by the kind of their line. */
export interface JudgedStatements {
  verdict: VerdictStatement;
  probe: ProbeStatement;
  exam: ExamStatement;
}
export type JudgedKind = keyof JudgedStatements;
export type JudgedStatement = JudgedStatements[JudgedKind];
export type CheckpointStatement = Statement<CheckpointPredicate>;

export interface SignedLine<S> {
  /** base64url of exactly `{"alg":"EdDSA","kid":"<RFC 7638 thumbprint>","typ":"loadline-<kind>+jws"}`. */
  protected: string;
  signature: string;
  statement: S;
}
