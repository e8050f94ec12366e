/** Vendor documents and grants with chance at their text: always diagnostics inside the file, never an exception. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseGrant } from '../../server/src/grant/parse.ts';
import { loadDocument } from '../../server/src/openapi/document.ts';
import { buildSurface } from '../../server/src/surface/build.ts';
import type { Diagnostic } from '../../shared/src/surface/surface.ts';
import { exampleFolder } from '../support/loadline.ts';
import { MemoryFiles } from '../unit/openapi/helpers.ts';
import { Random } from './random.ts';

const SEED = 20_260_109;
const DOCUMENTS = 20_000;
const GRANTS = 20_000;

const SMALL_YAML = `openapi: 3.0.3
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: getPet
      parameters:
        - {$ref: '#/components/parameters/limit'}
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Pet'}
    post:
      operationId: feedPet
      requestBody:
        content: {application/json: {schema: {type: object, properties: {food: {enum: [hay, 1]}}}}}
      responses: {default: {description: any}}
components:
  parameters: &all
    limit: {name: limit, in: query, schema: {type: integer, minimum: 1}}
  schemas:
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {type: "null"}]
      discriminator: {propertyName: kind, mapping: {cat: Cat}}
    Cat:
      allOf: [{type: object, required: [name], properties: {name: {type: string, pattern: "^a+$"}, next: {$ref: '#/components/schemas/Pet'}}}]
`;
const SMALL_JSON = JSON.stringify(
  {
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    paths: {
      '/a/{b}.json': {
        put: {
          parameters: [
            { name: 'b', in: 'path', required: true, type: 'string' },
            { name: 'body', in: 'body', schema: { $ref: '#/definitions/D' } },
          ],
          responses: {
            200: { description: 'ok', schema: { type: 'array', items: { $ref: '#/definitions/D' } } },
          },
        },
      },
    },
    definitions: { D: { type: 'object', additionalProperties: { $ref: '#/definitions/D' } } },
  },
  null,
  1,
);
const texts = [
  { file: 'a.yaml', text: SMALL_YAML },
  { file: 'a.json', text: SMALL_JSON },
] as const;

const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    "'",
    '\n',
    '\r\n',
    '\t',
    '- ',
    '&a ',
    '*a ',
    '*all',
    '<<: ',
    '!!js ',
    '? ',
    '| ',
    '#',
    '%',
  ],
  ...[
    '$ref: ',
    '"$ref":"#/"',
    '#/components/schemas/Pet',
    '../x.yaml',
    '__proto__',
    'constructor',
    '\u0000',
    '\u2028',
    '\ufeff',
  ],
  ...[
    'null',
    '1e999',
    '~',
    'true',
    '0x1',
    '-',
    '---\n',
    '...',
    '{x}',
    '/',
    '\ud800',
    '😀',
    'oneOf',
    'type',
    '  ',
    '2020-01-01',
  ],
] as const;
const GRANT_PIECES = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '#',
    '*',
    '**',
    '/',
    '//',
    '..',
    '?',
    '?a',
    ':',
    '{id}',
    '@health',
    '@batch',
    ' for ',
    'GET ',
    'get ',
  ],
  ...[
    'max:',
    'max:1e9',
    'max:-1',
    'max:99999999999999999999',
    'key:',
    'key:body:/',
    'key:body:/~2',
    'key:header:X',
    'key:path:id',
    'header:',
  ],
  ...[
    'header:Authorization',
    'safe',
    'safe safe',
    '\u0000',
    '\u202e',
    '\ud800',
    '😀',
    '%2F',
    '__proto__',
    '*:cancel',
    '*.json',
  ],
] as const;

/** One to four places changed: a piece put in, a stretch taken out, a line repeated, a character replaced. */
function mutated(random: Random, text: string, pieces: readonly string[]): string {
  let result = text;
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const at = random.below(result.length + 1);
    const end = at + 1 + random.below(30);
    const kind = random.below(5);
    if (kind === 0) result = result.slice(0, at) + random.pick(pieces) + result.slice(at);
    else if (kind === 1) result = result.slice(0, at) + result.slice(end);
    else if (kind === 2) result = result.slice(0, at) + result.slice(at, end) + result.slice(at);
    else if (kind === 3) result = result.slice(0, at) + random.pick(pieces) + result.slice(at + 1);
    else
      result = random.once(20)
        ? result.slice(0, at)
        : result.slice(0, at) + result.slice(at).replace(/\S+/, random.pick(pieces));
  }
  return result;
}

