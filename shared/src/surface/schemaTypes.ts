/**
 * What a schema means as a TypeScript type. A schema is the conjunction of its keywords: its own type and members, all
 * of `allOf`, one of `anyOf`, one of `oneOf`. What TypeScript cannot say (`not`, `if`, lengths, patterns) is left out,
 * so a type may admit more than its schema, never less; the vendor decides.
 *
 * `readOnly` members are `readonly` and otherwise as declared, in bodies too: one type per schema.
 */
import type { Json } from '../json.ts';
import { jsString } from '../text.ts';
import { declaredProperty, type Tag } from './discriminators.ts';
import type { Schema, SchemaObject } from './surface.ts';
import {
  intersection,
  isAtom,
  keyOf,
  memberName,
  NEVER,
  NULL,
  OPEN_OBJECT,
  type PropertyNode,
  STRING,
  type TypeNode,
  UNKNOWN,
  union,
} from './typeNode.ts';
import { refName } from './walk.ts';

export interface SchemaTypes {
  schemas: Record<string, Schema>;
  tags: ReadonlyMap<string, Tag>;
}

/** Deeper than any document that people wrote; below it everything is `unknown`. */
const MAX_DEPTH = 64;

interface Place {
  /** Schemas whose definition is being written, outermost first: they are not repeated within themselves. */
  self: string | undefined;
  /** Names that a surrounding schema requires. */
  required: ReadonlySet<string>;
  depth: number;
}

/** The type of a schema at its place of use. */
export function typeOfSchema(schema: Schema, types: SchemaTypes): TypeNode {
  return convert(schema, types, { self: undefined, required: new Set(), depth: 0 });
}

/** The type that the schema called `name` is declared as. */
export function typeOfNamed(name: string, types: SchemaTypes): TypeNode {
  const place: Place = { self: name, required: new Set(), depth: 0 };
  const schema = Object.hasOwn(types.schemas, name) ? types.schemas[name] : undefined;
  if (schema === undefined) return UNKNOWN;
  const node = convert(schema, types, place);
  const tag = types.tags.get(name);
  return tag === undefined ? node : tagged(node, tag);
}

function convert(schema: Schema, types: SchemaTypes, place: Place): TypeNode {
  if (schema === true || place.depth > MAX_DEPTH) return UNKNOWN;
  if (schema === false) return NEVER;
  const listed = [schema.type ?? []].flat();
  const node =
    schema.$ref !== undefined ? referenceWithSiblings(schema, types, place) : shape(schema, types, place);
  return listed.includes('null') && schema.const !== null ? union([node, NULL]) : node;
}

function deeper(place: Place): Place {
  return { self: place.self, required: new Set(), depth: place.depth + 1 };
}

function referenceWithSiblings(schema: SchemaObject, types: SchemaTypes, place: Place): TypeNode {
  const name = refName(schema);
  const target: TypeNode =
    name !== undefined && Object.hasOwn(types.schemas, name) ? { kind: 'named', name } : UNKNOWN;
  const { $ref, ...siblings } = schema;
  return intersection([target, shape(siblings, types, place)]);
}

function shape(schema: SchemaObject, types: SchemaTypes, place: Place): TypeNode {
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined && schema.enum.length > 0) return union(schema.enum.map(literal));
  const required = new Set([...place.required, ...requiredNames(schema)]);
  const inner = deeper(place);
  const parts = (schema.allOf ?? []).map((member) => allOfMember(member, required, types, inner));
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (choice !== undefined && choice.length > 0) {
      parts.push(union(choice.map((member) => convert(member, types, inner))));
    }
  }
  const own = ownType(schema, required, parts.length > 0, types, inner);
  return conjunction(own, parts);
}

/** A choice among literals says more than the `type: string` beside it. */
function conjunction(own: TypeNode | undefined, parts: TypeNode[]): TypeNode {
  if (own === undefined) return intersection(parts);
  if (own.kind === 'atom') {
    const narrower = parts.find((part) => !isAtom(part, 'unknown') && isWithin(part, own));
    if (narrower !== undefined && parts.every((part) => part === narrower || isAtom(part, 'unknown')))
      return narrower;
  }
  return intersection([own, ...parts]);
}

function isWithin(node: TypeNode, own: TypeNode & { kind: 'atom' }): boolean {
  if (node.kind === 'union') return node.members.every((member) => isWithin(member, own));
  if (node.kind !== 'atom') return false;
  if (node.text === own.text) return true;
  if (own.text === 'string') return node.text.startsWith('"');
  return own.text === 'number' && /^-?\d/.test(node.text);
}

