/** Messages between a view and its page. */

import type { Replay, ReplayCheck } from '../../../shared/src/contracts/fleet/replay.ts';
import type { RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import type { AdapterItem } from '../../../shared/src/protocol.ts';

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
  rules: Omit<RuleOutcome, 'sites'>[];
}

export type ToPage =
  | { kind: 'adapters'; adapters: AdapterItem[] }
  /** null: there is nothing to draw, and why. */
  | { kind: 'run'; side: number; uri: string; scenario: string; run: ShownRun | null; why: string };

export type FromPage =
  | { kind: 'ready' }
  | { kind: 'show'; side: number; uri: string; scenario: string }
  | { kind: 'run'; uri: string; scenario: string }
  | { kind: 'ledger'; uri: string; scenario: string }
  | { kind: 'code'; uri: string; line: number; column: number };
