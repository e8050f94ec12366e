/** How the document loader gets at files: through a resolver that confines them to the project folder. */
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';

/** A file was not read. `message` is a sentence for people. */
export class FileRefused extends Error {
  /** `outside`: not in the project folder. `limit`: too big or too many. `unreadable`: missing, no regular file, no UTF-8. */
  readonly reason: 'outside' | 'limit' | 'unreadable';

  constructor(reason: FileRefused['reason'], message: string) {
    super(message);
    this.name = 'FileRefused';
    this.reason = reason;
  }
}

export interface FileSource {
  /**
   * Reads one file, once: a second read gives the same text.
   * @param file relative to the project folder, with `/`
   * @throws FileRefused
   */
  read(file: string): SourceText;
}
