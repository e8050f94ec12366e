import { parseGrant } from '../../../server/src/grant/parse.ts';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { FileRefused, type FileSource } from '../../../server/src/openapi/files.ts';
import type { ApiDocument } from '../../../server/src/openapi/model.ts';
import { buildSurface } from '../../../server/src/surface/build.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Diagnostic, Operation, Surface } from '../../../shared/src/surface/surface.ts';

/** Files in memory, by name. */
export class MemoryFiles implements FileSource {
  readonly #files: Map<string, SourceText>;

  constructor(files: Record<string, string>) {
    this.#files = new Map(Object.entries(files).map(([file, text]) => [file, new SourceText(file, text)]));
  }

  read(file: string): SourceText {
    const found = this.#files.get(file);
    if (!found) throw new FileRefused('unreadable', `There is no file "${file}".`);
    return found;
  }
}

/** `severity code file:line:column`, 1-based, as people count. */
export function shortly({ severity, code, range }: Diagnostic): string {
  return `${severity} ${code} ${range.file}:${range.start.line + 1}:${range.start.character + 1}`;
}

export interface Loaded {
  document: ApiDocument;
  surface: Surface;
  diagnostics: Diagnostic[];
  short: string[];
}

/** Loads `api.yaml` (or the given text) with everything granted, or what `grant` says. */
export function load(files: string | Record<string, string>, grant?: string): Loaded {
  const all = typeof files === 'string' ? { 'api.yaml': files } : files;
  const main = Object.keys(all)[0] ?? '';
  const { document, diagnostics: early } = loadDocument(new MemoryFiles(all), main, { trusted: true });
  if (document === null) throw new Error(`No document: ${early.map(shortly).join(', ')}`);
  const parsed = grant === undefined ? 'all' : parseGrant('vendor.grant', grant);
  const { surface, diagnostics } = buildSurface({ document, grant: parsed, client: 'vendor' });
  return { document, surface, diagnostics, short: diagnostics.map(shortly) };
}

/** A whole document around paths (and components), as YAML flow or block text. */
export function api(paths: string, more = '', version = '3.0.3'): string {
  return `openapi: ${version}\ninfo: {title: T, version: "1"}\npaths:\n${indent(paths)}\n${more}`;
}

function indent(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** A document whose one operation answers with the schema `S` (JSON text). */
export function withSchema(schema: string, version = '3.0.3', more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    openapi: version,
    info: { title: 'T', version: '1' },
    paths: {
      '/x': {
        get: {
          operationId: 'getX',
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/S' } } },
            },
          },
        },
      },
    },
    components: { schemas: { ...more, S: 'HERE' } },
  }).replace('"HERE"', schema);
}

export function operation(surface: Surface, name: string): Operation {
  const found = surface.operations.find((each) => each.name === name);
  if (!found)
    throw new Error(`No operation "${name}" among ${surface.operations.map((each) => each.name).join(', ')}`);
  return found;
}
