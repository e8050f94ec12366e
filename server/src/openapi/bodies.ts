/** Request bodies: what of them the client can send. */

import type { ReadContext } from './context.ts';
import { isFormType, isJsonType } from './mediaTypes.ts';
import type { BodySource, ContentSource, FormField } from './model.ts';
import { readEncoding, readStyle } from './parameterStyle.ts';
import {
  entriesAt,
  isObject,
  isTrue,
  type ObjectNode,
  objectAt,
  stringAt,
  stringsOf,
  type TreeNode,
} from './tree.ts';

export interface ReadBody {
  source?: BodySource;
  unusable?: string;
}

export function readBody(
  context: ReadContext,
  operation: ObjectNode,
  parameters: readonly ObjectNode[],
): ReadBody | undefined {
  if (context.dialect === '2.0') return readSwaggerBody(context, operation, parameters);
  const written = operation.get('requestBody');
  if (written === undefined) return undefined;
  const node = follow(context, written);
  if (node === undefined) return { unusable: 'Its request body could not be read.' };
  return checked(context, node, contentsOf(context, node));
}

function follow(context: ReadContext, node: TreeNode): ObjectNode | undefined {
  if (!isObject(node)) {
    context.findings.add('document-body', 'error', node.range, 'A request body has to be an object.');
    return undefined;
  }
  const reference = node.get('$ref');
  if (reference === undefined) return node;
  const target = context.references.resolve(node, 'object');
  if (target.ok) return isObject(target.node) ? target.node : undefined;
  context.findings.add(target.code, 'error', reference.range, target.message);
  return undefined;
}

interface WrittenContent {
  content: ContentSource;
  /** Where its media type stands. */
  range: ReturnType<ObjectNode['keyRange']>;
}

function contentsOf(context: ReadContext, node: ObjectNode): WrittenContent[] {
  const map = objectAt(node, 'content');
  if (map === undefined) return [];
  return [...map.entries()].map(([mediaType, written]) => {
    const media = isObject(written) && written.has('$ref') ? follow(context, written) : written;
    return { content: contentOf(mediaType, media), range: map.keyRange(mediaType) };
  });
}

function contentOf(mediaType: string, media: TreeNode | undefined): ContentSource {
  if (!isObject(media)) return { mediaType };
  const schema = media.get('schema');
  const encoding: Record<string, { style: string; explode: boolean }> = Object.create(null);
  for (const [name, value] of entriesAt(media, 'encoding')) {
    if (isObject(value)) encoding[name] = readEncoding(value);
  }
  const encoded = isFormType(mediaType) && Object.keys(encoding).length > 0;
  return { mediaType, ...(schema && { schema }), ...(encoded && { encoding }) };
}

function checked(context: ReadContext, node: ObjectNode, written: readonly WrittenContent[]): ReadBody {
  const required = isTrue(node.get('required'));
  const description = stringAt(node, 'description');
  const fits = written.some(({ content }) => isSendable(content));
  for (const { content, range } of written) {
    if (isSendable(content)) continue;
    const instead = fits ? 'another of its media types is used' : 'the body cannot be passed';
    const message = `The client sends JSON and URL-encoded forms, not "${content.mediaType}", so ${instead}.`;
    context.findings.add('document-body-media-type', fits ? 'information' : 'warning', range, message);
  }
  const contents = written.map(({ content }) => content);
  const source = { required, ...(description !== undefined && { description }), contents };
  return fits || !required ? { source } : { source, unusable: UNSENDABLE };
}

const UNSENDABLE = 'Its request body is of no media type that the client can send.';

function isSendable(content: ContentSource): boolean {
  return isJsonType(content.mediaType) || isFormType(content.mediaType);
}

function readSwaggerBody(
  context: ReadContext,
  operation: ObjectNode,
  parameters: readonly ObjectNode[],
): ReadBody | undefined {
  const body = parameters.find((node) => stringAt(node, 'in') === 'body');
  const fields = parameters.filter((node) => stringAt(node, 'in') === 'formData');
  const consumes = operation.get('consumes') ?? context.root.get('consumes');
  if (body !== undefined) {
    const range = (consumes ?? body).range;
    const types = stringsOf(consumes);
    const schema = body.get('schema');
    const written = (types.length > 0 ? types : ['application/json']).map((mediaType) => ({
      content: { mediaType, ...(schema && { schema }) },
      range,
    }));
    return checked(context, body, onlySendable(written));
  }
  return fields.length > 0 ? readForm(context, fields, stringsOf(consumes)) : undefined;
}

/** In 2.0 `consumes` is a plain list, often the whole API's: only where nothing fits is there something to say. */
function onlySendable(written: WrittenContent[]): WrittenContent[] {
  const fitting = written.filter(
    ({ content }) => isJsonType(content.mediaType) || isFormType(content.mediaType),
  );
  return fitting.length > 0 ? fitting : written;
}

function readForm(context: ReadContext, nodes: readonly ObjectNode[], consumes: readonly string[]): ReadBody {
  const fields: FormField[] = nodes.flatMap((schema) => {
    const name = stringAt(schema, 'name');
    return name === undefined ? [] : [{ name, required: isTrue(schema.get('required')), schema }];
  });
  const required = fields.some((field) => field.required);
  const file = nodes.find((node) => stringAt(node, 'type') === 'file');
  const urlEncoded = file === undefined && (consumes.length === 0 || consumes.some(isFormType));
  const mediaType = urlEncoded ? 'application/x-www-form-urlencoded' : 'multipart/form-data';
  const source = { required, contents: [{ mediaType, form: fields, ...formEncoding(context, fields) }] };
  if (urlEncoded) return { source };
  const message = 'The client sends no multipart forms and no files, so this form cannot be passed.';
  const [first] = nodes;
  const range = file?.get('type')?.range ?? first?.range;
  if (range) context.findings.add('document-body-media-type', 'warning', range, message);
  return required ? { source, unusable: UNSENDABLE } : { source };
}

/** How lists in the form are written. */
function formEncoding(context: ReadContext, fields: readonly FormField[]): Pick<ContentSource, 'encoding'> {
  const encoding: Record<string, { style: string; explode: boolean }> = Object.create(null);
  for (const { name, schema } of fields) {
    if (stringAt(schema, 'type') === 'array') encoding[name] = readStyle(context, schema, 'query');
  }
  return Object.keys(encoding).length > 0 ? { encoding } : {};
}
