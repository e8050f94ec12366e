/** Discriminators with every mapping entry written out, the implied ones too. */
import type { SchemaObject } from '../../../shared/src/surface/surface.ts';
import type { Findings } from './findings.ts';
import type { ApiDocument } from './model.ts';
import type { Resolution } from './references.ts';
import {
  entriesAt,
  isObject,
  itemsOf,
  type ObjectNode,
  objectAt,
  stringAt,
  stringOf,
  type TreeNode,
} from './tree.ts';

type Discriminator = NonNullable<SchemaObject['discriminator']>;

export interface DiscriminatorContext {
  document: ApiDocument;
  findings: Findings;
  reader: { refer(target: Resolution, at: TreeNode): SchemaObject | undefined };
}

export function readDiscriminator(
  context: DiscriminatorContext,
  schema: ObjectNode,
  node: TreeNode,
): Discriminator | undefined {
  // Swagger 2.0 writes the property's name alone.
  const propertyName = stringOf(node) ?? stringAt(node, 'propertyName');
  if (propertyName === undefined) {
    const message = 'A discriminator needs a "propertyName"; without one it is not heeded.';
    context.findings.add('document-discriminator', 'warning', node.range, message);
    return undefined;
  }
  const mapping: Record<string, string> = Object.create(null);
  for (const [value, target] of entriesAt(node, 'mapping')) addEntry(context, mapping, value, target);
  addImplied(context, mapping, schema);
  return Object.keys(mapping).length > 0 ? { propertyName, mapping } : { propertyName };
}

function addEntry(
  context: DiscriminatorContext,
  mapping: Record<string, string>,
  value: string,
  at: TreeNode,
): void {
  const written = stringOf(at);
  if (written === undefined) {
    const message =
      'A mapping leads from a value to the name of a schema or a reference; this entry is not heeded.';
    context.findings.add('document-discriminator', 'warning', at.range, message);
    return;
  }
  const target = context.document.references.follow(referenceIn(context.document, written), at.source.file);
  const reference = context.reader.refer(target, at);
  if (reference?.$ref !== undefined) mapping[value] = reference.$ref;
}

/** A mapping may hold a component's bare name. */
function referenceIn(document: ApiDocument, written: string): string {
  const schemas = objectAt(objectAt(document.root, 'components'), 'schemas');
  return schemas?.has(written) ? `#/components/schemas/${encodeURIComponent(escapeToken(written))}` : written;
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Members that no entry names answer to the last part of their reference. */
function addImplied(
  context: DiscriminatorContext,
  mapping: Record<string, string>,
  schema: ObjectNode,
): void {
  const named = new Set(Object.values(mapping));
  for (const member of [...itemsOf(schema.get('oneOf')), ...itemsOf(schema.get('anyOf'))]) {
    const written = isObject(member) ? stringAt(member, '$ref') : undefined;
    if (written === undefined || !isObject(member)) continue;
    const target = context.document.references.resolve(member, 'schema');
    // A reference that leads nowhere is reported where the member itself is read.
    const reference = target.ok ? context.reader.refer(target, member) : undefined;
    if (reference?.$ref === undefined || named.has(reference.$ref)) continue;
    const value = written.split('/').at(-1) ?? written;
    if (!Object.hasOwn(mapping, value)) mapping[value] = reference.$ref;
  }
}
