import { describe, expect, it } from 'vitest';
import { load, withSchema } from './helpers.ts';

/** The normal form of the schema `S`, and what is said about it. */
function normal(schema: string, version = '3.0.3', more: Record<string, unknown> = {}) {
  const { surface, short } = load({ 'api.json': withSchema(schema, version, more) });
  return {
    schema: surface.schemas.S,
    schemas: surface.schemas,
    codes: short.map((line) => line.split(' ')[1]),
  };
}

describe('schemas in one normal form', () => {
  it('turns nullable into a type', () => {
    expect(normal('{"type": "string", "nullable": true}')).toMatchObject({
      schema: { type: ['string', 'null'] },
      codes: [],
    });
  });

  it('lets null fit where nullable stands beside an enum that lacks it', () => {
    const { schema } = normal('{"type": "string", "nullable": true, "enum": ["a"]}');
    expect(schema).toEqual({ type: ['string', 'null'], enum: ['a', null] });
  });

  it('heeds nullable beside a $ref and beside composition', () => {
    const job = { Job: { type: 'object' } };
    const beside = normal(
      '{"$ref": "#/components/schemas/Job", "nullable": true, "description": "d"}',
      '3.0.3',
      job,
    );
    expect(beside.schema).toEqual({ description: 'd', anyOf: [{ $ref: '#/schemas/Job' }, { type: 'null' }] });
    expect(beside.codes).toEqual(['document-nullable']);
    const composed = normal(
      '{"nullable": true, "allOf": [{"$ref": "#/components/schemas/Job"}]}',
      '3.0.3',
      job,
    );
    expect(composed.schema).toEqual({ anyOf: [{ allOf: [{ $ref: '#/schemas/Job' }] }, { type: 'null' }] });
  });

  it('heeds nullable in 3.1 with a warning, and x-nullable only in 2.0', () => {
    expect(normal('{"type": "string", "nullable": true}', '3.1.0')).toMatchObject({
      schema: { type: ['string', 'null'] },
      codes: ['document-nullable'],
    });
    expect(normal('{"type": "string", "x-nullable": true}').schema).toEqual({ type: 'string' });
  });

  it('keeps type lists, const, tuples and null in enums', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { const: 'k' },
        c: { enum: ['x', null, 1, true, ''] },
        d: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      },
    };
    expect(normal(JSON.stringify(schema), '3.1.0')).toMatchObject({ schema, codes: [] });
  });

  it('turns the exclusive flags of 3.0 into bounds', () => {
    expect(
      normal(
        '{"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false}',
      ).schema,
    ).toEqual({
      type: 'number',
      exclusiveMinimum: 1,
      maximum: 5,
    });
    expect(normal('{"type": "number", "exclusiveMinimum": 1}', '3.1.0').schema).toEqual({
      type: 'number',
      exclusiveMinimum: 1,
    });
  });

  it('takes properties called $ref, example, enum, properties and __proto__ for properties', () => {
    const text = `{"type": "object", "properties": {"$ref": {"type": "string"}, "example": {"type": "number"},
      "enum": {"type": "boolean"}, "properties": {"type": "object", "properties": {"x": {"type": "null"}}},
      "__proto__": {"type": "integer"}}}`;
    const { schema, codes } = normal(text, '3.1.0');
    expect(codes).toEqual([]);
    expect(JSON.stringify(schema)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('keeps property names of any kind', () => {
    const { schema } = normal('{"properties": {"": {}, "a b": true, "new\\nline": false}}', '3.1.0');
    expect(JSON.stringify(schema)).toBe('{"properties":{"":{},"a b":true,"new\\nline":false}}');
  });

  it('puts keywords beside a reference of 3.1 into an allOf, and annotations beside it', () => {
    const more = { Job: { type: 'object' } };
    const beside = normal(
      '{"$ref": "#/components/schemas/Job", "required": ["id"], "description": "d"}',
      '3.1.0',
      more,
    );
    expect(beside.schema).toEqual({
      description: 'd',
      allOf: [{ $ref: '#/schemas/Job' }, { required: ['id'] }],
    });
    const annotated = normal(
      '{"$ref": "#/components/schemas/Job", "description": "d", "deprecated": true}',
      '3.1.0',
      more,
    );
    expect(annotated.schema).toEqual({ $ref: '#/schemas/Job', description: 'd', deprecated: true });
    const old = normal('{"$ref": "#/components/schemas/Job", "required": ["id"], "x": 1}', '3.0.3', more);
    expect(old.schema).toEqual({ $ref: '#/schemas/Job' });
  });

  it('keeps recursion as references', () => {
    const { schema, codes } = normal(
      '{"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/components/schemas/S"}}]}',
    );
    expect(schema).toEqual({
      anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/schemas/S' } }],
    });
    expect(codes).toEqual([]);
  });

  it('reads a reference to itself as anything, and says so', () => {
    const { surface, short } = load({ 'api.json': withSchema('{"$ref": "#/components/schemas/S"}') });
    expect(surface.schemas).toEqual({});
    expect(surface.operations[0]?.answers[0]?.contents).toEqual([
      { mediaType: 'application/json', schema: true },
    ]);
    expect(short).toEqual(['error document-cyclic-ref api.json:1:185']);
  });

  it('follows chains of references to the schema at their end', () => {
    const { surface } = load({
      'api.json': withSchema('{"$ref": "#/components/schemas/A"}', '3.0.3', {
        A: { $ref: '#/components/schemas/B' },
        B: { type: 'string' },
      }),
    });
    expect(surface.schemas).toEqual({ S: { type: 'string' } });
  });

  it('names schemas that are no components by where they stand', () => {
    const more = { Big: { type: 'object', properties: { inner: { type: 'string' } } } };
    const { schema, schemas } = normal(
      '{"items": {"$ref": "#/components/schemas/Big/properties/inner"}}',
      '3.0.3',
      more,
    );
    expect(schema).toEqual({ items: { $ref: '#/schemas/Big_inner' } });
    expect(schemas.Big_inner).toEqual({ type: 'string' });
    expect(Object.keys(schemas)).toEqual(['Big_inner', 'S']);
  });

  it('leaves schemas out that no granted operation reaches', () => {
    expect(Object.keys(normal('{}', '3.0.3', { Other: { type: 'string' } }).schemas)).toEqual(['S']);
  });

  it('finds anchors and dynamic references', () => {
    const more = {
      Tree: { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } },
    };
    const { schemas, codes } = normal('{"$ref": "#node"}', '3.1.0', more);
    expect(codes).toEqual([]);
    expect(schemas).toEqual({ S: { type: 'object', properties: { next: { $ref: '#/schemas/S' } } } });
  });

  it('writes every entry of a discriminator out', () => {
    const more = { Cat: { type: 'object' }, Dog: { type: 'object' }, Fox: { type: 'object' } };
    const { schema } = normal(
      `{"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"c": "Cat", "f": "#/components/schemas/Fox"}}}`,
      '3.0.3',
      more,
    );
    expect(schema).toMatchObject({
      discriminator: {
        propertyName: 'kind',
        mapping: { c: '#/schemas/Cat', f: '#/schemas/Fox', Dog: '#/schemas/Dog' },
      },
    });
  });

  it('reports a discriminator without a property and a mapping that leads nowhere', () => {
    expect(normal('{"oneOf": [{}], "discriminator": {}}').codes).toEqual(['document-discriminator']);
    const broken =
      '{"oneOf": [{}], "discriminator": {"propertyName": "k", "mapping": {"a": "#/components/schemas/No", "b": 1}}}';
    expect(normal(broken).codes.sort()).toEqual(['document-dangling-ref', 'document-discriminator']);
  });

  it('survives a circle of discriminators', () => {
    const { schema, codes } = normal(
      '{"oneOf": [{"$ref": "#/components/schemas/A"}], "discriminator": {"propertyName": "k"}}',
      '3.0.3',
      { A: { allOf: [{ $ref: '#/components/schemas/S' }] } },
    );
    expect(schema).toEqual({
      oneOf: [{ $ref: '#/schemas/A' }],
      discriminator: { propertyName: 'k', mapping: { A: '#/schemas/A' } },
    });
    expect(codes).toEqual([]);
  });

  it.each([
    ['{"type": "strng"}', 'document-type', {}],
    ['{"type": "string", "enum": ["a", 1]}', 'document-enum', { type: 'string', enum: ['a', 1] }],
    ['{"enum": "a"}', 'document-enum', {}],
    ['{"type": "string", "pattern": "^[A-Z"}', 'document-pattern', { type: 'string', pattern: '^[A-Z' }],
    [
      '{"properties": {"a": {}}, "required": ["b"]}',
      'document-required',
      { properties: { a: {} }, required: ['b'] },
    ],
    ['{"properties": {"a": {"required": true}}}', 'document-required', { properties: { a: {} } }],
    ['{"properties": []}', 'document-schema', {}],
    ['{"allOf": {}}', 'document-schema', {}],
    ['{"items": "x"}', 'document-schema', { items: true }],
    ['"x"', 'document-schema', true],
  ])('%s: %s', (text, code, schema) => {
    expect(normal(text)).toMatchObject({ codes: [code], schema });
  });

  it('does not ask for required properties among the members of a composition', () => {
    expect(
      normal('{"allOf": [{"properties": {"a": {}}, "required": ["b"]}, {"properties": {"b": {}}}]}').codes,
    ).toEqual([]);
  });
});
