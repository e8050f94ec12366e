/** Small JSON values on disk that may be lost at any time: whatever cannot be read counts as absent. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';

export function defaultCacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const base =
    process.platform === 'win32' && LOCALAPPDATA
      ? LOCALAPPDATA
      : process.platform === 'darwin'
        ? path.join(os.homedir(), 'Library', 'Caches')
        : XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)
          ? XDG_CACHE_HOME
          : path.join(os.homedir(), '.cache');
  return path.join(base, 'loadline');
}

export async function readCached(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Readers see the old file or the new one. A cache that cannot be written costs time, not correctness. */
export async function writeCached(file: string, value: unknown): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

export async function dropCached(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
