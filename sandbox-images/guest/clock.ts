/** The clocks that timers, Date and performance of the adapter run on. Times are ms since the start of the run. */
import { createClock } from '@sinonjs/fake-timers';

export interface GuestClock {
  now(): number;
  /** Calls `action` after `ms` (a whole number, at least 1), again and again where it repeats. Returns its number. */
  start(action: () => void, ms: number, repeat: boolean): number;
  stop(timer: number): void;
  /** Stops every timer, and starts none from now on. */
  end(): void;
}

interface VirtualTimer {
  action: () => void;
  due: number;
  cancel: () => void;
}

/**
 * Time that moves only when told to. A timer that comes due is put in a line, in order of its time and then of its
 * start, and run by `runDue`, one at a time, so that whoever drives the clock decides what happens in between.
 */
export class VirtualClock implements GuestClock {
  readonly #clock = createClock(0);
  readonly #timers = new Map<number, VirtualTimer>();
  readonly #due: number[] = [];
  #next = 1;
  #turns = 0;
  #over = false;

  now(): number {
    return this.#clock.now;
  }

  /** Timer callbacks run so far. */
  get turns(): number {
    return this.#turns;
  }

  start(action: () => void, ms: number, repeat: boolean): number {
    const id = this.#next;
    this.#next += 1;
    if (this.#over) return id;
    this.#timers.set(id, { action, due: this.now() + ms, cancel: this.#schedule(id, ms, repeat) });
    return id;
  }

  stop(id: number): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }

  end(): void {
    this.#over = true;
    for (const id of this.#timers.keys()) this.stop(id);
  }

  /** Time of the earliest timer, or null. */
  earliest(): number | null {
    let earliest: number | null = null;
    for (const timer of this.#timers.values()) {
      if (earliest === null || timer.due < earliest) earliest = timer.due;
    }
    return earliest;
  }

  /** Moves time forwards; what comes due is put in line, not run. */
  moveTo(time: number): void {
    if (time > this.now()) this.#clock.tick(time - this.now());
  }

  /** Runs the first timer in line that was not stopped meanwhile; false: there is none. */
  runDue(): boolean {
    for (let id = this.#due.shift(); id !== undefined; id = this.#due.shift()) {
      const timer = this.#timers.get(id);
      if (!timer) continue;
      if (timer.due <= this.now()) this.#timers.delete(id);
      this.#turns += 1;
      timer.action();
      return true;
    }
    return false;
  }

  #schedule(id: number, ms: number, repeat: boolean): () => void {
    const clock = this.#clock;
    if (!repeat) {
      const handle = clock.setTimeout(() => this.#due.push(id), ms);
      return () => clock.clearTimeout(handle);
    }
    const handle = clock.setInterval(() => {
      const timer = this.#timers.get(id);
      if (timer) timer.due = clock.now + ms;
      this.#due.push(id);
    }, ms);
    return () => clock.clearInterval(handle);
  }
}

/** Time as it passes. */
export class RealClock implements GuestClock {
  readonly #start = performance.now();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #next = 1;
  #over = false;

  now(): number {
    return performance.now() - this.#start;
  }

  start(action: () => void, ms: number, repeat: boolean): number {
    const id = this.#next;
    this.#next += 1;
    if (this.#over) return id;
    const once = () => {
      this.#timers.delete(id);
      action();
    };
    this.#timers.set(id, repeat ? setInterval(action, ms) : setTimeout(once, ms));
    return id;
  }

  stop(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  end(): void {
    this.#over = true;
    for (const id of this.#timers.keys()) this.stop(id);
  }
}
