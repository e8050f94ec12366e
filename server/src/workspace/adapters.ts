/** Which files of a project folder are adapters. */
import { findFiles } from './folderFiles.ts';
import { matchesGlob } from './glob.ts';

/** Files that a pattern matches, relative with `/`, sorted. */
export function findAdapters(folder: string, patterns: readonly string[]): string[] {
  return findFiles(folder, (path) => patterns.some((pattern) => matchesGlob(pattern, path)));
}
