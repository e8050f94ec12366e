/**
 * Which value a discriminator gives each named schema. A member of a tagged union then carries its tag as a literal, so
 * that a `switch` over the tag narrows.
 */
import type { Json } from '../json.ts';
import type { Schema, SchemaObject, Surface } from './surface.ts';
import { childSchemas, refName, surfaceSchemas } from './walk.ts';

export interface Tag {
  property: string;
  values: Json[];
}

type Discriminated = SchemaObject & {
  discriminator: { propertyName: string; mapping?: Record<string, string> };
};

/** Tags by schema name. The first discriminator that names a schema decides. */
export function discriminatorTags(surface: Pick<Surface, 'schemas' | 'operations'>): Map<string, Tag> {
  const tags = new Map<string, Tag>();
  const offer = (name: string, holder: Discriminated, values: string[] | undefined): void => {
    if (tags.has(name)) return;
    const tag = tagOf(surface.schemas, name, holder.discriminator.propertyName, values ?? [name]);
    if (tag !== undefined) tags.set(name, tag);
  };
  for (const root of surfaceSchemas(surface))
    forEachDiscriminated(root, (holder) => tagMembers(holder, offer));
  for (const name of Object.keys(surface.schemas)) tagByParent(surface.schemas, name, offer);
  return tags;
}

type Offer = (name: string, holder: Discriminated, values: string[] | undefined) => void;

function tagMembers(holder: Discriminated, offer: Offer): void {
  const mapped = mappedValues(holder);
  for (const member of [...(holder.oneOf ?? []), ...(holder.anyOf ?? [])]) {
    const name = refName(member);
    if (name !== undefined) offer(name, holder, mapped.get(name));
  }
}

/** A schema that extends (`allOf`) one with a discriminator, over any number of steps. */
function tagByParent(schemas: Surface['schemas'], name: string, offer: Offer): void {
  const seen = new Set<string>();
  const visit = (current: string): void => {
    if (seen.has(current)) return;
    seen.add(current);
    const schema = Object.hasOwn(schemas, current) ? schemas[current] : undefined;
    if (typeof schema !== 'object') return;
    if (current !== name && isDiscriminated(schema)) {
      const mapped = mappedValues(schema).get(name);
      // What extends a choice as a whole is none of its members.
      if (mapped !== undefined || !isChoice(schema)) offer(name, schema, mapped);
    }
    for (const member of schema.allOf ?? []) {
      const parent = refName(member);
      if (parent !== undefined) visit(parent);
    }
  };
  visit(name);
}

function mappedValues(holder: Discriminated): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [value, target] of Object.entries(holder.discriminator.mapping ?? {})) {
    const name = target.slice(target.lastIndexOf('/') + 1);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** Nothing where the schema is no object, or says itself that the property has other values. */
function tagOf(
  schemas: Surface['schemas'],
  name: string,
  property: string,
  values: string[],
): Tag | undefined {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (typeof schema !== 'object' || !isObjectSchema(schema)) return undefined;
  const declared = target(schemas, declaredProperty(schemas, schema, property, new Set()));
  const typed = values.map((value) => valueOfType(declared, value));
  const allowed = typeof declared === 'object' ? (declared.enum ?? constants(declared)) : undefined;
  if (allowed !== undefined && !typed.every((value) => allowed.includes(value))) return undefined;
  return { property, values: typed };
}

function target(schemas: Surface['schemas'], schema: Schema | undefined): Schema | undefined {
  let current = schema;
  for (let steps = 0; steps < 32; steps += 1) {
    const name = refName(current);
    if (name === undefined) return current;
    current = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  }
  return undefined;
}

function isChoice(schema: SchemaObject): boolean {
  return schema.oneOf !== undefined || schema.anyOf !== undefined;
}

function constants(schema: SchemaObject): Json[] | undefined {
  return schema.const === undefined ? undefined : [schema.const];
}

function isObjectSchema(schema: SchemaObject): boolean {
  const types = [schema.type ?? []].flat();
  return schema.allOf !== undefined || schema.properties !== undefined || types.includes('object');
}

/** Mapping keys are always text; the property may be a number or a boolean. */
function valueOfType(declared: Schema | undefined, value: string): Json {
  const types = typeof declared === 'object' ? [declared.type ?? []].flat() : [];
  const numeric = types.includes('integer') || types.includes('number');
  if (numeric && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** The schema of a property: the object's own, or one it takes over through `allOf`. */
export function declaredProperty(
  schemas: Surface['schemas'],
  schema: Schema | undefined,
  property: string,
  seen: Set<Schema>,
): Schema | undefined {
  if (typeof schema !== 'object' || seen.has(schema)) return undefined;
  seen.add(schema);
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, property))
    return schema.properties[property];
  const name = refName(schema);
  const parents = [...(schema.allOf ?? [])];
  if (name !== undefined && Object.hasOwn(schemas, name)) parents.push(schemas[name] ?? true);
  for (const parent of parents) {
    const found = declaredProperty(schemas, parent, property, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDiscriminated(schema: SchemaObject): schema is Discriminated {
  return typeof schema.discriminator?.propertyName === 'string';
}

function forEachDiscriminated(root: Schema, visit: (schema: Discriminated) => void): void {
  const open: Schema[] = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (typeof schema !== 'object') continue;
    if (isDiscriminated(schema)) visit(schema);
    for (const child of childSchemas(schema)) open.push(child);
  }
}
