/** A new adapter folder from a vendor document: what it offers, and the files written once. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type {
  DocumentOperationsAnswer,
  NewAdapterAnswer,
  NewAdapterParams,
  UriParams,
} from '../../../shared/src/protocol.ts';
import { oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { loadDocument } from '../openapi/document.ts';
import type { ApiDocument } from '../openapi/model.ts';
import { buildSurface } from '../surface/build.ts';
import { ConfinedFiles } from '../workspace/files.ts';
import { scaffold } from '../workspace/scaffold.ts';
import { pathOf } from './openProject.ts';

const CONTRACT = 'fleet/1';
const VENDOR = 'simulated:fleet';
const READS = ['GET', 'HEAD'];

/** @throws Error with a sentence */
export function documentOperations({ uri }: UriParams): DocumentOperationsAnswer {
  const { document } = read(uri);
  const { surface } = buildSurface({ document, grant: 'all', client: 'vendor' });
  const usable = surface.operations.filter(({ unusable }) => unusable === undefined);
  return {
    title: oneLine(document.title, SUMMARY_LENGTH),
    operations: usable.map(({ name, method, path, summary }) => ({
      name,
      route: oneLine(`${method} ${path}`, SUMMARY_LENGTH),
      summary: oneLine(summary ?? '', SUMMARY_LENGTH),
      reads: READS.includes(method),
    })),
  };
}

/** Writes the folder; never over a file that is there. @throws Error with a sentence */
export function newAdapter({ uri, folder, granted }: NewAdapterParams): NewAdapterAnswer {
  const { document, from } = read(uri);
  const contract = contractById(CONTRACT);
  const out = pathOf(folder);
  if (contract === undefined || out === null) throw new Error('The new folder has no place on this disk.');
  const { files } = scaffold({ document, contract, vendor: VENDOR, granted: new Set(granted) });
  const built = buildSurface({ document, grant: 'all', client: 'vendor' });
  const copied = from === out ? [] : built.files;
  const taken = [...copied, ...files.keys()].find((name) => existsSync(join(out, name)));
  if (taken !== undefined)
    throw new Error(`Nothing was written: ${join(out, taken)} is there already. Name another folder.`);
  for (const name of copied) copyFileSync(join(from, name), placeFor(join(out, name)));
  for (const [name, text] of files) writeFileSync(placeFor(join(out, name)), text, { flag: 'wx' });
  const names = ['adapter.js', ...[...files.keys()].filter((name) => name !== 'adapter.js')];
  return { files: names.map((name) => pathToFileURL(join(out, name)).href) };
}

function read(uri: string): { document: ApiDocument; from: string } {
  const path = pathOf(uri);
  if (path === null) throw new Error('Only a file on disk can be the vendor document.');
  const from = dirname(path);
  const { document, diagnostics } = loadDocument(new ConfinedFiles(from), basename(path));
  if (document === null) throw new Error(diagnostics[0]?.message ?? 'This is no OpenAPI document.');
  return { document, from };
}

function placeFor(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  return file;
}
