/**
 * A document's schemas made safe to run on the main thread: no regular expression of a document is ever compiled, no
 * check takes quadratic time, and what is taken out only makes a schema accept more.
 */
import type { Schema } from '../../../shared/src/surface/surface.ts';

/** Keywords whose value stays as it is. */
const PLAIN = [
  'type',
  'enum',
  'const',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

const REFERENCE = '#/schemas/';

/** Where a named schema is found by the validator: a URI that nothing normalises, whatever the name is. */
export function schemaKey(name: string): string {
  return `schema:${Buffer.from(name).toString('hex')}`;
}

/** `oneOf` becomes `anyOf` (parts without their patterns overlap); `not`, `if` and `uniqueItems` go. */
export function safeSchema(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const safe: { [keyword: string]: unknown } = Object.create(null);
  if (schema.$ref !== undefined) {
    if (schema.$ref.startsWith(REFERENCE)) safe.$ref = schemaKey(schema.$ref.slice(REFERENCE.length));
    else return true;
  }
  for (const keyword of PLAIN) if (schema[keyword] !== undefined) safe[keyword] = schema[keyword];
  if (schema.properties) safe.properties = safeProperties(schema.properties);
  // Without the patterns nobody can tell which properties are additional.
  if (schema.additionalProperties !== undefined && schema.patternProperties === undefined) {
    safe.additionalProperties = safeSchema(schema.additionalProperties);
  }
  if (schema.items !== undefined) safe.items = safeSchema(schema.items);
  if (schema.prefixItems) safe.prefixItems = schema.prefixItems.map(safeSchema);
  if (schema.allOf?.length) safe.allOf = schema.allOf.map(safeSchema);
  const choices = [schema.anyOf, schema.oneOf].filter((list) => list !== undefined && list.length > 0);
  const [first, second] = choices.map((list) => ({ anyOf: (list ?? []).map(safeSchema) }));
  if (first) safe.anyOf = first.anyOf;
  if (second) safe.allOf = [...((safe.allOf as Schema[] | undefined) ?? []), second];
  return safe;
}

function safeProperties(properties: Record<string, Schema>): Record<string, Schema> {
  const safe: Record<string, Schema> = Object.create(null);
  for (const [name, schema] of Object.entries(properties)) safe[name] = safeSchema(schema);
  return safe;
}

/** Every property name that a schema declares, at any depth, into `names`. References are not followed. */
export function declaredNames(schema: Schema, names: Set<string>): void {
  if (typeof schema === 'boolean') return;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    names.add(name);
    declaredNames(child, names);
  }
  const nested = [schema.additionalProperties, schema.items, ...(schema.prefixItems ?? [])];
  for (const child of [
    ...nested,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ]) {
    if (child !== undefined) declaredNames(child, names);
  }
}
