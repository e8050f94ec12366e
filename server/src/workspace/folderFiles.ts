/** Regular files of a project folder: a bounded walk that leaves it by no link. */
import { closeSync, constants, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from './config.ts';

/** Entries looked at before the search gives up: a pattern should not walk a disk. */
const MOST_ENTRIES = 20_000;

/** Bytes in which a document says what it is. */
const HEAD = 4096;
const VERSION = /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?\d/m;

/**
 * Those that `accepts` takes, relative with `/`, sorted. Links are not followed; folders that start with a dot,
 * `node_modules` and folders with a loadline.json of their own are not entered.
 */
export function findFiles(folder: string, accepts: (path: string) => boolean): string[] {
  const found: string[] = [];
  const folders = [''];
  let budget = MOST_ENTRIES;
  for (let at = folders.shift(); at !== undefined && budget > 0; at = folders.shift()) {
    const entries = list(join(folder, at));
    budget -= entries.length;
    if (at !== '' && entries.some((entry) => entry.name === CONFIG_FILE)) continue;
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory() && mayEnter(entry.name)) folders.push(path);
      else if (entry.isFile() && accepts(path)) found.push(path);
    }
  }
  return found.sort();
}

/** Whether a file found so begins as an OpenAPI or Swagger document does. */
export function beginsAsDocument(folder: string, file: string): boolean {
  const buffer = Buffer.alloc(HEAD);
  try {
    const handle = openSync(
      join(folder, file),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const length = readSync(handle, buffer, 0, HEAD, 0);
    closeSync(handle);
    return VERSION.test(buffer.toString('utf8', 0, length));
  } catch {
    return false;
  }
}

function mayEnter(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules';
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
