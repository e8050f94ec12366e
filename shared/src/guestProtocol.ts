/**
 * Messages between runner (host) and guest: JSON-RPC 2.0 in Content-Length frames over the container's attached
 * stdin and stdout. The host drives; everything that the guest says is a claim. Limits are enforced on the host before
 * any parser (server/src/sandbox/guard.ts).
 */
import type { Json } from './json.ts';

/** The guest ignores stdin up to and including this line: an engine may put attach options on it. */
export const START_MARKER = '\u0001loadline:start\n';

export const LIMITS = {
  headerBytes: 128,
  frameBytes: 2 * 1024 * 1024,
  nesting: 64,
  /** Frames, bytes, log and budgets are those of one run. */
  frames: 40_000,
  totalBytes: 32 * 1024 * 1024,
  /** Calls without an answer; the broker refuses the next one with 429. */
  callsInFlight: 16,
  logBytes: 64 * 1024,
  reportBytes: 1024 * 1024,
  /** Budgets of a run on the virtual clock. */
  virtualMs: 30 * 60_000,
  timerTurns: 100_000,
  calls: 10_000,
} as const;

/** A place in the adapter, 1-based. A claim: used to place diagnostics, never to judge. */
export interface Site {
  line: number;
  column: number;
}

/**
 * A value of the adapter, encoded from own data properties into a closed tree. `{"$odd": reason}` stands for what is no
 * JSON value (getter, proxy, function, bigint, NaN, cycle, lone surrogate, too deep, a plain object with a key `$odd`).
 */
export type Encoded = Json;

export interface OddValue {
  $odd: string;
}

/** Host to guest, request. First of all, and again after each `unload`: every adapter gets a realm of its own. */
export interface LoadParams {
  /** The adapter's text, exactly the bytes read. */
  adapter: string;
  /** Base name, for stack traces. */
  fileName: string;
  /** Text of the client script made from the surface. */
  client: string;
  clientName: string;
  exports: string[];
  clock: 'virtual' | 'real';
  /** Milliseconds since 1970 at the start of the run. */
  epoch: number;
  /** Start of Math.random: a number of the run's own. */
  random: number;
}

export type LoadResult =
  | { loaded: true; exports: string[]; missing: string[] }
  | { loaded: false; error: ThrownValue };

/**
 * Host to guest, request, one at a time. Its answer (null) comes when every invocation has settled and the adapter has
 * nothing left to do at this moment: every call made until then was sent before the answer.
 */
export interface StepParams {
  step: number;
  /** Started in the same turn, in this order. */
  invocations: { export: string; args: Json[] }[];
}

/** Guest to host, notification `settled`: sent the moment an invocation settles. */
export interface SettledParams {
  step: number;
  /** Index into `StepParams.invocations`. */
  invocation: number;
  result: InvocationResult;
  /** The guest's time when it settled, ms since the start of the run (virtual clock). */
  at: number;
}

export type InvocationResult =
  | { kind: 'returned'; value: Encoded; site?: Site }
  | { kind: 'threw'; error: ThrownValue };

export interface ThrownValue {
  /** True when it is an Error object of the adapter's realm. */
  isError: boolean;
  name: string;
  message: string;
  /** Own data property `code`, or absent. */
  code?: Encoded;
  site?: Site;
}

/** Guest to host, request. */
export interface CallParams {
  method: string;
  /** Path, already encoded by the client one segment each, with `?query` where there is one. */
  target: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Absent: no body. */
  body?: Json;
  /** Media type of the body. */
  contentType?: string;
  site?: Site;
  /** The guest's time when the call was made, ms since the start of the run (virtual clock). */
  at: number;
}

export type Sent = 'no' | 'maybe' | 'yes';
export type Outcome = 'none' | 'refused' | 'unknown';

export type CallResult =
  | { ok: true; status: number; body: Json }
  | {
      ok: false;
      status: number;
      origin: 'broker' | 'vendor';
      sent: Sent;
      outcome: Outcome;
      /** Finite, 0 where nothing asks for a wait. */
      retryAfterMs: number;
      body: Json;
      message: string;
    };

/**
 * Guest to host, request, whenever the adapter has nothing to do but wait (virtual clock, a step open, never two at
 * once). The host moves time to the earliest of `timer` and its own events; what became due is sent before the answer.
 */
export interface AdvanceParams {
  /** Step the guest is in: an advance that the host has overtaken moves nothing. */
  step: number;
  /** Time of the earliest timer, ms since the start of the run, or null. */
  timer: number | null;
  /** Timer callbacks run so far. */
  turns: number;
}

export interface AdvanceResult {
  /** The guest moves its clock here, hands over the answers that came before this one, then fires its timers due. */
  now: number;
  /** The guest may pass its own timers before this time without asking, while it has sent no call since. */
  until: number;
}

/** Guest to host, notification, first of all. */
export interface HelloParams {
  protocol: 1;
  node: string;
}

export const METHODS = {
  hello: 'hello',
  load: 'load',
  step: 'step',
  /**
   * Host to guest, request without parameters. The adapter's session ends: it says nothing more. The answer (null)
   * parts what the old session said from what the next one says.
   */
  unload: 'unload',
  settled: 'settled',
  call: 'call',
  advance: 'advance',
} as const;

/** One frame: header and body of a message, as both sides write it. Strings are well-formed, so it is valid UTF-8. */
export function encodeFrame(message: unknown): Uint8Array {
  const encoder = new TextEncoder();
  const body = encoder.encode(JSON.stringify(message));
  const header = encoder.encode(`Content-Length: ${body.length}\r\n\r\n`);
  const frame = new Uint8Array(header.length + body.length);
  frame.set(header);
  frame.set(body, header.length);
  return frame;
}
