import { describe, expect, it } from 'vitest';
import { api, load, operation } from './helpers.ts';

const ANSWER = (schema: string): string => `
/x:
  get:
    operationId: getX
    responses:
      200:
        description: ok
        content: {application/json: {schema: {$ref: '${schema}'}}}
`;

describe('references', () => {
  it('reads schemas, parameters, answers and path items from other files, with their places', () => {
    const { surface, short } = load({
      'main/api.yaml': api(
        `/x: {$ref: '../paths/x%20y.yaml'}`,
        'components: {schemas: {Id: {type: integer}}}',
      ),
      'paths/x y.yaml': `
get:
  operationId: getX
  parameters: [{$ref: 'shared.yaml#/parameters/limit'}]
  responses:
    200: {$ref: 'shared.yaml#/responses/Ok'}
`,
      'paths/shared.yaml': `
parameters: {limit: {name: limit, in: query, schema: {$ref: '#/Id'}}}
responses: {Ok: {description: ok, content: {application/json: {schema: {$ref: '../main/api.yaml#/components/schemas/Id'}}}}}
Id: {type: string}
`,
    });
    expect(short).toEqual([]);
    expect(surface.schemas).toEqual({ Id: { type: 'integer' }, Id_shared: { type: 'string' } });
    const getX = operation(surface, 'getX');
    expect(getX.source.file).toBe('paths/x y.yaml');
    expect(getX.parameters).toMatchObject([
      { name: 'limit', schema: { $ref: '#/schemas/Id_shared' }, source: { file: 'paths/shared.yaml' } },
    ]);
    expect(getX.answers[0]?.contents[0]?.schema).toEqual({ $ref: '#/schemas/Id' });
  });

  it('keeps names unique across files and free of pointer signs', () => {
    const { surface } = load({
      'api.yaml': api(
        `${ANSWER('one.yaml#/definitions/Thing')}
/y:
  get:
    operationId: getY
    responses: {200: {description: ok, content: {application/json: {schema: {$ref: 'two.yaml#/definitions/Thing'}}}}}
/z:
  get:
    operationId: getZ
    responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/a~1b'}}}}}`,
        'components: {schemas: {a/b: {type: boolean}}}',
      ),
      'one.yaml': 'definitions: {Thing: {type: string}}',
      'two.yaml': 'definitions: {Thing: {type: number}}',
    });
    expect(surface.schemas).toEqual({
      Thing: { type: 'string' },
      Thing_two: { type: 'number' },
      a_b: { type: 'boolean' },
    });
  });

  it('tells components apart whose names come to the same', () => {
    const { surface } = load(
      api(
        `${ANSWER('#/components/schemas/a~1b')}
/y:
  get:
    operationId: getY
    responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/a_b'}}}}}
/z:
  get:
    operationId: getZ
    responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/definitions/a_b'}}}}}`,
        'components: {schemas: {a/b: {type: boolean}, a_b: {type: string}}}\ndefinitions: {a_b: {type: number}}',
      ),
    );
    expect(surface.schemas).toEqual({
      a_b: { type: 'boolean' },
      a_b_api: { type: 'string' },
      a_b_api_2: { type: 'number' },
    });
  });

  it('names a whole file by its name, and by the component that stands for it', () => {
    const { surface } = load({
      'api.yaml': api(
        ANSWER('#/components/schemas/Room'),
        "components: {schemas: {Room: {$ref: 'room-get.yaml'}}}",
      ),
      'room-get.yaml': 'properties: {self: {$ref: "#"}, other: {$ref: "room-get.yaml"}}',
    });
    expect(surface.schemas).toEqual({
      Room: { properties: { self: { $ref: '#/schemas/Room' }, other: { $ref: '#/schemas/Room' } } },
    });
  });

  it('follows pointers that lead through a reference', () => {
    const { surface, short } = load(
      api(
        ANSWER('#/components/schemas/A/properties/b'),
        "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {properties: {b: {type: string}}}}}",
      ),
    );
    expect(short).toEqual([]);
    expect(surface.schemas).toEqual({ A_b: { type: 'string' } });
  });

  it.each([
    ['#/components/schemas/No', 'document-dangling-ref'],
    ['#/components/schemas/%E0%A4%A', 'document-dangling-ref'],
    ['#nowhere', 'document-dangling-ref'],
    ['missing.yaml', 'document-dangling-ref'],
    ['http://example.com/a.yaml', 'document-url-ref'],
    ['HTTPS://example.com/a.yaml#/x', 'document-url-ref'],
    ['file:///etc/passwd', 'document-url-ref'],
    ['//example.com/a.yaml', 'document-url-ref'],
    ['../secret.yaml', 'document-outside-ref'],
    ['a/../../secret.yaml', 'document-outside-ref'],
    ['%2e%2e/secret.yaml', 'document-outside-ref'],
    ['/etc/passwd', 'document-outside-ref'],
    ['a\\b.yaml', 'document-outside-ref'],
    ['#/components/schemas/Loop', 'document-cyclic-ref'],
    ['#/components/schemas/Through/x', 'document-dangling-ref'],
  ])('%s: %s at the text of the reference', (reference, code) => {
    const text = api(
      ANSWER(reference),
      "components: {schemas: {Loop: {$ref: '#/components/schemas/Pool'}, Pool: {$ref: '#/components/schemas/Loop'}, Through: {$ref: '#/components/schemas/Through/x'}}}",
    );
    const { short, surface } = load(text);
    expect(short).toEqual([`error ${code} api.yaml:10:55`]);
    expect(surface.operations[0]?.answers[0]?.contents[0]?.schema).toBe(true);
  });

  it('reports broken text in the file that holds it', () => {
    const { short } = load({
      'api.yaml': api(ANSWER('other.yaml')),
      'other.yaml': 'type: string\nx: 1\nx: 2\n',
    });
    expect(short).toEqual(['error document-duplicate-key other.yaml:3:1']);
  });

  it('takes the document’s own address (3.2) for the document', () => {
    const text = `$self: https://example.com/api\n${api(ANSWER('https://example.com/api#/components/schemas/A'), 'components: {schemas: {A: {type: string}}}', '3.2.0')}`;
    const { surface, short } = load(text);
    expect(short).toEqual([]);
    expect(surface.schemas).toEqual({ A: { type: 'string' } });
  });
});
