/** A file at which whoever reads it waits: where the signer looks at a lock, it stops at an exact moment. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Held } from './gate.ts';

/** Puts a named pipe at `path`, which must not exist. */
export function holdAtReading(path: string): Held {
  execFileSync('mkfifo', [path]);
  // Opening it to write waits for one who reads.
  const opened = open(path, 'w');
  return {
    reached: opened.then(() => undefined),
    release() {
      rmSync(path, { force: true });
      void opened.then((pipe) => pipe.close());
    },
  };
}
