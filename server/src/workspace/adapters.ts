/** Which files of a project folder are adapters. */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from './config.ts';
import { matchesGlob } from './glob.ts';

/** Entries looked at before the search gives up: a pattern should not walk a disk. */
const MOST_ENTRIES = 20_000;

/**
 * Regular files that a pattern matches, relative with `/`, sorted. Links are not followed; folders that start with a
 * dot, `node_modules` and folders with a loadline.json of their own are not entered.
 */
export function findAdapters(folder: string, patterns: readonly string[]): string[] {
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
      else if (entry.isFile() && patterns.some((pattern) => matchesGlob(pattern, path))) found.push(path);
    }
  }
  return found.sort();
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
