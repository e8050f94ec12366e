/** The vendor's seam: what answers brokered calls. Simulated vendors live in the runner's process. */
import type { FinalRecord, LedgerRow } from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';

export interface VendorRequest {
  method: string;
  /** Approved path with query, byte for byte what is sent. */
  target: string;
  /** Lower-case names; `authorization` among them. */
  headers: Record<string, string>;
  /** Parsed body, absent where there is none. */
  body?: Json;
  /** Trace number of the call; null: the broker's own health probe, which leaves no row. */
  call: number | null;
  step: number | null;
}

export type VendorOutcome =
  | { kind: 'answer'; status: number; headers: Record<string, string>; body: Json; afterMs: number }
  /** The request was read, the connection closed without a whole answer. */
  | { kind: 'dropped'; afterMs: number }
  /** No connection was made: nothing was sent. */
  | { kind: 'unopened'; afterMs: number };

export interface Vendor {
  /** `now`: ms since the start of the run. What happens to the book happens before the promise resolves. */
  handle(request: VendorRequest, now: number): Promise<VendorOutcome>;
}

/** A vendor whose book can be read: the simulated ones, and later those that list their orders. */
export interface LedgerVendor extends Vendor {
  ledger(): readonly LedgerRow[];
  /** Lets every create still on its way reach the book. Moves nothing. */
  settle(now: number): void;
  record(): FinalRecord;
}

/** What the vendor needs to know of a bearer token, checked on the run's clock (seconds since 1970). */
export interface TokenVerifier {
  /** The credential's number in this run, or null where it does not verify. */
  verify(authorization: string | undefined, nowS: number): Promise<number | null>;
}
