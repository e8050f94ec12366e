import { describe, expect, test } from 'vitest';
import type { CallParams } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { Operation, Schema, Surface } from '../../../shared/src/surface/surface.ts';
import { operation, parameter, surface } from '../grant-match/surfaces.ts';
import { brief, fleetSurface, rig } from './rig.ts';

async function notesOf(call: Partial<CallParams>, vendor: Surface = fleetSurface()) {
  const { ask, broker, requests } = rig(undefined, { surface: vendor });
  expect(brief(await ask(call))).toBe('ok 200');
  expect(requests).toHaveLength(1);
  return broker.trace()[0]?.notes;
}

const create = { method: 'POST', target: '/robots/r1/missions' };

function oneOperation(
  facts: Partial<Operation> & { query?: string[]; headers?: string[] },
  schemas: Surface['schemas'] = {},
) {
  return surface([operation('POST /x/{n}', facts)], { schemas });
}

function bodySchema(schema: Schema, schemas: Surface['schemas'] = {}) {
  return oneOperation(
    { body: { required: false, contents: [{ mediaType: 'application/json', schema }] } },
    schemas,
  );
}

const post = (body: Json) => ({ method: 'POST', target: '/x/1', body });

describe('a body against the document: noted, never refused', () => {
  test.each<[Json, string[] | undefined]>([
    [{ target: { x: 1, y: 2 } }, undefined],
    [{ target: { x: 1.5 } }, ['body.target.x: must be integer']],
    [{}, ["body: must have required property 'target'"]],
    [{ target: {}, secret_key_name: 1 }, ['body: must NOT have additional properties']],
    ['text', ['body: must be object']],
    [null, ['body: must be object']],
    // A document's pattern that would take years is never run.
    [{ target: {}, command_id: `${'a'.repeat(60)}!` }, undefined],
  ])('%j', async (body, notes) => {
    expect(await notesOf({ ...create, body })).toEqual(notes);
  });

  test('no body where one is required; one where there is none; another media type', async () => {
    expect(await notesOf(create)).toEqual(['body: is required']);
    expect(await notesOf({ method: 'GET', target: '/robots', body: 1 })).toEqual([
      'body: the document has none for this operation',
    ]);
    expect(
      await notesOf({ ...create, body: 'a=1', contentType: 'application/x-www-form-urlencoded' }),
    ).toEqual(['body: not of a media type of the document']);
    expect(
      await notesOf({ ...create, body: { target: {} }, contentType: 'application/JSON; charset=utf-8' }),
    ).toBeUndefined();
  });

  test('a form is a text: nothing is said of its schema', async () => {
    const type = 'application/x-www-form-urlencoded';
    const vendor = oneOperation({
      body: { required: true, contents: [{ mediaType: type, schema: { type: 'object' } }] },
    });
    expect(await notesOf({ ...post('a=1'), contentType: type }, vendor)).toBeUndefined();
  });

  test.each<[string, Schema, Json, string[] | undefined]>([
    [
      'a name of the adapter is not repeated',
      { additionalProperties: { type: 'string' } },
      { secret: 1 },
      ['body.*: must be string'],
    ],
    ['an index is not repeated', { items: { type: 'string' } }, ['a', 1], ['body.*: must be string']],
    [
      'a value is not repeated',
      { enum: ['a'] },
      'secret',
      ['body: must be equal to one of the allowed values'],
    ],
    [
      'oneOf is read as anyOf',
      { oneOf: [{ type: 'string', pattern: 'a' }, { type: 'string' }] },
      'a',
      undefined,
    ],
    [
      'oneOf and anyOf together',
      { anyOf: [{ minimum: 5 }], oneOf: [{ maximum: 9 }] },
      10,
      ['body: must be <= 9'],
    ],
    ['not is left out', { not: { pattern: 'b' } }, 'a', undefined],
    ['format is left out', { format: 'date' }, 'x', undefined],
    [
      'with patterns nobody knows what is additional',
      { patternProperties: { '^x': {} }, additionalProperties: false },
      { y: 1 },
      undefined,
    ],
    ['a reference that leads nowhere says nothing', { $ref: '#/schemas/None' }, 1, undefined],
    ['a foreign reference says nothing', { $ref: 'http://x/y' }, 1, undefined],
    ['a schema that cannot be compiled says nothing', { type: 'nonsense' }, 1, undefined],
    ['true', true, 1, undefined],
  ])('%s', async (_, schema, body, notes) => {
    expect(await notesOf(post(body), bodySchema(schema))).toEqual(notes);
  });

  test.each(['Mission', 'a/b', 'a~b', 'a b%20', 'ü', '__proto__', 'constructor'])(
    'a schema named %s is found',
    async (name) => {
      const schemas: Surface['schemas'] = Object.create(null);
      schemas[name] = { type: 'object', properties: { next: { $ref: `#/schemas/${name}` } } };
      const vendor = bodySchema({ $ref: `#/schemas/${name}` }, schemas);
      expect(await notesOf(post({ next: { next: {} } }), vendor)).toBeUndefined();
      expect(await notesOf(post({ next: { next: 1 } }), vendor)).toEqual(['body.next.next: must be object']);
    },
  );

  test('a choice that doubles the work at each level is given up, and the call goes on', async () => {
    const level = { type: 'object', properties: { x: { $ref: '#/schemas/N' } } };
    let body: Json = 1;
    for (let depth = 0; depth < 60; depth += 1) body = { x: body };
    const vendor = bodySchema({ $ref: '#/schemas/N' }, { N: { anyOf: [level, { ...level }] } });
    expect(await notesOf(post(body), vendor)).toBeUndefined();
  });

  test('a long note is cut', async () => {
    const long = 'p'.repeat(500);
    const [note] = (await notesOf(post({}), bodySchema({ required: [long] }))) ?? [];
    expect(note).toBe(`body: must have required property '${'p'.repeat(164)}…`);
    expect(note).toHaveLength(200);
  });
});

