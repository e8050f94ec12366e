/**
 * Timers and queueMicrotask of the adapter's realm. This function's text runs inside the realm: it may use nothing
 * but ECMAScript globals and what it is given.
 */

/** Starts a timer of the harness: whole milliseconds, at least 1. */
export type StartTimer = (action: () => void, ms: number, repeat: boolean) => number;

/** Calls `action` once after `ms`, any number. */
export type RealmTimer = (action: () => void, ms: number) => void;

export interface TimerGlobals {
  globals: Record<string, unknown>;
  start: RealmTimer;
}

export function timerGlobals(start: StartTimer, stop: (timer: number) => void): TimerGlobals {
  const { apply } = Reflect;
  const { trunc } = Math;
  type Callback = (...args: unknown[]) => unknown;

  /** What every engine does with a delay: nonsense and what is out of range is 1. */
  const wholeMs = (delay: unknown) => {
    const ms = Number(delay);
    return ms >= 1 && ms <= 2_147_483_647 ? trunc(ms) : 1;
  };

  class Timeout {
    #id = 0;
    #referenced = true;

    constructor(callback: Callback, args: unknown[], delay: unknown, repeat: boolean) {
      if (typeof callback !== 'function') throw new TypeError('The callback of a timer must be a function');
      const ms = wholeMs(delay);
      const begin = () => {
        this.#id = start(() => apply(callback, this, args), ms, repeat);
      };
      begin();
      this.refresh = () => {
        stop(this.#id);
        begin();
        return this;
      };
      Object.defineProperty(this, 'refresh', { enumerable: false });
    }

    refresh: () => Timeout;

    ref(): Timeout {
      this.#referenced = true;
      return this;
    }

    unref(): Timeout {
      this.#referenced = false;
      return this;
    }

    hasRef(): boolean {
      return this.#referenced;
    }

    close(): Timeout {
      stop(this.#id);
      return this;
    }

    [Symbol.toPrimitive](): number {
      return this.#id;
    }

    static clear(timer: unknown): void {
      if (typeof timer === 'object' && timer !== null && #id in timer) stop(timer.#id);
      else if (typeof timer === 'number' || typeof timer === 'string') stop(Number(timer));
    }
  }

  const { clear } = Timeout;
  delete (Timeout as unknown as Record<string, unknown>).clear;

  return {
    globals: {
      setTimeout: (callback: Callback, delay: unknown, ...args: unknown[]) =>
        new Timeout(callback, args, delay, false),
      setInterval: (callback: Callback, delay: unknown, ...args: unknown[]) =>
        new Timeout(callback, args, delay, true),
      setImmediate: (callback: Callback, ...args: unknown[]) => new Timeout(callback, args, 1, false),
      clearTimeout: (timer: unknown) => clear(timer),
      clearInterval: (timer: unknown) => clear(timer),
      clearImmediate: (timer: unknown) => clear(timer),
      queueMicrotask: (callback: Callback) => {
        if (typeof callback !== 'function') throw new TypeError('The callback must be a function');
        const run = async () => {
          await undefined;
          callback();
        };
        void run();
      },
    },
    start: (action, ms) => {
      start(action, wholeMs(ms), false);
    },
  };
}