/** The names that the schema requires, those of its inline `allOf` members included. */
function requiredNames(schema: SchemaObject): string[] {
  const inline = (schema.allOf ?? []).flatMap((member) =>
    typeof member === 'object' && member.$ref === undefined ? requiredNames(member) : [],
  );
  return [...(schema.required ?? []), ...inline];
}

function allOfMember(member: Schema, required: Set<string>, types: SchemaTypes, place: Place): TypeNode {
  const name = refName(member);
  if (name === undefined || typeof member !== 'object') {
    // "Nothing else" beside other members: to the letter nothing at all would fit, and nobody means that.
    if (typeof member === 'object' && member.additionalProperties === false && !hasMembers(member)) {
      const { additionalProperties, type, ...rest } = member;
      return shape(rest, types, { ...place, required });
    }
    return convert(member, types, { ...place, required });
  }
  const parent = Object.hasOwn(types.schemas, name) ? types.schemas[name] : undefined;
  const parts = [parentType(name, parent, types, place)];
  const added = [...required].flatMap((property) => requiredOfParent(name, property, types, place) ?? []);
  if (added.length > 0) parts.push({ kind: 'object', properties: added });
  const { $ref, ...siblings } = member;
  parts.push(shape(siblings, types, place));
  return intersection(parts);
}

/**
 * What is taken over from a parent: without its choice where that choice contains the child itself (a parent that lists
 * its children, which extend it, would be a type made of itself), and without its tag where the child has its own.
 */
function parentType(name: string, parent: Schema | undefined, types: SchemaTypes, place: Place): TypeNode {
  if (typeof parent !== 'object') return parent === false ? NEVER : UNKNOWN;
  const choice = [...(parent.oneOf ?? []), ...(parent.anyOf ?? [])];
  if (place.self !== undefined && choice.some((member) => refName(member) === place.self)) {
    const { oneOf, anyOf, discriminator, ...rest } = parent;
    return place.depth > 8 ? UNKNOWN : shape(rest, types, place);
  }
  const own = place.self === undefined ? undefined : types.tags.get(place.self);
  const inherited = types.tags.get(name);
  if (own !== undefined && inherited !== undefined && own.property === inherited.property) {
    return { kind: 'named', name, without: own.property };
  }
  return { kind: 'named', name };
}

/** A member that the parent has as an optional one, made a required one. */
function requiredOfParent(
  name: string,
  property: string,
  types: SchemaTypes,
  place: Place,
): PropertyNode | undefined {
  const parent = { $ref: `#/schemas/${name}` };
  const declared = declaredProperty(types.schemas, parent, property, new Set());
  if (declared === undefined || isRequired(types, parent, property, new Set())) return undefined;
  return { name: property, type: convert(declared, types, deeper(place)), optional: false, readonly: false };
}

function isRequired(
  types: SchemaTypes,
  schema: Schema | undefined,
  property: string,
  seen: Set<Schema>,
): boolean {
  if (typeof schema !== 'object' || seen.has(schema)) return false;
  seen.add(schema);
  if (schema.required?.includes(property) === true) return true;
  const name = refName(schema);
  if (name !== undefined && Object.hasOwn(types.schemas, name)) {
    if (isRequired(types, types.schemas[name], property, seen)) return true;
  }
  return (schema.allOf ?? []).some((member) => isRequired(types, member, property, seen));
}

/** The type of the schema's own keywords; nothing where they say nothing beside its `allOf`, `anyOf` and `oneOf`. */
function ownType(
  schema: SchemaObject,
  required: Set<string>,
  composed: boolean,
  types: SchemaTypes,
  place: Place,
): TypeNode | undefined {
  const listed = [schema.type ?? []].flat();
  if (listed.length === 0) {
    if (hasMembers(schema)) return objectType(schema, required, types, place);
    return schema.items !== undefined || schema.prefixItems !== undefined
      ? arrayType(schema, types, place)
      : undefined;
  }
  const kinds = listed.filter((type) => type !== 'null');
  if (kinds.length === 0) return NULL;
  if (composed && kinds.length === 1 && kinds[0] === 'object' && !hasMembers(schema)) return undefined;
  return union(kinds.map((type) => typeOfKind(type, schema, required, types, place)));
}

function typeOfKind(
  type: string,
  schema: SchemaObject,
  required: Set<string>,
  types: SchemaTypes,
  place: Place,
): TypeNode {
  switch (type) {
    case 'string':
    case 'file':
      return STRING;
    case 'number':
    case 'integer':
      return { kind: 'atom', text: 'number' };
    case 'boolean':
      return { kind: 'atom', text: 'boolean' };
    case 'array':
      return arrayType(schema, types, place);
    case 'object':
      return objectType(schema, required, types, place);
    default:
      return UNKNOWN;
  }
}

