import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { buildSurface } from '../../../server/src/surface/build.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import { MemoryFiles } from './helpers.ts';

const SMALL = {
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: {
    '/robots/{id}/missions': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'createMission',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: {
          '201': {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Mission' } } },
          },
        },
      },
    },
    '/missions/{id}': { $ref: '#/components/pathItems/mission' },
  },
  components: {
    pathItems: {
      mission: {
        get: {
          parameters: [{ $ref: '#/components/parameters/id' }],
          responses: { default: { $ref: '#/components/responses/R' } },
        },
      },
    },
    parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    responses: { R: { description: 'r', headers: { 'Retry-After': {} } } },
    schemas: {
      Order: {
        type: 'object',
        required: ['target'],
        properties: { target: { type: ['string', 'null'] }, kind: { enum: ['a', 1] } },
      },
      Mission: {
        oneOf: [
          { $ref: '#/components/schemas/Order' },
          { allOf: [{ $ref: '#/components/schemas/Mission' }] },
        ],
        discriminator: { propertyName: 'kind', mapping: { a: 'Order' } },
      },
    },
  },
};

/** Loads with everything granted; gives the diagnostics, whose places have to lie inside the text. */
function loadAny(text: string, file: string): void {
  const { document, diagnostics } = loadDocument(new MemoryFiles({ [file]: text }), file, { trusted: true });
  const built = document && buildSurface({ document, grant: 'all', client: 'c' });
  const lines = text.split(/\r\n|\r|\n/);
  for (const { range, message, code } of built?.diagnostics ?? diagnostics) {
    expect(code).toMatch(/^document-[a-z-]+$/);
    expect(message).not.toMatch(/[\r\n]/);
    for (const at of [range.start, range.end]) {
      expect(at.character).toBeLessThanOrEqual(lines[at.line]?.length ?? -1);
    }
  }
  if (built) expect(JSON.parse(JSON.stringify(built.surface))).toEqual(built.surface);
}

/** Every place in a JSON value, as the keys that lead to it. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function replaced(value: unknown, [step, ...rest]: string[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === step ? replaced(item, rest, by) : item));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [
      key,
      key === step ? replaced(inner, rest, by) : inner,
    ]),
  );
}

describe('any text', () => {
  it('is never more than a diagnostic', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        fc.constantFrom('a.yaml', 'a.json'),
        (text, file) => {
          loadAny(text, file);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('made by cutting and splicing a document is never more than a diagnostic', () => {
    const json = JSON.stringify(SMALL, null, 1);
    const bits = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        "'",
        '\n',
        '\t',
        '- ',
        '&a ',
        '*a ',
        '#',
        '$ref',
        '|',
        '<<: ',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.nat(json.length),
        fc.nat(60),
        bits,
        fc.constantFrom('a.yaml', 'a.json'),
        (at, cut, bit, file) => {
          loadAny(json.slice(0, at) + bit + json.slice(at + cut), file);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('with any value at any place of a document is never more than a diagnostic', () => {
    const places = placesIn(SMALL);
    const pointers = places.map((path) => ({
      $ref: `#/${path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`,
    }));
    const values = fc.oneof(
      fc.constantFrom<unknown>(null, true, 0, '', [], {}, [[]], '$ref', '__proto__'),
      fc.jsonValue(),
      fc.constantFrom(...pointers),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), values), { minLength: 1, maxLength: 3 }),
        (changes) => {
          const changed = changes.reduce<unknown>((value, [path, by]) => {
            return placesIn(value).some((known) => known.join('\n') === path.join('\n'))
              ? replaced(value, path, by)
              : value;
          }, SMALL);
          loadAny(JSON.stringify(changed), 'a.json');
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe('a giant', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `p${index}`);
  const typings = (operation: object): string => {
    const responses = { '204': { description: 'done' } };
    const paths = { '/a': { get: { operationId: 'getA', responses, ...operation } } };
    const info = { title: 'T', version: '1' };
    const text = JSON.stringify({ openapi: '3.1.0', info, paths });
    const { document } = loadDocument(new MemoryFiles({ 'a.json': text }), 'a.json');
    if (document === null) throw new Error('not read');
    return emitTypings(buildSurface({ document, grant: 'all', client: 'c' }).surface);
  };
  const last = / p19999\?: string;/;

  it('of one object gets all of its members', () => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const content = { 'application/json': { schema: { type: 'object', properties } } };
    expect(typings({ responses: { '200': { description: 'ok', content } } })).toMatch(last);
  });

  it('of query keys gets all of them', () => {
    const parameters = names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
    expect(typings({ parameters })).toMatch(last);
  });

  it('of YAML is refused before it takes the memory', () => {
    const text = `openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {}\nx: [${'a,'.repeat(1_000_000)}]\n`;
    const { document, diagnostics } = loadDocument(new MemoryFiles({ 'a.yaml': text }), 'a.yaml');
    expect(document).toBeNull();
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'document-syntax This YAML has too many parts to be read; split the document, or give it as JSON.',
    ]);
  });
});
