/** What explorations found in the adapters of a folder, read again when the file that keeps it is another one. */
import { join } from 'node:path';
import { faultsIn, KEPT_FILE, KeptUnusable } from '../workspace/kept.ts';
import { stampOf } from './verdictLines.ts';

export class KeptFaults {
  readonly #folder: string;
  #stamp = '';
  #known: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** In the order in which they were found. A file that cannot be read keeps nothing: who writes to it says so. */
  faults(adapter: string): readonly string[] {
    const stamp = stampOf(join(this.#folder, KEPT_FILE));
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#known = stamp === '' ? new Map() : this.#read();
    }
    return this.#known.get(adapter) ?? [];
  }

  #read(): ReadonlyMap<string, readonly string[]> {
    try {
      return faultsIn(this.#folder);
    } catch (error) {
      if (error instanceof KeptUnusable) return new Map();
      throw error;
    }
  }
}
