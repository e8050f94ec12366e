/** Chance for cases in their hundred thousands: xorshift32, of a fixed seed, so that a failure can be played again. */
export class Random {
  #state: number;

  /** `seed`: any whole number; 0 is read as 1. */
  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % below;
  }

  /** True once in `of` times. */
  once(of: number): boolean {
    return this.below(of) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
