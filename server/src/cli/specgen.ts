/** `loadline specgen`: typings, client script and description from a document and a grant. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { emitClient } from '../../../shared/src/surface/client.ts';
import { emitDescription } from '../../../shared/src/surface/description.ts';
import type { Diagnostic } from '../../../shared/src/surface/surface.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import type { Grant } from '../grant/grant.ts';
import { parseGrant } from '../grant/parse.ts';
import { loadDocument } from '../openapi/document.ts';
import { FileRefused } from '../openapi/files.ts';
import { buildSurface } from '../surface/build.ts';
import { isTakenName } from '../workspace/clientName.ts';
import { ConfinedFiles } from '../workspace/files.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { diagnosticLines } from './project.ts';

export interface SpecgenFlags {
  grant?: string;
  client: string;
  out: string;
}

/** Writes `<client>.d.ts`, `<client>.client.js` and `<client>.description.txt`; their names go to stdout. */
export async function specgenCommand(path: string, flags: SpecgenFlags): Promise<ExitCode> {
  if (!/^[A-Za-z_$][\w$]*$/.test(flags.client) || isTakenName(flags.client))
    throw new CannotDo(
      `--client ${flags.client}: use a plain identifier that is no global's name, such as "vendor".`,
    );
  const folder = dirname(resolve(path));
  const files = openFolder(folder);
  const grant = flags.grant === undefined ? 'all' : readGrant(flags.grant, folder);
  const loaded = readDocument(files, basename(path));
  if (loaded.document === null)
    throw new CannotDo(`nothing was written:\n${diagnosticLines(folder, loaded.diagnostics)}`);
  const { surface, diagnostics } = buildSurface({ document: loaded.document, grant, client: flags.client });
  report(folder, diagnostics);
  const granted = surface.operations.filter((operation) => operation.grant !== null).length;
  process.stderr.write(`${granted} of ${surface.operations.length} operations are granted.\n`);
  write(flags.out, {
    [`${flags.client}.d.ts`]: emitTypings(surface),
    [`${flags.client}.client.js`]: emitClient(surface),
    [`${flags.client}.description.txt`]: emitDescription(surface),
  });
  return diagnostics.some(({ severity }) => severity === 'error') ? EXIT.broken : EXIT.ok;
}

function openFolder(folder: string): ConfinedFiles {
  try {
    return new ConfinedFiles(folder);
  } catch (error) {
    throw new CannotDo((error as Error).message);
  }
}

function readDocument(files: ConfinedFiles, name: string) {
  try {
    return loadDocument(files, name);
  } catch (error) {
    if (error instanceof FileRefused) throw new CannotDo(error.message);
    throw error;
  }
}

/** Its diagnostics name it as seen from the document's folder, as those of the document do. */
function readGrant(path: string, folder: string): Grant {
  try {
    const { text } = new ConfinedFiles(dirname(resolve(path))).read(basename(path));
    const grant = parseGrant(relative(folder, resolve(path)), text);
    const errors = grant.diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new CannotDo(`nothing was written:\n${diagnosticLines(folder, errors)}`);
    return grant;
  } catch (error) {
    if (error instanceof FileRefused) throw new CannotDo(error.message);
    throw error;
  }
}

function report(folder: string, diagnostics: readonly Diagnostic[]): void {
  const shown = diagnostics.filter(({ severity }) => severity === 'error' || severity === 'warning');
  if (shown.length > 0) process.stderr.write(`${diagnosticLines(folder, shown)}\n`);
}

function write(out: string, texts: Record<string, string>): void {
  try {
    mkdirSync(out, { recursive: true });
    for (const [name, text] of Object.entries(texts)) {
      const target = join(out, name);
      writeFileSync(target, text);
      process.stdout.write(`${relative(process.cwd(), resolve(target))}\n`);
    }
  } catch (error) {
    throw new CannotDo(`${out} cannot be written: ${(error as Error).message}`);
  }
}
