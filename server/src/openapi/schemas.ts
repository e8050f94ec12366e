/**
 * Schemas of every version in one normal form: JSON Schema 2020-12 keywords, references into a table of named
 * schemas. Walks by keyword, so properties called `$ref`, `enum` or `properties` are properties.
 */
import type { Schema, SchemaObject } from '../../../shared/src/surface/surface.ts';
import { readDiscriminator } from './discriminators.ts';
import type { Findings } from './findings.ts';
import type { ApiDocument } from './model.ts';
import { referenceOf } from './references.ts';
import { checkSchema, typesOf } from './schemaChecks.ts';
import {
  ANNOTATION,
  FLAG,
  NUMBER,
  SUBSCHEMA,
  SUBSCHEMA_LIST,
  SUBSCHEMA_MAP,
  TEXT,
  TYPES,
} from './schemaKeywords.ts';
import { SchemaNames } from './schemaNames.ts';
import {
  isArray,
  isObject,
  isScalar,
  itemsOf,
  type ObjectNode,
  objectAt,
  stringOf,
  stringsOf,
  type TreeNode,
  toJson,
} from './tree.ts';

export class SchemaReader {
  readonly #document: ApiDocument;
  readonly #findings: Findings;
  readonly #names: SchemaNames;
  readonly #waiting: { name: string; node: TreeNode }[] = [];
  readonly #named = new Map<string, Schema>();

  constructor(document: ApiDocument, findings: Findings) {
    this.#document = document;
    this.#findings = findings;
    const components =
      objectAt(objectAt(document.root, 'components'), 'schemas') ?? objectAt(document.root, 'definitions');
    this.#names = new SchemaNames(document.file, components?.keys ?? []);
  }

  /** Named schemas reached from what was read so far. */
  named(): Record<string, Schema> {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#named.set(next.name, this.read(next.node));
    }
    const table: Record<string, Schema> = Object.create(null);
    for (const name of [...this.#named.keys()].sort()) table[name] = this.#named.get(name) ?? true;
    return table;
  }

  /** One schema; what it refers to waits until `named` is asked. */
  read(node: TreeNode, place: 'alone' | 'member' = 'alone'): Schema {
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    if (!isObject(node)) {
      this.#findings.add(
        'document-schema',
        'error',
        node.range,
        'A schema has to be an object; this one is read as anything.',
      );
      return true;
    }
    const plain =
      referenceOf(node) === undefined ? this.#readKeywords(node, place) : this.#readReference(node);
    return this.#isNullable(node) ? nullable(plain, node) : plain;
  }

  /** The reference to a named schema, from a `$ref` or an entry of a discriminator. Nothing where it leads nowhere. */
  refer(target: ReturnType<ApiDocument['references']['resolve']>, at: TreeNode): SchemaObject | undefined {
    if (!target.ok) {
      this.#findings.add(target.code, 'error', at.range, target.message);
      return undefined;
    }
    const fresh = this.#names.known(target.node) === undefined;
    const name = this.#names.claim(target.node, target.trail);
    if (fresh) this.#waiting.push({ name, node: target.node });
    return { $ref: `#/schemas/${name}` };
  }

  #readReference(node: ObjectNode): Schema {
    const at = node.get('$ref') ?? node.get('$dynamicRef') ?? node;
    const reference = this.refer(this.#document.references.resolve(node, 'schema'), at);
    const annotations: SchemaObject = {};
    const asserting: ObjectNode[] = [];
    for (const key of node.keys) {
      if (ANNOTATION.has(key)) this.#readKeyword(annotations, node, key);
      else if (this.#countsBesideReference(key)) asserting.push(node);
    }
    if (asserting.length === 0)
      return reference ? { ...reference, ...annotations } : emptyAsTrue(annotations);
    const rest = this.#readKeywords(node, 'member', (key) => !ANNOTATION.has(key));
    return { ...annotations, allOf: [reference ?? true, rest] };
  }

  /** Before 3.1 a reference stood alone. */
  #countsBesideReference(key: string): boolean {
    const old = this.#document.dialect === '2.0' || this.#document.dialect === '3.0';
    const known = SUBSCHEMA.has(key) || SUBSCHEMA_LIST.has(key) || SUBSCHEMA_MAP.has(key) || NUMBER.has(key);
    return !old && (known || ['type', 'enum', 'const', 'required', 'pattern', 'format'].includes(key));
  }