describe('parameters against the document', () => {
  const vendor = oneOperation({
    query: ['limit', 'ids', 'tags', 'must'],
    headers: ['x-must'],
    parameters: [
      parameter('n', 'path', { schema: { type: 'integer' } }),
      parameter('limit', 'query', { schema: { type: 'integer', maximum: 10 } }),
      parameter('ids', 'query', {
        explode: false,
        schema: { type: 'array', items: { type: 'integer' }, maxItems: 2 },
      }),
      parameter('tags', 'query', { schema: { type: 'array', items: { enum: ['a', 'b'] } } }),
      parameter('must', 'query', { required: true }),
      parameter('X-Must', 'header', { required: true }),
      parameter('Authorization', 'header', { required: true }),
    ],
  });
  test.each([
    ['/x/1?must=1&limit=10&ids=1,2&tags=a&tags=b', undefined],
    ['/x/one?must=1', ['path n: must be integer']],
    ['/x/1?must=1&limit=11', ['query limit: must be <= 10']],
    ['/x/1?must=1&limit=ten', ['query limit: must be integer']],
    ['/x/1?must=1&ids=1,b', ['query ids: must be integer']],
    ['/x/1?must=1&ids=1,2,3', ['query ids: must NOT have more than 2 items']],
    ['/x/1?must=1&tags=a&tags=c', ['query tags: must be equal to one of the allowed values']],
    ['/x/1', ['query must: is required']],
  ])('%s', async (target, notes) => {
    expect(await notesOf({ method: 'POST', target, headers: { 'x-must': '1' } }, vendor)).toEqual(notes);
  });

  test('a header that is missing; no more than five notes', async () => {
    expect(await notesOf({ method: 'POST', target: '/x/1?must=1' }, vendor)).toEqual([
      'header x-must: is required',
    ]);
    const target = '/x/one?limit=ten&ids=b&tags=c';
    expect(await notesOf({ method: 'POST', target, body: 1 }, vendor)).toEqual([
      'path n: must be integer',
      'query limit: must be integer',
      'query ids: must be integer',
      'query tags: must be equal to one of the allowed values',
      'query must: is required',
    ]);
  });
});
