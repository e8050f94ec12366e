/** Progress for people: one line that is rewritten on a terminal, plain lines elsewhere, nothing for machines. */
import { terminalText } from '../../../shared/src/text.ts';

export interface ProgressLine {
  /** What is going on now; shown on a terminal only. */
  show(text: string): void;
  /** Something to know: a line of its own. */
  note(text: string): void;
  /** Something is wrong, and the work goes on: said to whoever asked. */
  trouble(text: string): void;
  clear(): void;
}

/** More than any sentence of ours with two addresses in it. */
const TROUBLE_WIDTH = 1000;

const CLEAR = '\r\u001b[2K';

/** `people`: false keeps everything but notes away (results are read by a machine). */
export function progressLine(stream: NodeJS.WriteStream, people: boolean): ProgressLine {
  const live = people && stream.isTTY === true;
  return {
    show(text) {
      if (live) stream.write(`${CLEAR}${text.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    note(text) {
      if (people) stream.write(`${live ? CLEAR : ''}${text}\n`);
    },
    trouble(text) {
      stream.write(`${live ? CLEAR : ''}loadline: ${terminalText(text, TROUBLE_WIDTH)}\n`);
    },
    clear() {
      if (live) stream.write(CLEAR);
    },
  };
}
