import { describe, expect, it } from 'vitest';
import { api, load, operation, shortly } from '../openapi/helpers.ts';

const OK = 'responses: {200: {description: ok}}';
const MADE = 'responses: {201: {description: made}}';
const ID = 'parameters: [{name: id, in: path, required: true, schema: {type: string}}]';

const CERTIFICATES = api(`
/certificates/{id}:
  ${ID}
  get: {operationId: getCertificate, ${OK}}
  post: {operationId: modifyCertificate, ${OK}}
/certificates/activate:
  post: {operationId: activate, ${OK}}
/certificates/{id}:cancel:
  ${ID}
  post: {operationId: cancel, ${OK}}
`);

function granted(document: string, grant: string): string[] {
  return load(document, grant)
    .surface.operations.filter((each) => each.grant !== null)
    .map(({ name }) => name);
}

function grantCodes(document: string, grant: string): string[] {
  return load(document, grant)
    .diagnostics.filter(({ range }) => range.file === 'vendor.grant')
    .map(shortly);
}

describe('a grant on a document', () => {
  it('grants operation by operation: a wildcard never reaches a neighbour', () => {
    expect(granted(CERTIFICATES, 'POST /certificates/*')).toEqual(['modifyCertificate']);
    expect(granted(CERTIFICATES, 'POST /certificates/activate')).toEqual(['activate']);
    expect(granted(CERTIFICATES, 'POST /certificates/*:cancel')).toEqual(['cancel']);
    expect(granted(CERTIFICATES, 'GET /certificates/*')).toEqual(['getCertificate']);
  });

  it('grants nothing when it is empty', () => {
    const { surface, short } = load(CERTIFICATES, '# nothing\n');
    expect(surface.operations.map((each) => each.grant)).toEqual([null, null, null, null]);
    expect(surface.schemas).toEqual({});
    expect(short.filter((line) => line.includes('vendor.grant'))).toEqual([]);
  });

  it('holds all that the line says', () => {
    const text = api(`
/a/{id}:
  ${ID}
  post:
    operationId: a
    parameters: [{name: q, in: query, schema: {type: string}}, {name: X-T, in: header, schema: {type: string}}]
    ${MADE}
`);
    const { surface } = load(text, 'POST /a/* ?q header:X-T key:header:Idempotency-Key max:3');
    expect(operation(surface, 'a').grant).toEqual({
      route: 'POST /a/*',
      query: ['q'],
      headers: ['x-t', 'idempotency-key'],
      key: { in: 'header', name: 'Idempotency-Key' },
      safe: false,
      max: 3,
      source: { file: 'vendor.grant', start: { line: 0, character: 0 }, end: { line: 0, character: 56 } },
    });
  });

  it.each([
    ['GET /nowhere', 'The document has no GET /nowhere.'],
    ['GET /certificats/*', 'The document has no GET /certificats/*. Did you mean "GET /certificates/*"?'],
    ['PUT /certificates/*', 'The document has no PUT /certificates/*. The path has GET, POST.'],
  ])('%s is not in the document', (line, message) => {
    const { surface, diagnostics } = load(CERTIFICATES, line);
    const found = diagnostics.filter(({ range }) => range.file === 'vendor.grant');
    expect(found.map(shortly)).toEqual(['warning route-not-in-document vendor.grant:1:1']);
    expect(found[0]?.message).toBe(message);
    expect(surface.operations.every((each) => each.grant === null)).toBe(true);
  });

  it('resolves @health and @batch to operations', () => {
    const text = api(`
/robots: {get: {operationId: list, ${OK}}}
/robots/{id}: {${ID}, get: {operationId: getOne, ${OK}}}
`);
    const { surface, short } = load(text, '@health GET /robots\n@batch GET /robots for GET /robots/*\n');
    expect(short).toEqual([]);
    expect(surface).toMatchObject({ health: 'list', batches: [{ by: 'list', served: 'getOne' }] });
    expect(grantCodes(text, '@health GET /up\n@batch GET /robots for GET /x/*\n')).toEqual([
      'warning route-not-in-document vendor.grant:1:9',
      'warning route-not-in-document vendor.grant:2:24',
    ]);
  });

  it('warns of query keys, headers and keys that the operation does not have', () => {
    const text = api(`
/a/{id}:
  ${ID}
  post:
    operationId: a
    parameters: [{name: status, in: query, schema: {type: string}}]
    requestBody: {content: {application/json: {schema: {type: object, properties: {ref: {type: string}}}}}}
    ${MADE}
`);
    expect(grantCodes(text, 'POST /a/* ?statsu header:X key:body:/ref')).toEqual([
      'warning grant-unknown-query vendor.grant:1:11',
      'warning grant-unknown-header vendor.grant:1:19',
    ]);
    expect(grantCodes(text, 'POST /a/* key:body:/nope')).toEqual([
      'warning grant-unknown-key vendor.grant:1:11',
    ]);
    expect(grantCodes(text, 'POST /a/* key:path:ident')).toEqual([
      'warning grant-unknown-key vendor.grant:1:11',
    ]);
    expect(grantCodes(text, 'POST /a/* key:path:id')).toEqual([]);
    expect(grantCodes(text, 'POST /a/* key:header:Idempotency-Key')).toEqual([]);
  });

  it('looks for key fields through references and compositions', () => {
    const text = api(
      `/a: {post: {operationId: a, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}, ${MADE}}}`,
      "components: {schemas: {A: {allOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/A'}]}, B: {properties: {command_id: {type: string}}}}}",
    );
    expect(grantCodes(text, 'POST /a key:body:/command_id')).toEqual([]);
    expect(load(text, 'POST /a').diagnostics.map(({ message }) => message)).toEqual([
      'This creates something and has no key, so no adapter can repeat it safely after a lost answer. If the vendor takes it for one, add key:body:/command_id.',
    ]);
  });

  it('warns of creates without a key', () => {
    const text = api(`
/made: {post: {operationId: made, ${MADE}}}
/accepted: {post: {operationId: accepted, responses: {202: {description: ok}}}}
/read: {post: {operationId: read, ${OK}}}
/orders/{id}/cancel: {${ID}, post: {operationId: cancelOrder, ${MADE}}}
/put: {put: {operationId: put, ${MADE}}}
/keyed:
  post:
    operationId: keyed
    parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]
    ${MADE}
`);
    const all = 'POST /made\nPOST /accepted\nPOST /read\nPOST /orders/*/cancel\nPUT /put\nPOST /keyed\n';
    expect(grantCodes(text, all)).toEqual([
      'warning no-repeat-key vendor.grant:1:1',
      'warning no-repeat-key vendor.grant:2:1',
      'warning no-repeat-key vendor.grant:6:1',
    ]);
    expect(load(text, 'POST /keyed').diagnostics[0]?.message).toContain('add key:header:Idempotency-Key.');
    const fine = 'POST /made safe\nPOST /accepted key:header:X-Once\nPOST /keyed header:idempotency-key\n';
    expect(grantCodes(text, fine)).toEqual([]);
    expect(operation(load(text, fine).surface, 'keyed').grant?.key).toEqual({
      in: 'header',
      name: 'Idempotency-Key',
    });
  });

  it('says which granted routes no client can use, and does not grant broken operations', () => {
    const text = api(`
/a: {get: {operationId: then, ${OK}}}
/b: {get: {operationId: b, parameters: [{name: q, in: query, required: true, schema: {}}, {name: H, in: header, required: true, schema: {}}], ${OK}}}
`);
    const { surface, diagnostics } = load(text, 'GET /a\nGET /b ?q\n');
    expect(
      diagnostics
        .filter(({ range }) => range.file === 'vendor.grant')
        .map(({ code, message }) => [code, message]),
    ).toEqual([
      ['unusable-route', 'No client can call this operation: The client cannot have a method called "then".'],
      ['unusable-route', 'The operation needs what this route does not let through; add header:H.'],
    ]);
    expect(surface.operations.map((each) => each.grant?.route)).toEqual([undefined, 'GET /b']);
  });

  it('grants both of two operations that are one route, so that the broker lets it through', () => {
    const text = api(`
/a/{id}: {${ID}, get: {operationId: one, ${OK}}}
/a/{other}: {parameters: [{name: other, in: path, required: true, schema: {}}], get: {operationId: two, ${OK}}}
`);
    expect(
      load(text, 'GET /a/*').surface.operations.map((each) => [
        each.name,
        each.grant?.route,
        each.unusable !== undefined,
      ]),
    ).toEqual([
      ['one', 'GET /a/*', false],
      ['two', 'GET /a/*', true],
    ]);
  });

  it('reads types for granted operations alone', () => {
    const answer = (name: string): string =>
      `responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/${name}'}}}}}`;
    const text = api(
      `/a: {get: {operationId: a, parameters: [{name: q, in: query, schema: {type: integer}}], ${answer('A')}}}\n/b: {get: {operationId: b, parameters: [{name: q, in: query, schema: {type: integer}}], ${answer('B')}}}`,
      'components: {schemas: {A: {items: {$ref: "#/components/schemas/C"}}, B: {type: string}, C: {type: number}}}',
    );
    const { surface } = load(text, 'GET /a');
    expect(surface.schemas).toEqual({ A: { items: { $ref: '#/schemas/C' } }, C: { type: 'number' } });
    expect(
      surface.operations.map((each) => [each.parameters[0]?.schema, each.answers[0]?.contents[0]?.schema]),
    ).toEqual([
      [{ type: 'integer' }, { $ref: '#/schemas/A' }],
      [true, true],
    ]);
  });

  it('is one plain JSON value', () => {
    const { surface } = load(CERTIFICATES, 'POST /certificates/*');
    expect(JSON.parse(JSON.stringify(surface))).toEqual(surface);
  });
});

describe('no grant', () => {
  it('grants everything usable, with all that it lets through', () => {
    const text = api(`
/a:
  post:
    operationId: a
    parameters: [{name: q, in: query, schema: {}}, {name: Idempotency-Key, in: header, schema: {}}, {name: Host, in: header, schema: {}}]
    ${MADE}
/b: {get: {operationId: toJSON, ${OK}}}
`);
    const { surface } = load(text);
    expect(operation(surface, 'a').grant).toMatchObject({
      route: 'POST /a',
      query: ['q'],
      headers: ['idempotency-key'],
      key: { in: 'header', name: 'Idempotency-Key' },
      safe: false,
    });
    expect(operation(surface, 'toJSON').grant).toBeNull();
  });
});
