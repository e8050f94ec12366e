/** The clock of one run: virtual (moved by the host) or real. Times are milliseconds since the start of the run. */
export interface RunClock {
  readonly kind: 'virtual' | 'real';
  /** Milliseconds since 1970 at time 0. */
  readonly epoch: number;
  now(): number;
  /**
   * Runs `action` at `time` (at once in order when it is past). On the virtual clock actions run one after another,
   * by time and then in the order they were scheduled, each awaited before the next. Returns a function that cancels.
   */
  at(time: number, action: () => void | Promise<void>): () => void;
}
