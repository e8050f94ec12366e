/** Results of this session that no verdict file holds: the newest of each scenario, the oldest of all going first. */
import type { RunResult } from '../../../shared/src/results.ts';
import type { RunInputs } from './verdictLines.ts';

/** What a run goes by, taken when it begins: what is edited meanwhile makes its results stale. */
export interface JudgedBy {
  /** Of the adapter's bytes. */
  sha256: string;
  inputs: RunInputs;
}

export interface Draft extends JudgedBy {
  /** Of this session. */
  id: string;
  adapter: string;
  result: RunResult;
}

/** Each holds its evidence, some 100 KB. */
const MOST = 200;

export class Drafts {
  readonly #kept = new Map<string, Draft>();
  #next = 1;

  get(adapter: string, scenario: string): Draft | undefined {
    return this.#kept.get(keyOf(adapter, scenario));
  }

  set(adapter: string, result: RunResult, judged: JudgedBy): void {
    this.delete(adapter, result.scenario);
    this.#kept.set(keyOf(adapter, result.scenario), { ...judged, adapter, result, id: `${this.#next++}` });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
  }

  delete(adapter: string, scenario: string): void {
    this.#kept.delete(keyOf(adapter, scenario));
  }

  /** `to` null: they are gone. */
  move(from: string, to: string | null): void {
    for (const [key, draft] of [...this.#kept]) {
      if (draft.adapter !== from) continue;
      this.#kept.delete(key);
      if (to !== null) this.#kept.set(keyOf(to, draft.result.scenario), { ...draft, adapter: to });
    }
  }
}

function keyOf(adapter: string, scenario: string): string {
  return JSON.stringify([adapter, scenario]);
}
