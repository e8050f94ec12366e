/** What the runner knows of the broker. */
import type { RunClock } from '../../../shared/src/clock.ts';
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import type { CallParams, CallResult } from '../../../shared/src/guestProtocol.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Vendor } from '../vendor/vendor.ts';

export interface BrokerOptions {
  surface: Surface;
  vendor: Vendor;
  clock: RunClock;
  /** Authorization header value added when forwarding. */
  authorization: string;
  /** Calls that one run may make. Default 1,000. */
  callBudget?: number;
}

/** A call under way. */
export interface PendingCall {
  /** Resolves when all that the call does at its arrival is done and its answer (or next event) is on the clock. */
  registered: Promise<void>;
  /** Resolves when the answer is due on the run's clock. */
  answer: Promise<CallResult>;
}

export interface Advice {
  code: 'fan-out' | 'repeated-read';
  text: string;
  /** Calls that could be saved. */
  saved: number;
  /** Trace rows it is about. */
  trace: number[];
}

export interface BrokerSession {
  /** Calls from now on belong to this step; null: no step is open. */
  setStep(step: number | null): void;
  call(request: CallParams): PendingCall;
  /** Ends the run's authority: later calls are refused with 503, calls under way are answered no more. */
  end(): void;
  trace(): readonly TraceRow[];
  /** Calls that arrived while no step was open. */
  strayCalls(): number;
  counts(): { sent: number; refused: number; shed: number; perOperation: Record<string, number> };
  advice(): Advice[];
}
