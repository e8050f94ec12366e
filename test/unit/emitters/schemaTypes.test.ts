import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../shared/src/surface/surface.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import { declared, errors, object } from './declared.ts';
import { answer, grant, operation, ref, surface } from './surfaces.ts';

describe('schemas', () => {
  test.each<[string, Schema, string]>([
    ['enum', { enum: ['a', 1, true, null, ''] }, 'type Subject = "a" | 1 | true | "" | null;'],
    ['enum of a nullable type', { type: ['string', 'null'], enum: ['a'] }, 'type Subject = "a" | null;'],
    ['const', { const: 'a' }, 'type Subject = "a";'],
    ['const null', { const: null }, 'type Subject = null;'],
    [
      'const object',
      { const: { a: [1, 'x'], b: {} } },
      'type Subject = { a: [1, "x"]; b: Record<string, never> };',
    ],
    ['type array', { type: ['integer', 'string', 'null'] }, 'type Subject = number | string | null;'],
    ['any', true, 'type Subject = unknown;'],
    ['none', false, 'type Subject = never;'],
    ['binary', { type: 'string', format: 'binary' }, 'type Subject = string;'],
    [
      'array of a union',
      { type: 'array', items: { type: ['string', 'null'] } },
      'type Subject = (string | null)[];',
    ],
    ['array of anything', { type: 'array' }, 'type Subject = unknown[];'],
    [
      'tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      'type Subject = [string, number];',
    ],
    [
      'tuple with more',
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      'type Subject = [string, ...number[]];',
    ],
    ['open object', { type: 'object' }, 'interface Subject { [key: string]: unknown; }'],
    [
      'closed empty object',
      { type: 'object', additionalProperties: false },
      'type Subject = Record<string, never>;',
    ],
    ['map', { additionalProperties: { type: 'number' } }, 'interface Subject { [key: string]: number; }'],
    [
      'pattern map',
      { type: 'object', patternProperties: { '^x': { type: 'number' } } },
      'interface Subject { [key: string]: number; }',
    ],
    [
      'members and anything',
      object({ a: { type: 'string' } }, { additionalProperties: true }),
      'interface Subject { a?: string; [key: string]: unknown; }',
    ],
    [
      'members that fit the index',
      object({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } }),
      'type Subject = { a?: string; } & { [key: string]: string };',
    ],
    [
      'members that clash with the index',
      object({ a: { type: 'number' } }, { additionalProperties: { type: 'string' } }),
      'interface Subject { a?: number; [key: string]: string | number | undefined; }',
    ],
    [
      'choice beside its type',
      { type: 'string', anyOf: [{ enum: ['a'] }, { enum: ['b'] }] },
      'type Subject = "a" | "b";',
    ],
    [
      'choice that says nothing',
      { type: 'string', anyOf: [{ format: 'uuid' }, { minLength: 1 }] },
      'type Subject = string;',
    ],
    [
      'members and a choice',
      object({ a: true }, { anyOf: [ref('A'), ref('B')] }),
      'type Subject = { a?: unknown; } & (A | B);',
    ],
    ['choice or null', { oneOf: [ref('A'), { type: 'null' }] }, 'type Subject = A | null;'],
    ['all of', { allOf: [ref('A'), object({ c: true })] }, 'type Subject = A & { c?: unknown; };'],
    ['required of a parent', { allOf: [ref('A')], required: ['a'] }, 'type Subject = A & { a: string; };'],
    [
      'required by a sibling',
      { allOf: [ref('A'), { required: ['a'] }] },
      'type Subject = A & { a: string; };',
    ],
    ['required that the parent requires', { allOf: [ref('B')], required: ['b'] }, 'type Subject = B;'],
    [
      'closed member',
      { allOf: [ref('A'), { type: 'object', additionalProperties: false }] },
      'type Subject = A;',
    ],
    ['reference with a sibling', { $ref: '#/schemas/A', description: 'x' }, 'type Subject = A;'],
    ['dangling reference', ref('Nowhere'), 'type Subject = unknown;'],
    ['itself', ref('Subject'), 'type Subject = unknown;'],
    [
      'itself in an array',
      { anyOf: [{ type: 'string' }, { type: 'array', items: ref('Subject') }] },
      'type Subject = string | Subject[];',
    ],
    ['itself in a member', object({ next: ref('Subject') }), 'interface Subject { next?: Subject; }'],
  ])('%s', (_what, schema, expected) => {
    const others = { A: object({ a: { type: 'string' } }), B: object({ b: true }, { required: ['b'] }) };
    expect(declared(schema, others)).toBe(expected);
  });

  test('aliases made of each other are cut, not refused', () => {
    const schema = { anyOf: [ref('Other'), { type: 'null' }] };
    expect(declared(schema, { Other: { anyOf: [ref('Subject'), { type: 'string' }] } })).toBe(
      'type Subject = unknown;',
    );
  });

  test('very deep schemas end', () => {
    let schema: Schema = { type: 'string' };
    for (let depth = 0; depth < 500; depth += 1) schema = { type: 'array', items: schema };
    expect(declared(schema)).toMatch(/^type Subject = unknown(\[\]){60,70};$/);
  });

  test('comments of members', () => {
    expect(declared(object({ a: { type: 'string', description: 'Text. ', deprecated: true } }))).toBe(
      'interface Subject { /** * Text. * @deprecated */ a?: string; }',
    );
  });
});

