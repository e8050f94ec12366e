/** Runs the oracle (test/oracle, a package and a process of its own) over documents of the corpus. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { FileRefused, type FileSource } from '../../../server/src/openapi/files.ts';
import { buildSurface } from '../../../server/src/surface/build.ts';
import { emitSandboxGlobals } from '../../../shared/src/surface/sandboxGlobals.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import { pairsOf } from './pairs.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CORPUS = join(ROOT, '../shared/corpus');
const COMPARE = join(ROOT, 'test/oracle/compare.mjs');

export interface Difference {
  id: string;
  kind: 'wider' | 'narrower' | 'other' | 'no-ours' | 'no-theirs';
  /** Members that lead to the innermost types that differ. */
  at: string;
  ours: string;
  theirs: string;
}

export interface Comparison {
  /** Types compared. */
  pairs: number;
  operations: number;
  /** The oracle takes no such document, and why. */
  refused?: string;
  /** What TypeScript 5 says against our typings. */
  ourErrors: string[];
  differences: Difference[];
}

class FolderFiles implements FileSource {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(file: string): SourceText {
    const path = join(this.#folder, file);
    if (!existsSync(path)) throw new FileRefused('unreadable', `There is no file ${file}.`);
    return new SourceText(file, readFileSync(path, 'utf8'));
  }
}

/** The surface of a document with every operation granted; nothing where it cannot be read. */
export function wholeSurface(document: string): Surface | undefined {
  const files = new FolderFiles(dirname(document));
  const loaded = loadDocument(files, basename(document));
  if (loaded.document === null) return undefined;
  return buildSurface({ document: loaded.document, grant: 'all', client: 'check' }).surface;
}

/** A text that refers to other files: it cannot be moved. */
const EXTERNAL = /\$ref["']?\s*:\s*["']?[^#"'\s]/;

/**
 * A copy of the document in `folder` with one operation more for every named schema, so that schemas which no
 * operation reaches are compared too; the document itself where it refers to other files or has no schemas.
 */
export function withSchemaOperations(document: string, folder: string): string {
  const text = readFileSync(document, 'utf8');
  const parsed = parse(text) as Record<string, unknown>;
  const swagger = parsed.swagger !== undefined;
  const components = (parsed.components ?? {}) as Record<string, unknown>;
  const schemas = (swagger ? parsed.definitions : components.schemas) as object | undefined;
  if (EXTERNAL.test(text) || schemas === undefined) return document;
  const paths: Record<string, unknown> = { ...(parsed.paths as object | undefined) };
  for (const name of Object.keys(schemas)) {
    const token = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
    const schema = { $ref: swagger ? `#/definitions/${token}` : `#/components/schemas/${token}` };
    const body = swagger ? { schema } : { content: { 'application/json': { schema } } };
    const produces = swagger ? { produces: ['application/json'] } : {};
    const responses = { 200: { description: name, ...body } };
    paths[`/schemas/${name}`] = { get: { ...produces, responses } };
  }
  const copy = join(folder, basename(document).replace(/\.\w+$/, '.json'));
  writeFileSync(copy, JSON.stringify({ ...parsed, ...(swagger ? { swagger: '2.0' } : {}), paths }));
  return copy;
}

/** Compares documents in one process; `surfaces` by the document's path. */
export async function compareWithOracle(surfaces: ReadonlyMap<string, Surface>): Promise<Comparison[]> {
  const jobs = [...surfaces].map(([document, surface]) => ({
    document,
    swagger: surface.openapi === '2.0',
    ours: { 'ours.d.ts': emitTypings(surface), 'globals.d.ts': emitSandboxGlobals() },
    pairs: pairsOf(surface),
  }));
  const answers = await runOracle(jobs);
  return [...surfaces.values()].map((surface, index) => ({
    ourErrors: [],
    differences: [],
    ...answers[index],
    pairs: jobs[index]?.pairs.length ?? 0,
    operations: surface.operations.filter((operation) => operation.grant !== null).length,
  }));
}

async function runOracle(jobs: unknown): Promise<Partial<Comparison>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-oracle-'));
  try {
    const file = join(folder, 'jobs.json');
    writeFileSync(file, JSON.stringify(jobs));
    const flags = ['--max-old-space-size=3072', '--stack-size=4000'];
    const options = { maxBuffer: 256 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, COMPARE, file], options);
    return JSON.parse(stdout) as Partial<Comparison>[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
