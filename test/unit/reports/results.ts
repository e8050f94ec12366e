/** Qualifications to report: one with everything in it, and the parts to make others. */
import type { LedgerRow, RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import type { AdapterResult, EngineFacts, QualifyResult, RunResult } from '../../../shared/src/results.ts';

export const SHA = 'ab'.repeat(32);

export const engine: EngineFacts = {
  ...{ name: 'Docker', version: '20.10.24', endpoint: 'unix:///var/run/docker.sock', runtime: 'runc' },
  ...{
    tier: 'container',
    imageId: 'sha256:1',
    baseId: 'sha256:2',
    guestDigest: 'cd',
    limits: {},
    cannot: [],
  },
};

export function run(scenario: string, change: Partial<RunResult> = {}): RunResult {
  return {
    ...{ scenario, verdict: 'qualified', tier: 'container', clock: 'virtual', durationMs: 250, rules: [] },
    ...{ calls: { sent: 3, refused: 0, shed: 0 }, perOperation: {}, orders: 1, advice: [] },
    log: { text: '', truncated: false },
    ...change,
  };
}

export function adapter(file: string, runs: RunResult[], change: Partial<AdapterResult> = {}): AdapterResult {
  return {
    file,
    sha256: SHA,
    contract: 'fleet/1',
    seed: 7,
    verdict: 'failed',
    verdictFile: null,
    runs,
    ...change,
  };
}

export const held: RuleOutcome = {
  ...{ id: 'ran_to_the_end', held: true, text: 'All 12 calls came back.', ledger: [], sites: [] },
};

export const twice: RuleOutcome = {
  id: 'one_order_per_command',
  held: false,
  text: 'Command c1 has 2 orders.',
  ledger: [6, 9],
  sites: [
    { line: 31, column: 24 },
    { line: 40, column: 3 },
    { line: 31, column: 24 },
    { line: 52, column: 7 },
  ],
};

export const untrue: RuleOutcome = {
  ...{
    id: 'report_is_true',
    held: false,
    text: 'It reported m-1, the ledger has m-2.',
    ledger: [],
    sites: [],
  },
};

const row: LedgerRow = { seq: 6, at: 40, kind: 'order', by: 'client', credential: 1, step: 1, call: 2 };

/** A failed, a qualified and a run that did not happen; an adapter with no run at all. */
export const everything: QualifyResult = {
  loadline: '0.1.0',
  engine,
  adapters: [
    adapter('adapters/v1.js', [
      run('nominal', { rules: [held] }),
      run('lost_answer', {
        ...{ verdict: 'failed', durationMs: 1250, rules: [held, twice, untrue] },
        evidence: {
          ...{ contract: 'fleet/1', plan: null, steps: [], trace: [], end: { kind: 'complete' } },
          ledger: [{ ...row, operation: 'createMission', status: 201 }],
          record: { resources: [], orders: [] },
        },
      }),
      run('slow', {
        ...{ verdict: 'not_run', reason: 'engine', message: 'The engine was lost.', mayHaveRun: true },
        ...{ tier: null, durationMs: 0 },
      }),
    ]),
    adapter('C:\\work\\v2.js', [], { verdict: 'not_run', sha256: '' }),
  ],
};
