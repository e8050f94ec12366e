/** Typings of what the sandbox offers beside ECMAScript: console, timers, abort signals, performance. */

/**
 * A global declaration file for a program with the ES2023 library alone (no DOM, no Node). All of it runs on the run's
 * clock.
 */
export function emitSandboxGlobals(): string {
  return SANDBOX_GLOBALS;
}

const SANDBOX_GLOBALS = `interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  dir(value: unknown): void;
  table(value: unknown): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  assert(holds: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string): void;
  timeEnd(label?: string): void;
}
/** Goes to the run's log. */
declare const console: Console;

interface Timeout {
  ref(): Timeout;
  unref(): Timeout;
  hasRef(): boolean;
  refresh(): Timeout;
  close(): Timeout;
  [Symbol.toPrimitive](): number;
}
declare function setTimeout<Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args): Timeout;
declare function setInterval<Args extends unknown[]>(callback: (...args: Args) => void, ms?: number, ...args: Args): Timeout;
declare function setImmediate<Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args): Timeout;
declare function clearTimeout(timer: Timeout | number | undefined): void;
declare function clearInterval(timer: Timeout | number | undefined): void;
declare function clearImmediate(timer: Timeout | number | undefined): void;
declare function queueMicrotask(callback: () => void): void;

/** Milliseconds of the run's clock. */
declare const performance: { now(): number; readonly timeOrigin: number };

interface AbortEvent {
  readonly type: "abort";
  readonly target: AbortSignal;
}
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: AbortEvent) => void) | null;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: (event: AbortEvent) => void, options?: boolean | { once?: boolean }): void;
  removeEventListener(type: "abort", listener: (event: AbortEvent) => void): void;
}
declare const AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  /** Aborts after \`ms\` on the run's clock. */
  timeout(ms: number): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: { readonly prototype: AbortController; new (): AbortController };
`;
