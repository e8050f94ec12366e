/** The project that an adapter on the command line belongs to, or a sentence that says what to mend. */
import { relative } from 'node:path';
import type { Diagnostic, Surface } from '../../../shared/src/surface/surface.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { loadProject, NoProject, type Project } from '../workspace/project.ts';
import { CannotDo } from './exit.ts';

export interface UsableProject {
  folder: string;
  contract: string;
  vendor: string;
  surface: Surface;
  /** SHA-256 of loadline.json. */
  config: string;
  /** Warnings about loadline.json and the grant. */
  notes: Diagnostic[];
}

const SHOWN = 10;
const LINE_WIDTH = 1000;

/** Throws CannotDo: no loadline.json, or errors in it, in the document or in the grant, each at its place. */
export async function projectOf(adapter: string): Promise<UsableProject> {
  const project = await load(adapter);
  const { folder, config, surface, diagnostics } = project;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const blocking = surface === null ? errors : errors.filter(({ code }) => !isOfOneOperation(code));
  if (surface === null || config === null || blocking.length > 0)
    throw new CannotDo(`nothing was run:\n${diagnosticLines(folder, blocking)}`);
  const notes = diagnostics.filter(({ severity, code }) => severity === 'warning' && !isOfOneOperation(code));
  if (typeof config.vendor !== 'string')
    throw new CannotDo(
      'nothing was run: this version runs simulated vendors alone; set "vendor" to "simulated:fleet".',
    );
  const { contract, vendor } = config;
  return { folder, contract, vendor, surface, config: project.digests.config, notes };
}

async function load(adapter: string): Promise<Project> {
  try {
    return await loadProject(adapter);
  } catch (error) {
    if (error instanceof NoProject) throw new CannotDo(error.message);
    throw error;
  }
}

/** Such an error in the document makes one operation unusable; the rest stands. A broken text is no document. */
function isOfOneOperation(code: string): boolean {
  return code.startsWith('document-') && code !== 'document-syntax';
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