describe('discriminators', () => {
  const pets = {
    Cat: object({ kind: { type: 'string' }, lives: { type: 'integer' } }),
    Dog: object({ kind: { type: 'string' }, tricks: { type: 'array', items: { type: 'string' } } }),
  };

  test('a tagged union narrows', () => {
    const mapping = { cat: '#/schemas/Cat', kitten: '#/schemas/Cat' };
    const Pet = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind', mapping } };
    const text = emitTypings(
      surface(
        [operation('pet', 'GET', '/x', { grant: grant('GET /x'), answers: [answer('200', ref('Pet'))] })],
        { Pet, ...pets },
      ),
    );
    expect(text).toContain('kind: "cat" | "kitten";');
    expect(text).toContain('kind: "Dog";');
    const code =
      "const pet = await fleet.pet(); if (pet.kind === 'Dog') { const tricks: string[] | undefined = pet.tricks; }";
    expect(errors(text, code)).toEqual([]);
  });

  test('children that extend a parent that lists them', () => {
    const parent = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string' }, name: { type: 'string' } },
      oneOf: [ref('Cat'), ref('Dog')],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/schemas/Cat', dog: '#/schemas/Dog' } },
    };
    const child = (extra: Schema): Schema => ({ allOf: [ref('Subject'), extra] });
    expect(declared(parent, { Cat: child(pets.Cat), Dog: child(pets.Dog) })).toBe(
      'type Subject = { kind: string; name?: string; } & (Cat | Dog);',
    );
  });

  test('a parent with a tag of its own, and a number as the tag', () => {
    const mapping = { '1': '#/schemas/Subject', '2': '#/schemas/Sub' };
    const parent = object(
      { kind: { type: 'integer' } },
      { discriminator: { propertyName: 'kind', mapping } },
    );
    const text = emitTypings(
      surface(
        [
          operation('op', 'GET', '/x', {
            grant: grant('GET /x'),
            answers: [
              answer('200', {
                oneOf: [ref('Subject'), ref('Sub')],
                discriminator: { propertyName: 'kind', mapping },
              }),
            ],
          }),
        ],
        { Subject: parent, Sub: { allOf: [ref('Subject'), object({ more: true })] } },
      ),
    );
    expect(text).toContain('kind: 1;');
    expect(text).toMatch(/type Sub = \{\s+kind: 2;\s+\} & Omit<Subject, "kind"> & \{/);
    expect(errors(text)).toEqual([]);
  });

  test('what the schema says itself about the tag counts', () => {
    const kind = { enum: ['cat'] };
    expect(
      declared({ oneOf: [ref('Cat')], discriminator: { propertyName: 'kind' } }, { Cat: object({ kind }) }),
    ).toBe('type Subject = Cat;');
    const text = emitTypings(
      surface([operation('op', 'GET', '/x', { grant: grant('GET /x') })], {
        Subject: { oneOf: [ref('Cat')], discriminator: { propertyName: 'kind' } },
        Cat: object({ kind }),
      }),
    );
    expect(text).toContain('kind?: "cat";');
  });

  test('a tag that the schema does not allow, also by reference, is no tag', () => {
    const mapping = { other: '#/schemas/Cat' };
    const text = emitTypings(
      surface([operation('op', 'GET', '/x', { grant: grant('GET /x') })], {
        Subject: { oneOf: [ref('Cat')], discriminator: { propertyName: 'kind', mapping } },
        Cat: object({ kind: ref('Kind') }),
        Kind: { enum: ['cat'] },
      }),
    );
    expect(text).toContain('kind?: Kind;');
  });

  test('what extends a whole choice is none of its members', () => {
    const Pet = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } };
    expect(declared({ allOf: [ref('Pet')] }, { Pet, ...pets })).toBe('type Subject = Pet;');
  });
});
