import { describe, expect, it } from 'vitest';
import { load, operation } from './helpers.ts';

function swagger(paths: string, more = ''): string {
  return `swagger: "2.0"\ninfo: {title: T, version: "1"}\nbasePath: /v1\n${more}\npaths:\n${paths}`;
}

const OK = 'responses: {200: {description: ok}}';

describe('Swagger 2.0 in the same model', () => {
  it('reads body, answers and definitions, with places', () => {
    const { surface, short } = load(
      swagger(
        `
  /pets/{id}:
    post:
      operationId: update
      consumes: [application/json, application/xml]
      produces: [application/json, application/yaml]
      parameters:
        - {name: id, in: path, required: true, type: integer, format: int64, description: D}
        - {name: body, in: body, required: true, schema: {$ref: '#/definitions/Pet'}}
      responses: {201: {description: made, schema: {$ref: '#/definitions/Pet'}, headers: {X-Id: {type: string}}}}
`,
        'definitions: {Pet: {type: object, discriminator: kind, properties: {note: {type: string, x-nullable: true}}}}',
      ),
    );
    expect(short).toEqual([]);
    expect(surface).toMatchObject({ openapi: '2.0' });
    const update = operation(surface, 'update');
    expect(update).toMatchObject({ path: '/pets/{id}', method: 'POST' });
    expect(update.parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        style: 'simple',
        explode: false,
        description: 'D',
        schema: { type: 'integer', format: 'int64', description: 'D' },
        source: { file: 'api.yaml', start: { line: 12, character: 10 }, end: { line: 12, character: 92 } },
      },
    ]);
    expect(update.body).toEqual({
      required: true,
      contents: [{ mediaType: 'application/json', schema: { $ref: '#/schemas/Pet' } }],
    });
    expect(update.answers).toEqual([
      {
        status: '201',
        description: 'made',
        contents: [
          { mediaType: 'application/json', schema: { $ref: '#/schemas/Pet' } },
          { mediaType: 'application/yaml', schema: { $ref: '#/schemas/Pet' } },
        ],
        headers: ['x-id'],
      },
    ]);
    expect(surface.schemas).toEqual({
      Pet: {
        type: 'object',
        discriminator: { propertyName: 'kind' },
        properties: { note: { type: ['string', 'null'] } },
      },
    });
  });

  it.each([
    ['query', '', 'form', false],
    ['query', 'collectionFormat: csv', 'form', false],
    ['query', 'collectionFormat: multi', 'form', true],
    ['query', 'collectionFormat: ssv', 'spaceDelimited', false],
    ['query', 'collectionFormat: pipes', 'pipeDelimited', false],
    ['header', '', 'simple', false],
    ['header', 'collectionFormat: csv', 'simple', false],
  ])('%s %s -> %s, explode %s', (place, format, style, explode) => {
    const { surface, short } = load(
      swagger(
        `  /a: {get: {operationId: a, parameters: [{name: p, in: ${place}, type: array, items: {type: string}, ${format}}], ${OK}}}`,
      ),
    );
    expect(short).toEqual([]);
    expect(surface.operations[0]?.parameters[0]).toMatchObject({
      style,
      explode,
      schema: { type: 'array', items: { type: 'string' } },
    });
  });

  it('points out a collectionFormat that the client does not write', () => {
    const { short } = load(
      swagger(
        `  /a: {get: {operationId: a, parameters: [{name: p, in: query, type: array, collectionFormat: tsv}], ${OK}}}`,
      ),
    );
    expect(short).toEqual(['warning document-parameter-style api.yaml:6:77']);
  });

  it('makes a form of formData', () => {
    const { surface, short } = load(
      swagger(`
  /a:
    post:
      operationId: a
      parameters:
        - {name: one, in: formData, type: string, required: true}
        - {name: many, in: formData, type: array, items: {type: integer}, collectionFormat: multi}
      ${OK}
`),
    );
    expect(short).toEqual([]);
    expect(surface.operations[0]?.body).toEqual({
      required: true,
      contents: [
        {
          mediaType: 'application/x-www-form-urlencoded',
          schema: {
            type: 'object',
            properties: { one: { type: 'string' }, many: { type: 'array', items: { type: 'integer' } } },
            required: ['one'],
          },
          encoding: { many: { style: 'form', explode: true } },
        },
      ],
    });
  });

  it.each([
    ['type: file', ''],
    ['type: string', 'consumes: [multipart/form-data],'],
  ])('cannot send a form with %s %s', (type, consumes) => {
    const { surface, short } = load(
      swagger(
        `  /a: {post: {operationId: a, ${consumes} parameters: [{name: f, in: formData, required: true, ${type}}], ${OK}}}`,
      ),
    );
    expect(short.map((line) => line.split(' ')[1])).toEqual(['document-body-media-type']);
    expect(surface.operations[0]).toMatchObject({
      grant: null,
      unusable: 'Its request body is of no media type that the client can send.',
    });
  });

  it('takes consumes and produces of the whole API', () => {
    const { surface, short } = load(
      swagger(
        `  /a: {post: {operationId: a, parameters: [{name: b, in: body, schema: {}}], responses: {200: {description: ok, schema: {}}}}}`,
        "consumes: ['*/*']\nproduces: [application/json]",
      ),
    );
    expect(short).toEqual([]);
    expect(surface.operations[0]?.body?.contents).toEqual([{ mediaType: '*/*', schema: {} }]);
    expect(surface.operations[0]?.answers[0]?.contents).toEqual([
      { mediaType: 'application/json', schema: {} },
    ]);
  });
});
