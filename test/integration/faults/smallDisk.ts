/** A disk of a test's own that is soon full. Needs root on Linux; elsewhere it fails. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function smallDisk(bytes: number): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'loadline-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
  const remove = () => {
    execFileSync('umount', [path]);
    rmSync(path, { recursive: true });
  };
  return { path, remove };
}
