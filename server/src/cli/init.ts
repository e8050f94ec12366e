/** `loadline init`: a new adapter folder from a vendor document. */
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { loadDocument } from '../openapi/document.ts';
import { FileRefused } from '../openapi/files.ts';
import type { ApiDocument } from '../openapi/model.ts';
import { buildSurface } from '../surface/build.ts';
import { ConfinedFiles } from '../workspace/files.ts';
import { scaffold } from '../workspace/scaffold.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { diagnosticLines } from './project.ts';

export interface InitFlags {
  out?: string;
}

const CONTRACT = 'fleet/1';
const VENDOR = 'simulated:fleet';

/** Writes the folder; never over a file that is there. Names of what was written go to stdout. */
export function initCommand(path: string, flags: InitFlags): ExitCode {
  const contract = contractById(CONTRACT);
  if (contract === undefined) throw new Error(`The contract ${CONTRACT} is not part of this build.`);
  const from = dirname(resolve(path));
  const { document, files } = read(from, basename(path));
  const { client, files: texts, granted } = scaffold({ document, contract, vendor: VENDOR });
  const out = resolve(flags.out ?? client);
  const copied = samePlace(from, out) ? [] : files;
  const wanted = [...copied, ...texts.keys()];
  const taken = wanted.find((name) => existsSync(join(out, name)));
  if (taken !== undefined)
    throw new CannotDo(
      `nothing was written: ${join(flags.out ?? client, taken)} is there already. Name another folder with --out.`,
    );
  try {
    for (const name of copied) copyFileSync(join(from, name), folderFor(join(out, name)));
    for (const [name, text] of texts) writeFileSync(folderFor(join(out, name)), text, { flag: 'wx' });
  } catch (error) {
    throw new CannotDo(`${out} cannot be written: ${(error as Error).message}`);
  }
  for (const name of wanted) process.stdout.write(`${relative(process.cwd(), join(out, name))}\n`);
  process.stderr.write(next(document, client, granted, relative(process.cwd(), out) || '.'));
  return EXIT.ok;
}

/** The document and every file that it is in. */
function read(folder: string, name: string): { document: ApiDocument; files: readonly string[] } {
  try {
    const loaded = loadDocument(new ConfinedFiles(folder), name);
    if (loaded.document === null)
      throw new CannotDo(`nothing was written:\n${diagnosticLines(folder, loaded.diagnostics)}`);
    const { files } = buildSurface({ document: loaded.document, grant: 'all', client: 'vendor' });
    return { document: loaded.document, files };
  } catch (error) {
    if (error instanceof FileRefused) throw new CannotDo(error.message);
    throw error;
  }
}

function folderFor(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

function samePlace(from: string, out: string): boolean {
  return existsSync(out) && realpathSync(from) === realpathSync(out);
}

function next({ operations }: ApiDocument, client: string, granted: number, out: string): string {
  return [
    `${granted} of ${operations.length} operations are granted: those that only read. ${client}.grant lists the others as comments.`,
    `Write the four functions in ${join(out, 'adapter.js')}, then: loadline check ${join(out, 'adapter.js')}`,
    `The vendor in loadline.json is ${VENDOR}, the one that Loadline simulates today; runs need a document with its operations.`,
    '',
  ].join('\n');
}
