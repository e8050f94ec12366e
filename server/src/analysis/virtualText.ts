/** The author's text plus insertions, and the way between their offsets. Nothing is ever removed. */
import type { TextSpan } from './facts.ts';

export interface Insertion {
  /** Offset in the author's text that it stands before. */
  at: number;
  text: string;
}

/** Offsets are UTF-16 code units. */
export class VirtualText {
  readonly text: string;
  /** Sorted by place; `start` is the offset in the virtual text. */
  readonly #inserted: { at: number; start: number; length: number }[] = [];

  /** Insertions at one place keep their order. */
  constructor(
    readonly real: string,
    insertions: readonly Insertion[],
  ) {
    const sorted = [...insertions].sort((a, b) => a.at - b.at);
    let text = '';
    let done = 0;
    for (const insertion of sorted) {
      text += real.slice(done, insertion.at);
      done = insertion.at;
      this.#inserted.push({ at: insertion.at, start: text.length, length: insertion.text.length });
      text += insertion.text;
    }
    this.text = text + real.slice(done);
  }

  /** An offset with an insertion before it comes out behind the insertion. */
  toVirtual(real: number): number {
    let shift = 0;
    for (const { at, length } of this.#inserted) {
      if (at > real) break;
      shift += length;
    }
    return real + shift;
  }

  /** null: strictly inside an insertion. Both its borders are offsets of the author's text. */
  toReal(virtual: number): number | null {
    let shift = 0;
    for (const { start, length } of this.#inserted) {
      if (start >= virtual) break;
      if (virtual < start + length) return null;
      shift += length;
    }
    return virtual - shift;
  }

  /** null: the span lies in an insertion, or begins or ends in one. An empty virtual span gives an empty real one. */
  realSpan(start: number, end: number): TextSpan | null {
    const from = this.toReal(start);
    const to = this.toReal(end);
    if (from === null || to === null || (from === to && start < end)) return null;
    return { start: from, end: to };
  }
}
