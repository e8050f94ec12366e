/**
 * AbortController and AbortSignal of the adapter's realm. This function's text runs inside the realm: it may use
 * nothing but ECMAScript globals and what it is given.
 */
import type { RealmTimer } from './timers.ts';

export interface AbortGlobals {
  AbortController: unknown;
  AbortSignal: unknown;
  /** Null: not a signal. Independent of what the adapter did to the prototypes. */
  state(value: unknown): { aborted: boolean; reason: unknown } | null;
  /** Calls `action` once when the signal aborts. */
  whenAborted(signal: unknown, action: (reason: unknown) => void): void;
}

/** `report`: a listener threw. */
export function abortGlobals(startTimer: RealmTimer, report: (error: unknown) => void): AbortGlobals {
  type Listener = ((event: unknown) => void) | { handleEvent(event: unknown): void };
  interface Entry {
    listener: Listener;
    once: boolean;
  }
  const internal = {};

  class DOMException extends Error {
    readonly #code: number;

    constructor(message: string, name: string, code: number) {
      super(message);
      Object.defineProperty(this, 'name', { value: name, writable: true, configurable: true });
      this.#code = code;
    }

    get code(): number {
      return this.#code;
    }
  }

  const abortError = () => new DOMException('This operation was aborted', 'AbortError', 20);

  class AbortSignal {
    onabort: ((event: unknown) => void) | null = null;
    #aborted = false;
    #reason: unknown = undefined;
    #entries: Entry[] = [];
    #actions: ((reason: unknown) => void)[] = [];

    constructor(key?: unknown) {
      if (key !== internal) throw new TypeError('Illegal constructor');
    }

    get aborted(): boolean {
      return this.#aborted;
    }

    get reason(): unknown {
      return this.#reason;
    }

    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason;
    }

    addEventListener(type: string, listener: Listener | null, options?: boolean | { once?: boolean }): void {
      if (type !== 'abort' || listener === null || listener === undefined) return;
      for (let index = 0; index < this.#entries.length; index += 1) {
        if (this.#entries[index]?.listener === listener) return;
      }
      const once = typeof options === 'object' && options?.once === true;
      this.#entries[this.#entries.length] = { listener, once };
    }

    removeEventListener(type: string, listener: Listener | null): void {
      if (type !== 'abort') return;
      const kept: Entry[] = [];
      for (let index = 0; index < this.#entries.length; index += 1) {
        const entry = this.#entries[index];
        if (entry && entry.listener !== listener) kept[kept.length] = entry;
      }
      this.#entries = kept;
    }

    dispatchEvent(event: { type?: unknown }): boolean {
      if (event?.type === 'abort') this.#dispatch(event);
      return true;
    }

    static abort(reason?: unknown): AbortSignal {
      const signal = new AbortSignal(internal);
      signal.#abort(reason);
      return signal;
    }

    static timeout(ms: number): AbortSignal {
      if (typeof ms !== 'number' || !(ms >= 0))
        throw new RangeError('The delay must be a number of milliseconds');
      const signal = new AbortSignal(internal);
      startTimer(() => {
        signal.#abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError', 23));
      }, ms);
      return signal;
    }

    static any(signals: Iterable<AbortSignal>): AbortSignal {
      const result = new AbortSignal(internal);
      for (const signal of signals) {
        if (signal.#aborted) {
          result.#abort(signal.#reason);
          break;
        }
        whenAborted(signal, (reason) => result.#abort(reason));
      }
      return result;
    }

    #abort(reason: unknown): void {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason === undefined ? abortError() : reason;
      const actions = this.#actions;
      this.#actions = [];
      for (let index = 0; index < actions.length; index += 1) actions[index]?.(this.#reason);
      this.#dispatch({ type: 'abort', target: this, currentTarget: this });
    }

    #dispatch(event: unknown): void {
      const entries = this.#entries;
      if (typeof this.onabort === 'function') this.#call(this.onabort, event);
      for (let index = 0; index < entries.length; index += 1) {
        const entry = entries[index];
        if (!entry) continue;
        if (entry.once) this.removeEventListener('abort', entry.listener);
        this.#call(entry.listener, event);
      }
    }

    #call(listener: Listener, event: unknown): void {
      try {
        if (typeof listener === 'function') Reflect.apply(listener, this, [event]);
        else listener.handleEvent(event);
      } catch (error) {
        report(error);
      }
    }

    static abortFor(signal: AbortSignal, reason: unknown): void {
      signal.#abort(reason);
    }

    static state(value: unknown): { aborted: boolean; reason: unknown } | null {
      if (typeof value !== 'object' || value === null || !(#aborted in value)) return null;
      return { aborted: value.#aborted, reason: value.#reason };
    }

    static whenAborted(signal: AbortSignal, action: (reason: unknown) => void): void {
      signal.#actions[signal.#actions.length] = action;
    }
  }

  // Known to the harness alone: taken off the class before the adapter loads.
  const { abortFor, state, whenAborted } = AbortSignal;
  const own = AbortSignal as unknown as Record<string, unknown>;
  delete own.abortFor;
  delete own.state;
  delete own.whenAborted;

  class AbortController {
    readonly #signal = new AbortSignal(internal);

    get signal(): AbortSignal {
      return this.#signal;
    }

    abort(reason?: unknown): void {
      abortFor(this.#signal, reason);
    }
  }

  return {
    AbortController,
    AbortSignal,
    state,
    whenAborted: (signal, action) => whenAborted(signal as AbortSignal, action),
  };
}
