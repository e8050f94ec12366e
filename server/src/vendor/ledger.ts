/** The vendor's own account of a run: rows in order, each with the states it left (values that never change). */
import type { LedgerKind, LedgerRow } from '../../../shared/src/evidence/evidence.ts';

/** On whose behalf something happens. */
export interface Cause {
  /** ms since the start of the run. */
  at: number;
  credential: number | null;
  step: number | null;
  call: number | null;
  operation?: string;
}

/** What a row says beside its cause. */
export type RowDetails = Omit<LedgerRow, keyof Cause | 'seq' | 'kind' | 'by'>;

export class Ledger {
  readonly #rows: LedgerRow[] = [];

  get rows(): readonly LedgerRow[] {
    return this.#rows;
  }

  append(kind: LedgerKind, by: LedgerRow['by'], cause: Cause, details: RowDetails = {}): void {
    const { at, credential, step, call, operation } = cause;
    this.#rows.push({
      seq: this.#rows.length + 1,
      at,
      kind,
      by,
      credential,
      step,
      call,
      ...(operation === undefined ? {} : { operation }),
      ...details,
    });
  }
}
