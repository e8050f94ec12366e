/** What a vendor's own error status says about the attempt: one answer for broker, simulated vendor and rules. */
import type { Outcome } from './guestProtocol.ts';

/** 4xx that refuse nothing: time-out, still running or already there, too early. */
const UNDECIDED = new Set([408, 409, 425]);

/**
 * `none`: nothing happened (429). `refused`: the vendor said no (any other 4xx that decides). `unknown`: it may have
 * happened (5xx, 408, 409, 425, and a redirect, which is not followed).
 */
export function outcomeOfStatus(status: number): Outcome {
  if (status === 429) return 'none';
  return status >= 400 && status < 500 && !UNDECIDED.has(status) ? 'refused' : 'unknown';
}

/** Whether a status tells that the vendor refused, and did not just fail to answer for now. */
export function isRefusal(status: number): boolean {
  return outcomeOfStatus(status) === 'refused';
}