function hasMembers(schema: SchemaObject): boolean {
  return (
    Object.keys(schema.properties ?? {}).length > 0 ||
    (schema.additionalProperties !== undefined && schema.additionalProperties !== false) ||
    Object.keys(schema.patternProperties ?? {}).length > 0
  );
}

function arrayType(schema: SchemaObject, types: SchemaTypes, place: Place): TypeNode {
  if (schema.prefixItems !== undefined) {
    const items = schema.prefixItems.map((item) => convert(item, types, place));
    return typeof schema.items === 'object' || schema.items === true
      ? { kind: 'tuple', items, rest: convert(schema.items, types, place) }
      : { kind: 'tuple', items };
  }
  return { kind: 'array', item: schema.items === undefined ? UNKNOWN : convert(schema.items, types, place) };
}

function objectType(schema: SchemaObject, required: Set<string>, types: SchemaTypes, place: Place): TypeNode {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    propertyOf(name, property, required.has(name), convert(property, types, place)),
  );
  const indexes = [
    ...(schema.additionalProperties === undefined || schema.additionalProperties === false
      ? []
      : [schema.additionalProperties]),
    ...Object.values(schema.patternProperties ?? {}),
  ].map((index) => convert(index, types, place));
  if (indexes.length === 0) {
    return properties.length === 0 && schema.additionalProperties !== false
      ? OPEN_OBJECT
      : { kind: 'object', properties };
  }
  return withIndex(properties, union(indexes));
}

function propertyOf(name: string, schema: Schema, required: boolean, type: TypeNode): PropertyNode {
  const about = typeof schema === 'object' ? schema : {};
  return {
    name,
    type,
    optional: !required,
    readonly: about.readOnly === true,
    ...(typeof about.description === 'string' ? { description: about.description } : {}),
    ...(about.deprecated === true ? { deprecated: true } : {}),
  };
}

/**
 * Members beside an index signature have to fit it. Where they do not, an intersection would be a type that no object
 * literal has, so the index is widened to admit them.
 */
function withIndex(properties: PropertyNode[], index: TypeNode): TypeNode {
  if (
    isAtom(index, 'unknown') ||
    properties.every((property) => !property.optional && property.type === index)
  ) {
    return { kind: 'object', properties, index };
  }
  const key = keyOf(index);
  if (properties.every((property) => keyOf(property.type) === key)) {
    const optional = properties.some((property) => property.optional);
    if (!optional) return { kind: 'object', properties, index };
    return {
      kind: 'intersection',
      members: [
        { kind: 'object', properties },
        { kind: 'object', properties: [], index },
      ],
    };
  }
  const members = [index, ...properties.map((property) => property.type)];
  if (properties.some((property) => property.optional)) members.push({ kind: 'atom', text: 'undefined' });
  return { kind: 'object', properties, index: union(members) };
}

/** The tag's literal in the place of the property's declared type. */
function tagged(node: TypeNode, tag: Tag): TypeNode {
  const type = union(tag.values.map(literal));
  const property: PropertyNode = { name: tag.property, type, optional: false, readonly: false };
  if (node.kind !== 'object') return intersection([{ kind: 'object', properties: [property] }, node]);
  const old = node.properties.find((other) => other.name === tag.property);
  const kept = node.properties.filter((other) => other.name !== tag.property);
  const index =
    node.index === undefined || isAtom(node.index, 'unknown') ? node.index : union([node.index, type]);
  return {
    kind: 'object',
    properties: [{ ...old, ...property, readonly: old?.readonly ?? false }, ...kept],
    ...(index === undefined ? {} : { index }),
  };
}

function literal(value: Json): TypeNode {
  if (typeof value === 'string') return { kind: 'atom', text: jsString(value) };
  if (value === null || typeof value !== 'object') return { kind: 'atom', text: String(value) };
  if (Array.isArray(value)) return { kind: 'tuple', items: value.map(literal) };
  const members = Object.entries(value).map(
    ([name, member]) => `${memberName(name)}: ${literalText(member)}`,
  );
  return members.length === 0
    ? { kind: 'object', properties: [] }
    : { kind: 'atom', text: `{ ${members.join('; ')} }` };
}

function literalText(value: Json): string {
  const node = literal(value);
  return node.kind === 'atom' ? node.text : keyOf(node);
}