  #readKeywords(
    node: ObjectNode,
    place: 'alone' | 'member',
    wanted = (_key: string): boolean => true,
  ): SchemaObject {
    const schema: SchemaObject = {};
    checkSchema({ node, place, document: this.#document, findings: this.#findings });
    for (const key of node.keys) if (wanted(key)) this.#readKeyword(schema, node, key);
    exclusiveBounds(schema, node);
    const discriminator = node.get('discriminator');
    if (discriminator !== undefined) {
      const read = readDiscriminator(
        { document: this.#document, findings: this.#findings, reader: this },
        node,
        discriminator,
      );
      if (read) schema.discriminator = read;
    }
    return schema;
  }

  #readKeyword(schema: SchemaObject, node: ObjectNode, key: string): void {
    const value = node.get(key);
    if (value === undefined) return;
    if (key === 'items' && isArray(value)) schema.prefixItems = value.items.map((item) => this.read(item));
    else if (SUBSCHEMA.has(key)) schema[key] = this.read(value);
    else if (SUBSCHEMA_LIST.has(key)) this.#readList(schema, key, value);
    else if (SUBSCHEMA_MAP.has(key)) this.#readMap(schema, key, value);
    else if (key === 'type') this.#readType(schema, value);
    else if (key === 'enum' && isArray(value)) schema.enum = value.items.map(toJson);
    else if (key === 'required' && isArray(value)) schema.required = [...new Set(stringsOf(value))];
    else if (key === 'const' || key === 'default') schema[key] = toJson(value);
    else if (isScalar(value)) readScalar(schema, key, value.value);
  }

  #readList(schema: SchemaObject, key: string, value: TreeNode): void {
    if (!isArray(value)) {
      this.#findings.add('document-schema', 'error', value.range, `"${key}" has to be a list of schemas.`);
      return;
    }
    const place = key === 'prefixItems' ? 'alone' : 'member';
    if (value.items.length > 0) schema[key] = value.items.map((item) => this.read(item, place));
  }

  #readMap(schema: SchemaObject, key: string, value: TreeNode): void {
    if (!isObject(value)) {
      this.#findings.add('document-schema', 'error', value.range, `"${key}" has to be an object of schemas.`);
      return;
    }
    const map: Record<string, Schema> = Object.create(null);
    for (const [name, property] of value.entries()) map[name] = this.read(property);
    schema[key] = map;
  }

  #readType(schema: SchemaObject, value: TreeNode): void {
    const types = [...new Set(typesOf(value).filter((type) => TYPES.has(type)))];
    if (stringOf(value) === 'file') {
      schema.type = 'string';
      schema.format = 'binary';
    } else if (types.length === 1 && types[0] !== undefined) schema.type = types[0];
    else if (types.length > 1) schema.type = types;
  }

  #isNullable(node: ObjectNode): boolean {
    const key = this.#document.dialect === '2.0' ? 'x-nullable' : 'nullable';
    const value = node.get(key);
    if (!isScalar(value) || value.value !== true) return false;
    if (this.#document.dialect === '3.1' || this.#document.dialect === '3.2') {
      const message = 'From 3.1 on "null" stands among the types; "nullable" is heeded all the same.';
      this.#findings.add('document-nullable', 'warning', node.keyRange(key), message);
    } else if (node.has('$ref')) {
      const message = 'In 3.0 nothing beside a $ref counts; "nullable" is heeded all the same.';
      this.#findings.add('document-nullable', 'warning', node.keyRange(key), message);
    }
    return true;
  }
}

function emptyAsTrue(schema: SchemaObject): Schema {
  return Object.keys(schema).length === 0 ? true : schema;
}

function readScalar(schema: SchemaObject, key: string, value: unknown): void {
  if (TEXT.has(key) && typeof value === 'string') schema[key] = value;
  if (NUMBER.has(key) && typeof value === 'number') schema[key] = value;
  if (FLAG.has(key) && typeof value === 'boolean') schema[key] = value;
}

/** Up to 3.0 an exclusive bound was a flag beside the bound. */
function exclusiveBounds(schema: SchemaObject, node: ObjectNode): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = node.get(exclusive);
    if (!isScalar(value)) continue;
    if (typeof value.value === 'number') schema[exclusive] = value.value;
    if (value.value === true && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    }
  }
}

/** What 3.0 calls nullable: null fits too, also where an `enum` does not list it. */
function nullable(schema: Schema, node: ObjectNode): Schema {
  if (typeof schema === 'boolean') return schema;
  if (schema.$ref === undefined && schema.type !== undefined && !composed(schema)) {
    const types = [schema.type].flat();
    const withNull: SchemaObject = { ...schema, type: types.includes('null') ? types : [...types, 'null'] };
    if (schema.enum && !schema.enum.includes(null)) withNull.enum = [...schema.enum, null];
    return withNull;
  }
  if (schema.$ref === undefined && !composed(schema) && itemsOf(node.get('enum')).length === 0) return schema;
  const annotations: SchemaObject = {};
  const rest: SchemaObject = {};
  for (const [key, value] of Object.entries(schema)) (ANNOTATION.has(key) ? annotations : rest)[key] = value;
  return { ...annotations, anyOf: [rest, { type: 'null' }] };
}

function composed(schema: SchemaObject): boolean {
  return (
    schema.allOf !== undefined ||
    schema.anyOf !== undefined ||
    schema.oneOf !== undefined ||
    schema.not !== undefined
  );
}