function requireInside(diagnostics: readonly Diagnostic[], file: string, text: string, where: string): void {
  const lines = text.split(/\r\n|\r|\n/);
  for (const { range, message, code } of diagnostics) {
    const { start, end } = range;
    const inside = [start, end].every(
      ({ line, character }) => character >= 0 && character <= (lines[line]?.length ?? -1),
    );
    const ordered = start.line < end.line || (start.line === end.line && start.character <= end.character);
    if (!inside || !ordered || range.file !== file || message === '' || /[\p{Cc}\u2028\u2029]/u.test(message))
      expect.fail(`${where}: ${code} ${JSON.stringify({ range, message })}`);
  }
}

function attempt<Result>(where: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`${where} threw`, { cause: error });
  }
}

describe('chance at the text', () => {
  test(`${DOCUMENTS} documents (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const count = { attempts: 0, refused: 0, withDiagnostics: 0, clean: 0 };
    for (let document = 0; document < DOCUMENTS; document += 1) {
      const { file, text: original } = random.pick(texts);
      const text = mutated(random, original, PIECES);
      const where = `seed ${SEED}, document ${document}: ${JSON.stringify(text)}`;
      const diagnostics = attempt(where, () => {
        const loaded = loadDocument(new MemoryFiles({ [file]: text }), file, { trusted: true });
        if (loaded.document === null) count.refused += 1;
        return loaded.document === null
          ? loaded.diagnostics
          : buildSurface({ document: loaded.document, grant: 'all', client: 'c' }).diagnostics;
      });
      requireInside(diagnostics, file, text, where);
      count.attempts += 1;
      count[diagnostics.length === 0 ? 'clean' : 'withDiagnostics'] += 1;
    }
    console.info(`documents: ${JSON.stringify(count)}`);
    expect([count.attempts, count.clean + count.withDiagnostics]).toEqual([DOCUMENTS, DOCUMENTS]);
  });

  test(`${GRANTS} grants (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const fleet = readFileSync(join(exampleFolder, 'fleet.grant'), 'utf8');
    const other =
      'POST /robots/*:cancel key:header:Idempotency-Key max:40 ?a header:X-Trace # c\nPUT /a/*.json key:path:b safe\n@health GET /health\n@batch GET /a for GET /a/*\n';
    const routes = { attempts: 0, refused: 0, withDiagnostics: 0, clean: 0 };
    for (let index = 0; index < GRANTS; index += 1) {
      const text = mutated(random, random.once(2) ? fleet : other, GRANT_PIECES);
      const where = `seed ${SEED}, grant ${index}: ${JSON.stringify(text)}`;
      const grant = attempt(where, () => parseGrant('a.grant', text));
      requireInside(grant.diagnostics, 'a.grant', text, where);
      const broken = new Set(
        grant.diagnostics.filter(({ severity }) => severity === 'error').map(({ range }) => range.start.line),
      );
      // A line with an error grants nothing.
      if (grant.routes.some(({ source }) => broken.has(source.start.line)))
        expect.fail(`${where} granted a broken line`);
      routes.attempts += 1;
      if (grant.routes.length === 0) routes.refused += 1;
      routes[grant.diagnostics.length === 0 ? 'clean' : 'withDiagnostics'] += 1;
    }
    expect(routes).toEqual({ attempts: GRANTS, refused: 1_906, withDiagnostics: 17_262, clean: 2_738 });
  });
});
