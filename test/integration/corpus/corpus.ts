/** Real and awkward documents that lie beside the repository: data only, not part of it. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe } from 'vitest';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { type BuiltSurface, buildSurface } from '../../../server/src/surface/build.ts';
import { ConfinedFiles, type FileLimits } from '../../../server/src/workspace/files.ts';
import type { Diagnostic } from '../../../shared/src/surface/surface.ts';

export const CORPUS = join(import.meta.dirname, '../../../../shared/corpus');

/** Registers tests where the corpus is there; in CI it has to be. */
export function describeCorpus(name: string, tests: () => void): void {
  if (existsSync(CORPUS) || process.env.CI) describe(name, tests);
}

export function filesUnder(folder: string): string[] {
  return readdirSync(join(CORPUS, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Loads a document with everything granted, confined to `root` (its own folder unless said). */
export function loadAll(
  path: string,
  limits?: FileLimits,
  root = dirname(path),
): (BuiltSurface & { loaded: true }) | { loaded: false; diagnostics: Diagnostic[] } {
  const files = new ConfinedFiles(root, limits ? { limits } : {});
  const name = root === dirname(path) ? basename(path) : path.slice(root.length + 1);
  const { document, diagnostics } = loadDocument(files, name, { trusted: true });
  if (document === null) return { loaded: false, diagnostics };
  return { loaded: true, ...buildSurface({ document, grant: 'all', client: 'vendor' }) };
}

/** References of a surface that name no schema of it. */
export function unresolved(surface: { operations: unknown; schemas: object }): string[] {
  const text = JSON.stringify([surface.operations, surface.schemas]);
  const names = new Set(
    [...text.matchAll(/"\$ref":"#\/schemas\/((?:[^"\\]|\\.)*)"/g)].map(
      (match) => JSON.parse(`"${match[1]}"`) as string,
    ),
  );
  return [...names].filter((name) => !Object.hasOwn(surface.schemas, name));
}

/** `code line`, 1-based. */
export function codeAndLine({ code, range }: Diagnostic): string {
  return `${code} ${range.start.line + 1}`;
}
