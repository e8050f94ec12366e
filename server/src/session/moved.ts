/** Adapters that are renamed or deleted: what is known of them, and their verdict files, go along. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RenameFile } from 'vscode-languageserver';
import { type OpenProject, pathOf } from './openProject.ts';
import type { Results } from './results.ts';
import { stampOf, verdictFileOf } from './verdictLines.ts';

/** URIs; `to` null: it is gone. */
export interface Moved {
  from: string;
  to: string | null;
}

/** Renames of verdict files that an editor does with those of their adapters; a file that is there already stays. */
export function renamesAlong(projects: Iterable<OpenProject>, files: readonly Moved[]): RenameFile[] {
  return [...projects].flatMap((project) =>
    files.flatMap((moved) => {
      const [from, to] = within(project, moved);
      if (from === null || to === null) return [];
      const [old, next] = [verdictFileIn(project, from), verdictFileIn(project, to)];
      if (old === next || stampOf(old) === '') return [];
      return [RenameFile.create(uriOf(old), uriOf(next), { ignoreIfExists: true })];
    }),
  );
}

export async function moveResults(
  known: ReadonlyMap<OpenProject, Results>,
  files: readonly Moved[],
): Promise<void> {
  for (const [project, results] of known) {
    for (const moved of files) {
      const [from, to] = within(project, moved);
      if (from === null) continue;
      results.move(from, to);
      if (to !== null) await results.refresh(to);
    }
  }
}

/** Relative to the folder; the new name is null where it is no adapter's. */
function within(project: OpenProject, { from, to }: Moved): [from: string | null, to: string | null] {
  const [old = null, next = null] = [from, to].map((uri) => {
    const path = uri === null ? null : pathOf(uri);
    return path === null ? null : project.fileOf(path);
  });
  return [old, next !== null && project.isAdapter(next) ? next : null];
}

function verdictFileIn(project: OpenProject, adapter: string): string {
  return verdictFileOf(join(project.folder, adapter));
}

function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
