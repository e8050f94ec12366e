/** The trace of one run: metadata of every call, in order of arrival. */
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';

/** Sheds in a row, of one step and operation, that get a row each. */
const SHED_ROWS = 100;

export class TraceLog {
  readonly #rows: TraceRow[] = [];
  #streak = { key: '', length: 0 };

  rows(): readonly TraceRow[] {
    return this.#rows;
  }

  /** A row for a call that has arrived; it has no answer yet. */
  open(facts: Omit<TraceRow, 'seq' | 'elapsed' | 'status' | 'answerBytes'>): TraceRow {
    this.#streak = { key: '', length: 0 };
    return this.#add(facts);
  }

  /** The row of a call that is shed at its arrival: from the 101st in a row on they share one. */
  shed(facts: Omit<TraceRow, 'seq' | 'elapsed' | 'status' | 'answerBytes'>): TraceRow {
    const key = `${facts.step} ${facts.operation}`;
    const length = key === this.#streak.key ? this.#streak.length + 1 : 1;
    this.#streak = { key, length };
    const last = this.#rows.at(-1);
    if (length <= SHED_ROWS + 1 || last === undefined) return this.#add(facts);
    last.count = (last.count ?? 1) + 1;
    last.requestBytes += facts.requestBytes;
    return last;
  }

  #add(facts: Omit<TraceRow, 'seq' | 'elapsed' | 'status' | 'answerBytes'>): TraceRow {
    const row: TraceRow = { seq: this.#rows.length + 1, ...facts, elapsed: null, status: 0, answerBytes: 0 };
    this.#rows.push(row);
    return row;
  }
}

/** Calls that a row stands for. */
export function callsOf(row: TraceRow): number {
  return row.count ?? 1;
}
