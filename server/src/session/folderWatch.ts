/** Watching for editors that do not watch files for a server: the folders that hold files of open projects. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

export class FolderWatch {
  readonly #changed: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();

  /** `changed` is told of paths of files that were made, changed or removed. */
  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** These folders are watched from now on, and no others; one that cannot be watched is left out. */
  set(folders: ReadonlySet<string>): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  dispose(): void {
    this.set(new Set());
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name !== null) this.#changed(join(folder, name));
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // It went away, or the machine watches too much already.
    }
  }
}
