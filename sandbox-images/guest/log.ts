/** The adapter's log: stderr, capped here too so that a flood costs the host nothing. */
import { formatWithOptions } from 'node:util';
import { LIMITS } from '../../shared/src/guestProtocol.ts';

/** Shows values without calling their getters, traps or inspection methods. */
const FORMAT = {
  depth: 4,
  maxArrayLength: 100,
  maxStringLength: 10_000,
  breakLength: 120,
  customInspect: false,
  showProxy: true,
  getters: false,
} as const;

const FULL = '[The log is full: what follows was dropped.]\n';

export class Log {
  readonly #write: (text: string) => void;
  readonly #limit: number;
  #left: number;

  constructor(write: (text: string) => void, limit: number = LIMITS.logBytes) {
    this.#write = write;
    this.#limit = limit - FULL.length;
    this.#left = this.#limit;
  }

  /** A new adapter has the whole limit to itself. */
  restart(): void {
    this.#left = this.#limit;
  }

  /** One line as `console` formats it; past the limit one note, then nothing. Never throws. */
  line(values: readonly unknown[]): void {
    if (this.#left < 0) return;
    const text = `${format(values)}\n`;
    this.#left -= Buffer.byteLength(text);
    this.#write(this.#left < 0 ? FULL : text);
  }
}

function format(values: readonly unknown[]): string {
  try {
    return formatWithOptions(FORMAT, ...values).slice(0, 20_000);
  } catch {
    return '[a value that cannot be shown]';
  }
}
