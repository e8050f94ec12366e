/** The text of one project file with its line starts: offsets to LSP positions. */
import type { Position, SourceRange } from './surface.ts';

export class SourceText {
  /** Relative to the folder of loadline.json, with `/`. */
  readonly file: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** Offsets (UTF-16 code units) outside the text are clamped; one between CR and LF is the end of that line. */
  position(offset: number): Position {
    const starts = this.#starts();
    const inside = Math.max(0, Math.min(offset, this.text.length));
    const at = splitsLineEnd(this.text, inside) ? inside - 1 : inside;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: at - (starts[low] ?? 0) };
  }

  range(start: number, end: number): SourceRange {
    return { file: this.file, start: this.position(start), end: this.position(Math.max(start, end)) };
  }

  #starts(): number[] {
    this.#lineStarts ??= lineStarts(this.text);
    return this.#lineStarts;
  }
}

function splitsLineEnd(text: string, offset: number): boolean {
  return text.charCodeAt(offset) === 10 && text.charCodeAt(offset - 1) === 13;
}

/** Line ends are LF, CRLF and CR, as LSP counts them. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 13 && text.charCodeAt(i + 1) === 10) continue;
    if (code === 10 || code === 13) starts.push(i + 1);
  }
  return starts;
}
