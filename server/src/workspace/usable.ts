/** Whether a project can be run, and what of it a run needs. */
import type { Diagnostic, Surface } from '../../../shared/src/surface/surface.ts';
import type { Project } from './project.ts';

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

export type Usable =
  | { ok: true; project: UsableProject }
  /** `diagnostics` stand in the way; with none of them, `message` says it all. */
  | { ok: false; message: string; diagnostics: Diagnostic[] };

export function usableProject(project: Project): Usable {
  const { folder, config, surface, diagnostics } = project;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const blocking = surface === null ? errors : errors.filter(({ code }) => !isOfOneOperation(code));
  if (surface === null || config === null || blocking.length > 0) {
    const message = 'loadline.json, the document or the grant has errors; mend them first.';
    return { ok: false, message, diagnostics: blocking };
  }
  const { contract, vendor } = config;
  if (typeof vendor !== 'string') {
    const message = 'this version runs simulated vendors alone; set "vendor" to "simulated:fleet".';
    return { ok: false, message, diagnostics: [] };
  }
  const notes = diagnostics.filter(({ severity, code }) => severity === 'warning' && !isOfOneOperation(code));
  return { ok: true, project: { folder, contract, vendor, surface, config: project.digests.config, notes } };
}

/** Such an error in the document makes one operation unusable; the rest stands. A broken text is no document. */
function isOfOneOperation(code: string): boolean {
  return code.startsWith('document-') && code !== 'document-syntax';
}
