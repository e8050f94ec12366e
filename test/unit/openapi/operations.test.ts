import { describe, expect, it } from 'vitest';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { api, load, MemoryFiles, operation, shortly } from './helpers.ts';

const OK = 'responses: {200: {description: ok}}';

describe('heads of documents', () => {
  function early(text: string): string[] {
    const { document, diagnostics } = loadDocument(new MemoryFiles({ 'a.yaml': text }), 'a.yaml');
    expect(document).toBeNull();
    return diagnostics.map(shortly);
  }

  it.each([
    ['', 'error document-not-openapi a.yaml:1:1'],
    ['just text', 'error document-not-openapi a.yaml:1:1'],
    ['[1, 2]', 'error document-not-openapi a.yaml:1:1'],
    ['x: 1\n', 'error document-not-openapi a.yaml:1:1'],
    ['openapi: 4.0.0\n', 'error document-unsupported-version a.yaml:1:10'],
    ['openapi: 3.3.0\n', 'error document-unsupported-version a.yaml:1:10'],
    ['swagger: "1.2"\n', 'error document-unsupported-version a.yaml:1:10'],
    ['openapi: {}\n', 'error document-unsupported-version a.yaml:1:10'],
  ])('%j', (text, expected) => {
    expect(early(text)).toEqual([expected]);
  });

  it('says why a file was not read', () => {
    const { document, diagnostics } = loadDocument(new MemoryFiles({}), 'a.yaml');
    expect(document).toBeNull();
    expect(diagnostics.map(shortly)).toEqual(['error document-unreadable a.yaml:1:1']);
  });

  it.each([
    ['swagger: 2.0', '2.0'],
    ['openapi: 3.0.3', '3.0'],
    ['openapi: "3.1"', '3.1'],
    ['openapi: 3.2.0', '3.2'],
  ])('%s', (line, dialect) => {
    const { document } = loadDocument(
      new MemoryFiles({ a: `${line}\ninfo: {title: T, version: 1.0}\npaths: {}` }),
      'a',
    );
    expect(document).toMatchObject({ dialect, title: 'T', apiVersion: '1.0' });
  });

  it('misses paths, which only 3.1 and later may leave out', () => {
    expect(load('openapi: 3.0.3').short).toEqual(['error document-no-paths api.yaml:1:1']);
    expect(load('openapi: 3.1.0').short).toEqual(['warning document-no-paths api.yaml:1:1']);
    expect(load('openapi: 3.1.0\npaths: []').short).toEqual(['error document-no-paths api.yaml:2:1']);
    expect(load('openapi: 3.1.0\nwebhooks: {}').short).toEqual([
      'warning document-no-paths api.yaml:1:1',
      'information document-webhooks api.yaml:2:1',
    ]);
  });
});

