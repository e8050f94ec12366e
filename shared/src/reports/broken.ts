/** What every form of report says of a qualification: the broken rules of a run, and why one did not run. */
import type { RuleOutcome } from '../evidence/evidence.ts';
import type { Site } from '../guestProtocol.ts';
import type { AdapterResult, RunResult } from '../results.ts';

/** In the contract's order. */
export function brokenRules(run: RunResult): RuleOutcome[] {
  return run.rules.filter((rule) => !rule.held);
}

/** Places without repetition, in their order; what is no place in a text is left out. */
export function placesOf(sites: readonly Site[]): Site[] {
  const seen = new Set<string>();
  return sites.filter(({ line, column }) => {
    const key = `${line}:${column}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew && isPosition(line) && isPosition(column);
  });
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

/** Why a run gave no verdict, foreign text still in it. */
export function whyNotRun(run: RunResult): string {
  const message = run.message ?? 'The scenario did not run.';
  return run.mayHaveRun ? `${message} Adapter code may have run.` : message;
}

/** Said of an adapter that has no run at all: a report without it would read as if all were well. */
export const NOTHING_RAN = 'No scenario of this adapter was run.';

/** No run of it, or one of them, gave no verdict. */
export function didNotRun(adapter: AdapterResult): boolean {
  return adapter.runs.length === 0 || adapter.runs.some((run) => run.verdict === 'not_run');
}
