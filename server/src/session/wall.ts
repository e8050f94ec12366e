/** The error wall: a feature that fails gives its empty answer and one line in the log, and no other feature notices. */
import { CancellationToken } from 'vscode-languageserver';

export type Log = (text: string) => void;

export class Wall {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What `work` gives; `empty` where it throws or was cancelled. */
  async guard<Answer>(
    name: string,
    empty: Answer,
    work: () => Answer | Promise<Answer>,
    token: CancellationToken = CancellationToken.None,
  ): Promise<Answer> {
    if (token.isCancellationRequested) return empty;
    try {
      const answer = await work();
      return token.isCancellationRequested ? empty : answer;
    } catch (error) {
      this.#log(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return empty;
    }
  }
}
