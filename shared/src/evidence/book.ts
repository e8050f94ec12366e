/** The vendor's book as its ledger tells it. */
import type { LedgerRow, OrderState, ResourceState } from './evidence.ts';

/** Resources and orders by id, in the order in which the ledger first names them. */
export interface Book {
  resources: Map<string, ResourceState>;
  orders: Map<string, OrderState>;
}

/**
 * The book as it stood right after ledger row `seq`, that row included (0: before the first row, an empty book; past
 * the last row: the final book). Every row carries the states it left, so the latest state of each id is its state.
 * The states are the rows' own objects: read them, do not change them.
 */
export function bookAt(ledger: readonly LedgerRow[], seq: number): Book {
  const book: Book = { resources: new Map(), orders: new Map() };
  for (const row of ledger) {
    if (row.seq > seq) break;
    for (const resource of row.resources ?? []) book.resources.set(resource.id, resource);
    if (row.resource !== undefined) book.resources.set(row.resource.id, row.resource);
    if (row.order !== undefined) book.orders.set(row.order.id, row.order);
  }
  return book;
}
