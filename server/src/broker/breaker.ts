/**
 * Keeps a run off a vendor that asked to be left alone. It opens on the vendor's 429 or 503 and stays open for the
 * window it was given; what happens once the window is over depends on the answer that ends it last: after a 503 the
 * vendor's health is asked first, after a 429 calls simply go on.
 */
export type BreakerPhase =
  | { kind: 'closed' }
  | { kind: 'open'; remainingMs: number }
  /** The window is over; whether the vendor answers again has to be asked. */
  | { kind: 'probe-due' };

export class Breaker {
  #until: number | null = null;
  #afterStatus = 0;
  #openings = 0;

  /** How often it has been opened; tells whether it opened again while something was under way. */
  get openings(): number {
    return this.#openings;
  }

  /** Windows only grow: a short one does not end a longer one. Returns what is left of it, ms. */
  open(status: number, ms: number, now: number): number {
    this.#openings += 1;
    const until = now + ms;
    if (this.#until === null || until >= this.#until) {
      this.#until = until;
      this.#afterStatus = status;
    }
    return this.#until - now;
  }

  close(): void {
    this.#until = null;
  }

  phase(now: number): BreakerPhase {
    if (this.#until === null) return { kind: 'closed' };
    if (now < this.#until) return { kind: 'open', remainingMs: this.#until - now };
    return this.#afterStatus === 503 ? { kind: 'probe-due' } : { kind: 'closed' };
  }
}
