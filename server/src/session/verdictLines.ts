/** Lines of a verdict file as results that views show. */
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import {
  PREDICATE_TYPES,
  type VerdictInputs,
  type VerdictStatement,
} from '../../../shared/src/evidence/statement.ts';
import type { RunResult } from '../../../shared/src/results.ts';

export type RunInputs = Pick<VerdictInputs, 'document' | 'grant' | 'config'>;

/** Verdict statements of a file whose lines were verified, those of `bad` lines (from 1) left out. */
export function statementsOf(
  text: string,
  bad: ReadonlySet<number>,
): { statement: VerdictStatement; line: number }[] {
  return text.split('\n').flatMap((line, index) => {
    if (line === '' || bad.has(index + 1)) return [];
    const { statement } = JSON.parse(line) as { statement: VerdictStatement };
    return statement.predicateType === PREDICATE_TYPES.verdict ? [{ statement, line: index + 1 }] : [];
  });
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
    evidence,
  };
}

function callsOf(trace: readonly TraceRow[]): Pick<RunResult, 'calls' | 'perOperation'> {
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
