/** What is wrong or odd in one schema, at its place. Nothing here changes how it is read. */
import { didYouMean } from '../../../shared/src/nearest.ts';
import type { Findings } from './findings.ts';
import type { ApiDocument } from './model.ts';
import { TYPES } from './schemaKeywords.ts';
import {
  isArray,
  isObject,
  isScalar,
  itemsOf,
  type ObjectNode,
  objectAt,
  type ScalarNode,
  stringOf,
  type TreeNode,
} from './tree.ts';

/** Longer patterns are not compiled, only passed on. */
const LONGEST_PATTERN = 4096;

export interface SchemaCheck {
  node: ObjectNode;
  /** `member`: of an allOf, anyOf or oneOf, where other members add to it. */
  place: 'alone' | 'member';
  document: ApiDocument;
  findings: Findings;
}

export function checkSchema(check: SchemaCheck): void {
  const { node } = check;
  const type = node.get('type');
  if (type !== undefined) checkType(check, type);
  const required = node.get('required');
  if (required !== undefined) checkRequired(check, required);
  const values = node.get('enum');
  if (values !== undefined) checkEnum(check, values);
  const pattern = node.get('pattern');
  if (pattern !== undefined && check.document.trusted) checkPattern(check, pattern);
  if (node.has('$id')) {
    const message = 'A schema with an address of its own: references are read as if it had none.';
    check.findings.add('document-schema-id', 'information', node.keyRange('$id'), message);
  }
}

/** The types as written; YAML's bare `null` is the type of that name. */
export function typesOf(node: TreeNode): string[] {
  const items = isArray(node) ? node.items : [node];
  return items.map((item) => (isScalar(item) && item.value === null ? 'null' : (stringOf(item) ?? '')));
}

function checkType({ document, findings }: SchemaCheck, type: TreeNode): void {
  const types = isArray(type) ? type.items : [type];
  for (const item of types) {
    const [written = ''] = typesOf(item);
    if (TYPES.has(written)) continue;
    if (written === 'file' && document.dialect === '2.0') continue;
    const shown = isScalar(item) ? item.written : 'this';
    const hint = didYouMean(shown, TYPES);
    findings.add('document-type', 'error', item.range, `"${shown}" is no type of a schema.${hint}`);
  }
}

function checkRequired({ node, place, document, findings }: SchemaCheck, required: TreeNode): void {
  if (isScalar(required)) {
    // A parameter of Swagger 2.0 is a schema and a parameter in one.
    if (document.dialect === '2.0' && node.has('in')) return;
    const message =
      '"required" is a list of property names that stands beside "properties"; here it is not heeded.';
    findings.add('document-required', 'warning', node.keyRange('required'), message);
    return;
  }
  const properties = objectAt(node, 'properties');
  const closed =
    place === 'alone' && properties && !['allOf', 'anyOf', 'oneOf', '$ref'].some((key) => node.has(key));
  if (!closed) return;
  for (const item of itemsOf(required)) {
    const name = stringOf(item);
    if (name === undefined || properties.has(name)) continue;
    const hint = didYouMean(name, properties.keys);
    findings.add(
      'document-required',
      'warning',
      item.range,
      `The required "${name}" is not among the properties.${hint}`,
    );
  }
}

function checkEnum({ node, findings }: SchemaCheck, values: TreeNode): void {
  if (!isArray(values)) {
    findings.add('document-enum', 'error', values.range, '"enum" has to be a list of values.');
    return;
  }
  const type = node.get('type');
  const types = type === undefined ? [] : typesOf(type);
  if (types.length === 0 || !types.every((name) => TYPES.has(name))) return;
  for (const item of values.items) {
    if (isScalar(item) && item.value === null) continue;
    if (types.some((name) => fits(item, name))) continue;
    const shown = isScalar(item) ? JSON.stringify(item.value) : 'This value';
    findings.add(
      'document-enum',
      'warning',
      item.range,
      `${shown} is not of the type "${types.join('" or "')}".`,
    );
  }
}

function fits(node: TreeNode, type: string): boolean {
  if (isArray(node)) return type === 'array';
  if (isObject(node)) return type === 'object';
  return scalarFits(node, type);
}

function scalarFits({ value }: ScalarNode, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return value === null ? type === 'null' : typeof value === type;
}

/** The expression is compiled, never run. */
function checkPattern({ findings }: SchemaCheck, pattern: TreeNode): void {
  const source = stringOf(pattern);
  if (source === undefined || source.length > LONGEST_PATTERN) return;
  if (compiles(source, 'u') || compiles(source, '')) return;
  const message = 'This pattern is no regular expression; values are not checked against it.';
  findings.add('document-pattern', 'warning', pattern.range, message);
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
