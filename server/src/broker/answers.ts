/** What the adapter is told: one place for statuses, who answered, whether something was sent, and what may have happened. */

import type { RefusedBy } from '../../../shared/src/evidence/evidence.ts';
import type { CallResult } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import { outcomeOfStatus } from '../../../shared/src/refusal.ts';
import type { VendorOutcome } from '../vendor/vendor.ts';
import { retryAfterMs, WAIT } from './retryAfter.ts';

/** Milliseconds one vendor call may take. */
export const CALL_LIMIT_MS = 60_000;
/** Bytes of an answer's body, as JSON. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Bytes of a request's body. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Nesting of an answer that is passed on: what re-encodes it is recursive. */
const MAX_ANSWER_DEPTH = 256;

export type Failure = Extract<CallResult, { ok: false }>;

const REFUSAL_STATUS: Record<RefusedBy, number> = {
  'no-step': 503,
  'run-ended': 503,
  'in-flight': 429,
  budget: 429,
  route: 403,
  'route-budget': 429,
  shed: 503,
  body: 413,
};

/** The broker's own refusal: nothing was sent, nothing happened. */
export function refusal(by: RefusedBy, message: string, retryMs = 0): Failure {
  return {
    ok: false,
    status: REFUSAL_STATUS[by],
    origin: 'broker',
    sent: 'no',
    outcome: 'none',
    retryAfterMs: retryMs,
    body: null,
    message,
  };
}

/** The time limit passed without an answer. */
export function timedOut(operation: string): Failure {
  return doubt(
    504,
    `The vendor did not answer ${operation} within ${CALL_LIMIT_MS / 1000} s; it may have acted on it.`,
  );
}

function doubt(status: number, message: string): Failure {
  return {
    ok: false,
    status,
    origin: 'broker',
    sent: 'maybe',
    outcome: 'unknown',
    retryAfterMs: 0,
    body: null,
    message,
  };
}

export interface AnswerContext {
  /** Name of the operation. */
  operation: string;
  /** ms since 1970 on the run's clock. */
  nowMs: number;
  echoes(answer: string): boolean;
}

export interface Answered {
  result: CallResult;
  /** Bytes of the body that the vendor gave and the adapter gets. */
  bytes: number;
  /** The vendor asks to be left alone: 429 or 503, ms. */
  overload?: { status: number; ms: number };
}

/** Reads a vendor's outcome. Answers that are too large, nested too deep or echo the credential are not passed on. */
export function answerOf(outcome: VendorOutcome, context: AnswerContext): Answered {
  const { operation } = context;
  if (outcome.kind === 'unopened') {
    const message = `No connection to the vendor could be made for ${operation}; nothing was sent.`;
    return { result: { ...doubt(502, message), sent: 'no', outcome: 'none' }, bytes: 0 };
  }
  if (outcome.kind === 'dropped') {
    const message = `The vendor closed the connection before ${operation} was answered; it may have acted on it.`;
    return { result: doubt(502, message), bytes: 0 };
  }
  if (!Number.isInteger(outcome.status) || outcome.status < 200 || outcome.status > 599) {
    return {
      result: doubt(502, `The vendor answered ${operation} with no valid status; it may have acted on it.`),
      bytes: 0,
    };
  }
  const asked = retryAfterMs(header(outcome.headers, 'retry-after'), context.nowMs);
  const overloaded = outcome.status === 429 || outcome.status === 503;
  const overload = overloaded ? { overload: { status: outcome.status, ms: asked ?? WAIT.usual } } : {};
  const passed = pass(
    outcome.status,
    outcome.body,
    overloaded ? (asked ?? WAIT.usual) : (asked ?? 0),
    context,
  );
  return { ...passed, ...overload };
}

function pass(status: number, body: Json, retryMs: number, context: AnswerContext): Answered {
  const { operation } = context;
  const text = depthWithin(body, MAX_ANSWER_DEPTH) ? JSON.stringify(body) : null;
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  if (text === null || bytes > MAX_ANSWER_BYTES) {
    const limit = text === null ? `is nested more than ${MAX_ANSWER_DEPTH} deep` : 'is larger than 4 MiB';
    const message = `The vendor's answer to ${operation} ${limit} and is not passed on; it may have acted on the call.`;
    return { result: { ...doubt(502, message), retryAfterMs: retryMs }, bytes: 0 };
  }
  if (context.echoes(text)) {
    const message = `The vendor's answer to ${operation} repeats the run's credential and is withheld.`;
    return { result: { ...doubt(502, message), sent: 'yes', retryAfterMs: retryMs }, bytes: 0 };
  }
  if (status < 300) return { result: { ok: true, status, body }, bytes };
  const message = `The vendor answered ${operation} with status ${status}.`;
  const outcome = outcomeOfStatus(status);
  return {
    result: {
      ok: false,
      status,
      origin: 'vendor',
      sent: 'yes',
      outcome,
      retryAfterMs: retryMs,
      body,
      message,
    },
    bytes,
  };
}

function header(headers: Record<string, string>, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Without recursion: the value is foreign. */
function depthWithin(value: Json, limit: number): boolean {
  const waiting: { value: Json; depth: number }[] = [{ value, depth: 0 }];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.value === null || typeof item.value !== 'object') continue;
    const depth = item.depth + 1;
    if (depth > limit) return false;
    for (const child of Object.values(item.value)) {
      if (child !== null && typeof child === 'object') waiting.push({ value: child, depth });
    }
  }
  return true;
}
