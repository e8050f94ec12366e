import { performance } from 'node:perf_hooks';
import type { RunClock } from '../../../shared/src/clock.ts';

interface Due {
  time: number;
  order: number;
  action: () => void | Promise<void>;
}

/** The virtual clock of one run. Only the host moves it, forwards. */
export class VirtualClock implements RunClock {
  readonly kind = 'virtual';
  readonly epoch: number;
  #now = 0;
  #order = 0;
  #queue: Due[] = [];

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  now(): number {
    return this.#now;
  }

  at(time: number, action: () => void | Promise<void>): () => void {
    const due = { time: Math.max(time, this.#now), order: this.#order++, action };
    const after = this.#queue.findIndex((other) => other.time > due.time);
    this.#queue.splice(after < 0 ? this.#queue.length : after, 0, due);
    return () => {
      const index = this.#queue.indexOf(due);
      if (index >= 0) this.#queue.splice(index, 1);
    };
  }

  /** Time of the earliest action, or null. */
  next(): number | null {
    return this.#queue[0]?.time ?? null;
  }

  /** Moves time to `time`, forwards, and not past the earliest action. Runs nothing. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, Math.min(time, this.next() ?? time));
  }

  /**
   * Moves time up to `time` while nothing is due, or to the earliest action before or at it, which is run (with all
   * others of that very moment). A time in the past moves nothing.
   */
  async advance(time: number | null): Promise<void> {
    const next = this.next();
    if (next === null || (time !== null && time < next)) {
      if (time !== null) this.#now = Math.max(this.#now, time);
      return;
    }
    this.#now = Math.max(this.#now, next);
    while (this.#queue[0] !== undefined && this.#queue[0].time <= this.#now) {
      await this.#queue.shift()?.action();
    }
  }
}

/** The real clock of one run: monotonic, so neither sleep nor a clock set back moves it. */
export class RealClock implements RunClock {
  readonly kind = 'real';
  readonly epoch: number;
  readonly #start = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(epoch: number = Date.now()) {
    this.epoch = epoch;
  }

  now(): number {
    return Math.round(performance.now() - this.#start);
  }

  at(time: number, action: () => void | Promise<void>): () => void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void action();
      },
      Math.max(0, time - this.now()),
    );
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** Cancels everything that has not run. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
