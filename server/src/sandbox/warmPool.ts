/** Containers started ahead of the runs that take them. Each is claimed once and by one run; none is ever used again. */
import type { GuestContainer } from './container.ts';

interface Waiting {
  starting: Promise<GuestContainer>;
  /** performance.now() after which it is not handed out: its time to live is the run's. */
  until: number;
  isGone: boolean;
}

export interface WarmPoolParts {
  /** Starts a container that nobody has claimed; a failure is told by the start that needed it. */
  start(): Promise<GuestContainer>;
  discard(container: GuestContainer): void;
  /** How long one may wait, ms. */
  waitMs: number;
}

export class WarmPool {
  readonly #parts: WarmPoolParts;
  readonly #waiting = new Set<Waiting>();

  constructor(parts: WarmPoolParts) {
    this.#parts = parts;
  }

  /** One that waits, the oldest first, or null: started or being started, alive, young enough. */
  async claim(): Promise<GuestContainer | null> {
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      const container = await each.starting.catch(() => null);
      if (container === null) continue;
      if (!each.isGone && performance.now() < each.until) return container;
      this.#parts.discard(container);
    }
    return null;
  }

  /** Starts as many as are missing to `count`. */
  fill(count: number): void {
    while (this.#waiting.size < count) this.#add();
  }

  /** Nobody will claim what waits. */
  drain(): void {
    for (const { starting } of this.#waiting) starting.then(this.#parts.discard, () => undefined);
    this.#waiting.clear();
  }

  #add(): void {
    const starting = this.#parts.start();
    const each: Waiting = { starting, until: performance.now() + this.#parts.waitMs, isGone: false };
    this.#waiting.add(each);
    starting
      .then(({ exited }) => exited)
      .catch(() => undefined)
      .then(() => {
        each.isGone = true;
        // One that could not be started, or ended, is not counted as waiting.
        if (this.#waiting.delete(each)) starting.then(this.#parts.discard, () => undefined);
      });
  }
}