describe('operations', () => {
  it('come in the order of the document, with names and places', () => {
    const { surface, short } = load(
      api(`
/b:
  post: {operationId: post-b, summary: S, description: D, deprecated: true, ${OK}}
  get: {operationId: getB, ${OK}}
/a/{id}:
  parameters: [{name: id, in: path, required: true, schema: {type: string}}]
  get: {${OK}}
x-internal: {}
`),
    );
    expect(surface.operations.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual([
      'postB POST /b',
      'getB GET /b',
      'getAById GET /a/{id}',
    ]);
    expect(short).toEqual(['information document-missing-operation-id api.yaml:9:5']);
    expect(operation(surface, 'postB')).toMatchObject({
      summary: 'S',
      description: 'D',
      deprecated: true,
      operationId: 'post-b',
    });
    const at = { line: 8, character: 4 };
    expect(operation(surface, 'getAById').source).toEqual({
      file: 'api.yaml',
      start: at,
      end: { ...at, character: 7 },
    });
  });

  it('name an operation without an id the same wherever its path stands', () => {
    const a = `/a/{x}: {get: {${OK}}}`;
    const b = `/b: {get: {${OK}}}`;
    const names = (text: string): string[] =>
      load(api(text))
        .surface.operations.map(({ name }) => name)
        .sort();
    expect(names(`${a}\n${b}`)).toEqual(names(`${b}\n${a}`));
  });

  it('keep the first of two with one name; the later keeps its place and cannot be called', () => {
    const { surface, short } = load(
      api(`
/a: {get: {operationId: get-thing, ${OK}}}
/b: {get: {operationId: getThing, ${OK}}}
/c: {get: {operationId: get-thing, ${OK}}}
`),
    );
    expect(short).toEqual([
      'error document-name-clash api.yaml:5:27',
      'error document-duplicate-operation-id api.yaml:6:27',
    ]);
    expect(surface.operations.map(({ path, unusable, grant }) => [path, unusable, grant?.route])).toEqual([
      ['/a', undefined, 'GET /a'],
      ['/b', 'GET /a has the client name "getThing" too.', undefined],
      ['/c', 'GET /a has the operationId "get-thing" too.', undefined],
    ]);
  });

  it.each(['then', 'constructor', '__proto__', 'prototype', 'toJSON', 'valueOf'])(
    'cannot be called %s',
    (id) => {
      const { surface, short } = load(api(`/a: {get: {operationId: ${id}, ${OK}}}`));
      expect(short).toEqual(['error document-reserved-name api.yaml:4:27']);
      expect(surface.operations[0]).toMatchObject({
        name: id,
        grant: null,
        unusable: `The client cannot have a method called "${id}".`,
      });
    },
  );

  it('of one path written twice are told apart by method; the same route twice is an error', () => {
    const param = (name: string): string =>
      `parameters: [{name: ${name}, in: path, required: true, schema: {type: string}}]`;
    const { surface, short } = load(
      api(`
/a/{x}:
  ${param('x')}
  get: {operationId: getX, ${OK}}
/a/{y}:
  ${param('y')}
  delete: {operationId: deleteY, ${OK}}
  get: {operationId: getY, ${OK}}
`),
    );
    expect(short).toEqual(['warning document-same-path api.yaml:7:3']);
    expect(surface.operations.map(({ name, unusable }) => [name, unusable])).toEqual([
      ['getX', undefined],
      ['deleteY', undefined],
      ['getY', 'GET /a/{x} is the same route.'],
    ]);
  });

  it.each([
    ['/a?x=1', 'A path with "?", "#" or a backslash in it cannot be called.'],
    ['/a#b', 'A path with "?", "#" or a backslash in it cannot be called.'],
    ['a', 'The path "a" has to start with "/".'],
    ['/a//b', 'A path with an empty segment cannot be called.'],
    ['/a/../b', 'A path with a dot segment cannot be called.'],
    ['/a/{b', 'The braces of this path do not pair up around a name.'],
    ['/{a}{b}', 'Two parameters of this path stand together with nothing between them.'],
    ['/{a}/{a}', 'The parameter "a" stands twice in this path.'],
  ])('with the path %s cannot be called', (path, reason) => {
    const { surface, diagnostics } = load(api(`'${path}': {get: {operationId: a, ${OK}}}`));
    expect(surface.operations[0]?.unusable).toBe(reason);
    expect(diagnostics.find(({ code }) => code === 'document-path')).toMatchObject({
      severity: 'error',
      message: reason,
    });
  });

  it('may have a trailing slash', () => {
    expect(load(api(`/a/: {get: {operationId: a, ${OK}}}`)).short).toEqual([]);
  });

  it('name unknown keys with the nearest known one', () => {
    const { diagnostics, short } = load(api(`/a: {gett: {}, get: {operationID: x, ${OK}, x-more: 1}}`));
    expect(short).toEqual([
      'warning document-unknown-key api.yaml:4:8',
      'information document-missing-operation-id api.yaml:4:18',
      'warning document-unknown-key api.yaml:4:24',
    ]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'A path has no "gett". Did you mean "get"?',
      'No operationId, so the client\'s method is called "getA" after method and path.',
      'An operation has no "operationID". Did you mean "operationId"?',
    ]);
  });

  it('of 3.2 may be queries and additional operations the broker knows', () => {
    const text = `/a: {query: {operationId: q, ${OK}}, additionalOperations: {LINK: {operationId: l, ${OK}}, PURGE: {}}}`;
    const { surface, short } = load(api(text, '', '3.2.0'));
    expect(surface.operations.map(({ method, name }) => `${method} ${name}`)).toEqual(['QUERY q']);
    expect(short).toEqual([
      'warning document-unsupported-method api.yaml:4:93',
      'warning document-unsupported-method api.yaml:4:154',
    ]);
    expect(load(api(`/a: {query: {${OK}}}`)).short).toEqual(['warning document-unknown-key api.yaml:4:8']);
  });

  it('take what a path item beside its reference adds', () => {
    const { surface, short } = load({
      'api.yaml': api(`/a: {$ref: 'item.yaml', get: {operationId: own, ${OK}}}`),
      'item.yaml': `get: {operationId: theirs, ${OK}}\npost: {operationId: more, ${OK}}\n`,
    });
    expect(short).toEqual([]);
    expect(surface.operations.map(({ name }) => name)).toEqual(['own', 'more']);
  });

  it('say what they leave out: callbacks, streams, answers that are no JSON', () => {
    const { short } = load(
      api(`
/a:
  get:
    operationId: a
    callbacks: {done: {}}
    responses:
      200: {description: ok, content: {text/event-stream: {}}}
      2XX: {description: ok, content: {text/csv: {}}}
      2xy: {description: no}
/b:
  get: {operationId: b}
`),
    );
    expect(short).toEqual([
      'information document-callbacks api.yaml:7:7',
      'information document-stream api.yaml:9:42',
      'information document-answer-media-type api.yaml:10:42',
      'warning document-status api.yaml:11:9',
      'warning document-no-answers api.yaml:13:5',
    ]);
  });

  it('keep answers with their media types and headers', () => {
    const { surface } = load(
      api(
        `
/a:
  get:
    operationId: a
    responses:
      200:
        description: fine
        headers: {Retry-After: {}, X-Rate: {}}
        content: {application/json: {schema: {type: string}}, application/xml: {}}
      4xx: {$ref: '#/components/responses/Bad'}
      default: {description: else}
`,
        'components: {responses: {Bad: {description: bad}}}',
      ),
    );
    expect(operation(surface, 'a').answers).toEqual([
      {
        status: '200',
        description: 'fine',
        contents: [
          { mediaType: 'application/json', schema: { type: 'string' } },
          { mediaType: 'application/xml', schema: true },
        ],
        headers: ['retry-after', 'x-rate'],
      },
      { status: '4XX', description: 'bad', contents: [], headers: [] },
      { status: 'default', description: 'else', contents: [], headers: [] },
    ]);
  });
});

describe('wildcard over-reach', () => {
  it('is said at the operation whose pattern reaches another', () => {
    const { diagnostics } = load(
      api(`
/c/{id}: {post: {operationId: modify, ${OK}}, get: {operationId: read, ${OK}}}
/c/activate: {post: {operationId: activate, ${OK}}}
/c/{id}/x: {post: {operationId: x, ${OK}}}
/c/{id}:cancel: {post: {operationId: cancel, ${OK}}}
/c/{name}.json: {get: {operationId: json, ${OK}}}
/c/a.json: {get: {operationId: a, ${OK}}}
`),
    );
    const found = diagnostics.filter(({ code }) => code === 'document-over-reach');
    expect(found.map((diagnostic) => [shortly(diagnostic), diagnostic.message.split('. ')[0]])).toEqual([
      [
        'information document-over-reach api.yaml:4:13',
        'The pattern POST /c/* also matches POST /c/activate',
      ],
      [
        'information document-over-reach api.yaml:4:79',
        'The pattern GET /c/* also matches GET /c/{name}.json and 1 more',
      ],
      [
        'information document-over-reach api.yaml:8:20',
        'The pattern GET /c/*.json also matches GET /c/a.json',
      ],
    ]);
  });
});
