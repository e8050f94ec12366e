/**
 * Who runs when. The adapter's code runs only in turns that start here or in the harness: an invocation begins, an
 * answer is handed over, a timer fires. After each, every microtask has run before the next begins.
 */
import type { AdvanceParams, AdvanceResult } from '../../shared/src/guestProtocol.ts';
import { LIMITS } from '../../shared/src/guestProtocol.ts';
import type { VirtualClock } from './clock.ts';

export interface Turns {
  /** Runs `action` (an answer of the host) in a turn of its own. */
  deliver(action: () => void): void;
  /** The adapter made a call. */
  callSent(): void;
  /** A step's invocations have started. */
  opened(step: number): void;
  /** Every invocation of the step has settled: `answer` is called once the adapter is idle. */
  settled(answer: () => void): void;
  /** No turn begins from now on, whatever the host still answers. */
  end(): void;
}

/** Resolves when every microtask has run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The real clock: answers are handed over as they come. */
export class RealTurns implements Turns {
  #over = false;

  deliver(action: () => void): void {
    if (!this.#over) action();
  }

  callSent(): void {}

  opened(): void {}

  settled(answer: () => void): void {
    void turn().then(answer);
  }

  end(): void {
    this.#over = true;
  }
}

/**
 * The virtual clock. While the guest waits for the answer to `advance`, answers to calls are kept; then time moves,
 * and at one and the same time the order is: answers in the order they came, then timers in the order they were due.
 * So the messages sent depend on the messages received alone, not on how fast either travelled.
 */
export class VirtualTurns implements Turns {
  readonly #clock: VirtualClock;
  readonly #advance: (params: AdvanceParams) => Promise<AdvanceResult>;
  readonly #deliveries: (() => void)[] = [];
  #step: number | null = null;
  #answer: (() => void) | null = null;
  #until = 0;
  #callSince = false;
  #asking = false;
  #running = false;
  #over = false;

  constructor(clock: VirtualClock, advance: (params: AdvanceParams) => Promise<AdvanceResult>) {
    this.#clock = clock;
    this.#advance = advance;
  }

  deliver(action: () => void): void {
    this.#deliveries.push(action);
    this.#wake();
  }

  callSent(): void {
    this.#callSince = true;
  }

  opened(step: number): void {
    this.#step = step;
    // What the host granted was for the step before.
    this.#until = 0;
    this.#wake();
  }

  settled(answer: () => void): void {
    this.#answer = answer;
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#deliveries.length = 0;
  }

  #wake(): void {
    if (this.#running || this.#asking || this.#over) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    do await turn();
    while (this.#next());
    this.#running = false;
  }

  /** Starts the next turn of the adapter; false: nothing can run before the host says something. */
  #next(): boolean {
    if (this.#over) return false;
    const delivery = this.#deliveries.shift();
    if (delivery) {
      delivery();
      return true;
    }
    if (this.#clock.runDue()) return true;
    if (this.#answer) {
      this.#step = null;
      this.#answer();
      this.#answer = null;
    }
    if (this.#step === null) return false;
    const timer = this.#clock.earliest();
    if (timer !== null && this.#mayPass(timer)) {
      this.#clock.moveTo(timer);
      return true;
    }
    this.#ask(this.#step, timer);
    return false;
  }

  /** Past the budget of timer callbacks every one is asked for, so that the host can end the run. */
  #mayPass(timer: number): boolean {
    return timer < this.#until && !this.#callSince && this.#clock.turns < LIMITS.timerTurns;
  }

  #ask(step: number, timer: number | null): void {
    this.#asking = true;
    void this.#advance({ step, timer, turns: this.#clock.turns }).then((answer) => {
      if (this.#over) return;
      this.#clock.moveTo(answer.now);
      this.#until = answer.until;
      this.#callSince = false;
      this.#asking = false;
      this.#wake();
    });
  }
}
