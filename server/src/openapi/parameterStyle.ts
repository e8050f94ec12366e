/** How arrays and objects of a parameter are written: `style` and `explode`, or Swagger 2.0's `collectionFormat`. */

import type { ReadContext } from './context.ts';
import type { ParameterSource } from './model.ts';
import { isScalar, isTrue, type ObjectNode, stringAt } from './tree.ts';

type Location = ParameterSource['in'];
type Style = Pick<ParameterSource, 'style' | 'explode'>;

const STYLES: Readonly<Record<Location, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
};

export function readStyle(context: ReadContext, node: ObjectNode, location: Location): Style {
  return context.dialect === '2.0'
    ? fromCollectionFormat(context, node, location)
    : fromStyle(context, node, location);
}

function fromStyle(context: ReadContext, node: ObjectNode, location: Location): Style {
  const fallback = STYLES[location][0] ?? 'form';
  const stated = stringAt(node, 'style');
  const known = stated === undefined || STYLES[location].includes(stated);
  if (!known) {
    const message = `A ${location} parameter cannot have the style "${stated}"; "${fallback}" is used.`;
    context.findings.add(
      'document-parameter-style',
      'warning',
      node.get('style')?.range ?? node.range,
      message,
    );
  }
  const style = known && stated !== undefined ? stated : fallback;
  const explode = node.get('explode');
  const exploded = isScalar(explode) && typeof explode.value === 'boolean' ? explode.value : style === 'form';
  if (style !== 'deepObject') return { style, explode: exploded };
  deepObject(context, node);
  return { style, explode: true };
}

/** `deepObject` says how the properties of one object are written, and nothing about what lies deeper. */
function deepObject(context: ReadContext, node: ObjectNode): void {
  const explode = node.get('explode');
  if (isScalar(explode) && explode.value === false) {
    const message = 'The style "deepObject" is always exploded; "explode: false" is not heeded.';
    context.findings.add('document-parameter-style', 'warning', node.keyRange('explode'), message);
  }
  const schema = schemaOf(context, node);
  const type = schema && stringAt(schema, 'type');
  if (type === undefined || type === 'object') return;
  const message = `OpenAPI has "deepObject" for objects only, and this is of the type "${type}".`;
  context.findings.add('document-parameter-style', 'information', node.keyRange('style'), message);
}

function schemaOf(context: ReadContext, node: ObjectNode): ObjectNode | undefined {
  const schema = node.get('schema');
  if (schema === undefined || !('keys' in schema)) return undefined;
  if (!schema.has('$ref')) return schema;
  const target = context.references.resolve(schema, 'object');
  return target.ok && 'keys' in target.node ? target.node : undefined;
}

function fromCollectionFormat(context: ReadContext, node: ObjectNode, location: Location): Style {
  const simple = location === 'path' || location === 'header';
  const format = stringAt(node, 'collectionFormat') ?? 'csv';
  if (simple && (format === 'csv' || !node.has('collectionFormat')))
    return { style: 'simple', explode: false };
  if (!simple && format === 'csv') return { style: 'form', explode: false };
  if (!simple && format === 'multi') return { style: 'form', explode: true };
  if (!simple && format === 'ssv') return { style: 'spaceDelimited', explode: false };
  if (!simple && format === 'pipes') return { style: 'pipeDelimited', explode: false };
  const message = `The client cannot write the collectionFormat "${format}" here; commas are used.`;
  context.findings.add('document-parameter-style', 'warning', node.keyRange('collectionFormat'), message);
  return { style: simple ? 'simple' : 'form', explode: false };
}

/** Style of one property of a URL-encoded form, from its `encoding` entry. */
export function readEncoding(node: ObjectNode): Style {
  const style = stringAt(node, 'style') ?? 'form';
  const explode = node.get('explode');
  return { style, explode: explode === undefined ? style === 'form' : isTrue(explode) };
}
