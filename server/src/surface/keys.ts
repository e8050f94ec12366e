/** What makes a repeat the same order: the key a document describes, and the fields that could be one. */
import type { OperationGrant } from '../../../shared/src/surface/surface.ts';
import { isFormType, isJsonType } from '../openapi/mediaTypes.ts';
import type { DocumentOperation } from '../openapi/model.ts';
import type { References } from '../openapi/references.ts';
import { entriesAt, isObject, itemsOf, type ObjectNode, type TreeNode } from '../openapi/tree.ts';

export type RepeatKey = NonNullable<OperationGrant['key']>;

/** Names that vendors give such headers: Idempotency-Key with or without a prefix, PayPal's request id. */
const KEY_HEADER = /idempoten(cy|ce|t)|^paypal-request-id$/i;

/** Fields that documents use for the caller's own id. */
const KEY_FIELD =
  /^(idempotency_?(key|id)|command_?id|(client_?)?request_?id|client_?(token|reference|order_?id)|external_?([a-z]+_?)?id|reference)$/i;

/** The header parameter by which the document itself names a repeat. */
export function documentedKey(operation: {
  parameters: readonly { in: string; name: string }[];
}): { in: 'header'; name: string } | undefined {
  const header = operation.parameters.find(
    ({ in: place, name }) => place === 'header' && KEY_HEADER.test(name),
  );
  return header && { in: 'header', name: header.name };
}

/** Ends something that is there, by the name that vendors give it. */
const CANCEL = /[/:](cancel|abort)[^/]*$/i;

/** Creates something: a POST that answers 201 or 202 and cancels nothing. */
export function isCreate(operation: {
  method: string;
  path: string;
  answers: readonly { status: string }[];
}): boolean {
  if (operation.method !== 'POST' || CANCEL.test(operation.path)) return false;
  return operation.answers.some(({ status }) => status === '201' || status === '202');
}

/** A field of the body whose name says that the caller chooses it, as a JSON Pointer. */
export function fieldLikeKey(operation: DocumentOperation, references: References): string | undefined {
  const fields = bodyFields(operation, references);
  const found = fields && [...fields].find((name) => KEY_FIELD.test(name));
  return found === undefined ? undefined : `/${found.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Whether the body can hold what a pointer's first step names; undefined where the document leaves it open. */
export function bodyHas(
  operation: DocumentOperation,
  references: References,
  pointer: string,
): boolean | undefined {
  const fields = bodyFields(operation, references);
  const first = (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  return fields?.has(first);
}

/** Names of the body's top-level fields, or nothing where it has no list of them. */
function bodyFields(operation: DocumentOperation, references: References): Set<string> | undefined {
  const content = operation.body?.contents.find(
    ({ mediaType }) => isJsonType(mediaType) || isFormType(mediaType),
  );
  if (content === undefined) return new Set();
  if (content.form) return new Set(content.form.map((field) => field.name));
  const names = new Set<string>();
  const complete = collectFields(content.schema, references, names, new Set());
  return complete || names.size > 0 ? names : undefined;
}

function collectFields(
  schema: TreeNode | undefined,
  references: References,
  names: Set<string>,
  seen: Set<ObjectNode>,
): boolean {
  const node = isObject(schema) ? followed(schema, references) : undefined;
  if (node === undefined || seen.has(node)) return false;
  seen.add(node);
  let found = false;
  for (const [name] of entriesAt(node, 'properties')) {
    names.add(name);
    found = true;
  }
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    for (const member of itemsOf(node.get(key))) {
      if (collectFields(member, references, names, seen)) found = true;
    }
  }
  return found;
}

function followed(node: ObjectNode, references: References): ObjectNode | undefined {
  if (!node.has('$ref')) return node;
  const target = references.resolve(node, 'object');
  return target.ok && isObject(target.node) ? target.node : undefined;
}
