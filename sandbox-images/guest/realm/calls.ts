/**
 * The calls of the injected client, seen from inside the adapter's realm: promises, bodies and errors are made there.
 * This function's text runs inside the realm: it may use nothing but ECMAScript globals and what it is given.
 */
import type { AbortGlobals } from './abort.ts';

/** What the client script hands over for one call. */
export interface InvokeRequest {
  method: string;
  target: string;
  headers?: unknown;
  body?: unknown;
  contentType?: string;
  signal?: unknown;
}

/** Sends a call; returns its number, or a sentence that says why it could not be sent. */
export type SendCall = (request: InvokeRequest) => number | string;

export interface Calls {
  invoke(request: InvokeRequest): Promise<unknown>;
  fail(message: string): Error;
  /** Hands over a host's answer (JSON of `CallResult`). `trace`: the adapter's frames when the call was made. */
  answer(call: number, json: string, trace: string): void;
}

export function makeCalls(send: SendCall, abort: Pick<AbortGlobals, 'state' | 'whenAborted'>): Calls {
  const { parse } = JSON;
  const { defineProperty } = Object;
  interface Pending {
    resolve(value: unknown): void;
    reject(reason: unknown): void;
  }
  interface Refusal {
    status: number;
    origin: string;
    sent: string;
    outcome: string;
    retryAfterMs: number;
    body: unknown;
    message: string;
  }
  const pending: Record<number, Pending> = Object.create(null);

  class VendorCallError extends Error {
    readonly status: number;
    readonly origin: string;
    readonly sent: string;
    readonly outcome: string;
    readonly retryAfterMs: number;
    readonly body: unknown;

    constructor(refusal: Refusal) {
      super(refusal.message);
      defineProperty(this, 'name', { value: 'VendorCallError', writable: true, configurable: true });
      this.status = refusal.status;
      this.origin = refusal.origin;
      this.sent = refusal.sent;
      this.outcome = refusal.outcome;
      this.retryAfterMs = refusal.retryAfterMs;
      this.body = refusal.body;
    }
  }

  const fail = (message: string) =>
    new VendorCallError({
      status: 0,
      origin: 'client',
      sent: 'no',
      outcome: 'none',
      retryAfterMs: 0,
      body: null,
      message: `${message}`,
    });

  const invoke = (request: InvokeRequest) =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal !== undefined && signal !== null) {
        const state = abort.state(signal);
        if (state === null) return reject(fail('The option signal must be an AbortSignal.'));
        if (state.aborted) return reject(state.reason);
      }
      const call = send(request);
      if (typeof call === 'string') return reject(fail(call));
      pending[call] = { resolve, reject };
      if (signal !== undefined && signal !== null) abort.whenAborted(signal, reject);
    });

  const answer = (call: number, json: string, trace: string) => {
    const waiting = pending[call];
    if (waiting === undefined) return;
    delete pending[call];
    const result = parse(json);
    if (result.ok) return waiting.resolve(result.body);
    const error = new VendorCallError(result);
    // Made in the host's turn, it has no frames of its own: the call's place is what helps.
    const stack = `VendorCallError: ${error.message}${trace}`;
    defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
    waiting.reject(error);
  };

  return { invoke, fail, answer };
}
