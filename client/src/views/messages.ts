/** Messages between a view and its page. */

import type { Replay, ReplayCheck } from '../../../shared/src/contracts/fleet/replay.ts';
import type { RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import type { AdapterItem, VerdictFileAnswer } from '../../../shared/src/protocol.ts';

export interface ShownCall {
  /** ms of the run. */
  at: number;
  text: string;
  /** Whether it was answered with success. */
  good: boolean;
}

/** What is drawn on one side. */
export interface ShownRun {
  adapter: string;
  scenario: string;
  title: string;
  verdict: 'qualified' | 'failed' | 'not_run';
  signed: boolean;
  stale: boolean;
  replay: Replay;
  check: ReplayCheck;
  /** The calls that the broker saw, in order. */
  calls: ShownCall[];
  rules: Omit<RuleOutcome, 'sites'>[];
}

export type ToPage =
  | { kind: 'adapters'; adapters: AdapterItem[] }
  /** null: there is nothing to draw, and why. */
  | { kind: 'run'; side: number; uri: string; scenario: string; run: ShownRun | null; why: string }
  | { kind: 'verdicts'; file: VerdictFileAnswer }
  /** The file cannot be read, and why. */
  | { kind: 'noVerdicts'; why: string };

export type FromPage =
  | { kind: 'ready' }
  | { kind: 'show'; side: number; uri: string; scenario: string }
  | { kind: 'run'; uri: string; scenario: string }
  | { kind: 'ledger'; uri: string; scenario: string }
  | { kind: 'code'; uri: string; line: number; column: number }
  | VerdictRequest;

/** What the page of a verdict file asks for; lines from 1. */
export type VerdictRequest =
  | { kind: 'verify' }
  /** The file as text. */
  | { kind: 'text' }
  | { kind: 'trust'; kid: string }
  | { kind: 'copyLine' | 'lineLedger' | 'lineReplay'; line: number };
