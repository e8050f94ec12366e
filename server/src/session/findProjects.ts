/** Folders with a loadline.json below workspace folders: a bounded walk that follows no links. */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from '../workspace/config.ts';

const MOST_ENTRIES = 50_000;
const LEFT_OUT = new Set(['node_modules']);

export function findProjects(folders: readonly string[]): string[] {
  const found: string[] = [];
  const queue = [...folders];
  let budget = MOST_ENTRIES;
  for (let folder = queue.shift(); folder !== undefined && budget > 0; folder = queue.shift()) {
    const entries = list(folder);
    budget -= entries.length;
    if (entries.some((entry) => entry.isFile() && entry.name === CONFIG_FILE)) found.push(folder);
    for (const entry of entries)
      if (entry.isDirectory() && !entry.name.startsWith('.') && !LEFT_OUT.has(entry.name))
        queue.push(join(folder, entry.name));
  }
  return found;
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
