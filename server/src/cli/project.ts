/** The project that an adapter on the command line belongs to, or a sentence that says what to mend. */
import { relative } from 'node:path';
import type { Diagnostic } from '../../../shared/src/surface/surface.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { loadProject, NoProject, type Project } from '../workspace/project.ts';
import { type UsableProject, usableProject } from '../workspace/usable.ts';
import { CannotDo } from './exit.ts';

const SHOWN = 10;
const LINE_WIDTH = 1000;

/** Throws CannotDo: no loadline.json, or errors in it, in the document or in the grant, each at its place. */
export async function projectOf(adapter: string): Promise<UsableProject> {
  const project = await load(adapter);
  const usable = usableProject(project);
  if (usable.ok) return usable.project;
  const { message, diagnostics } = usable;
  if (diagnostics.length === 0) throw new CannotDo(`nothing was run: ${message}`);
  throw new CannotDo(`nothing was run:\n${diagnosticLines(project.folder, diagnostics)}`);
}

async function load(adapter: string): Promise<Project> {
  try {
    return await loadProject(adapter);
  } catch (error) {
    if (error instanceof NoProject) throw new CannotDo(error.message);
    throw error;
  }
}

/** `file:line:column: error: message (code)`, 1-based, as compilers write it. */
export function diagnosticLines(folder: string, diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.slice(0, SHOWN).map(({ range, severity, message, code }) => {
    const file = relative(process.cwd(), `${folder}/${range.file}`) || range.file;
    const place = `${file}:${range.start.line + 1}:${range.start.character + 1}`;
    return terminalText(`${place}: ${severity}: ${message} (${code})`, LINE_WIDTH);
  });
  const more = diagnostics.length - SHOWN;
  return [...lines, ...(more > 0 ? [`... and ${more} more`] : [])].join('\n');
}
