/** Walks `paths`: every operation of the document, in its order, with what stands against using it. */

import { didYouMean } from '../../../shared/src/nearest.ts';
import { isReservedName } from '../../../shared/src/surface/reservedNames.ts';
import type { HttpMethod, Severity, SourceRange } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { readAnswers } from './answers.ts';
import { readBody } from './bodies.ts';
import type { ReadContext } from './context.ts';
import type { Dialect, DocumentOperation } from './model.ts';
import { camelCase, nameFromRoute } from './naming.ts';
import { overReaches } from './overReach.ts';
import { readParameters } from './parameters.ts';
import { pathProblem, shapeOf } from './template.ts';
import { isObject, type ObjectNode, stringOf, type TreeNode } from './tree.ts';

const METHODS = new Map<string, HttpMethod>(
  (['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const).map((m) => [
    m.toLowerCase(),
    m,
  ]),
);

const ITEM_KEYS = ['summary', 'description', 'servers', 'parameters', '$ref', 'additionalOperations'];
const OPERATION_KEYS = [
  'tags',
  'summary',
  'description',
  'externalDocs',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'callbacks',
  'deprecated',
  'security',
  'servers',
  'consumes',
  'produces',
  'schemes',
];

export function readOperations(context: ReadContext): DocumentOperation[] {
  const { root, findings } = context;
  const paths = root.get('paths');
  if (root.has('webhooks')) {
    const message = 'Webhooks are calls of the vendor to you; an adapter gets none, so they are left out.';
    findings.add('document-webhooks', 'information', root.keyRange('webhooks'), message);
  }
  if (!isObject(paths)) {
    noPaths(context, paths);
    return [];
  }
  const drafts: Draft[] = [];
  for (const [path, value] of paths.entries()) {
    if (path.startsWith('x-')) continue;
    drafts.push(...readPath(context, paths, path, value));
  }
  const operations = settleNames(context, drafts);
  overReaches(operations, findings);
  return operations;
}

/** From 3.1 on a document may hold nothing but webhooks or components. */
function noPaths({ root, dialect, findings }: ReadContext, paths: TreeNode | undefined): void {
  const optional = paths === undefined && (dialect === '3.1' || dialect === '3.2');
  const message = 'The document has no "paths" object, so there is nothing to call.';
  const range = paths === undefined ? startRange(root) : root.keyRange('paths');
  findings.add('document-no-paths', optional ? 'warning' : 'error', range, message);
}

function startRange(node: TreeNode): SourceRange {
  return node.source.range(node.start, node.start + 1);
}

/** An operation before names and routes are compared with its neighbours'. */
interface Draft {
  operation: DocumentOperation;
  pathRange: SourceRange;
  idRange: SourceRange | undefined;
}

function readPath(context: ReadContext, paths: ObjectNode, path: string, value: TreeNode): Draft[] {
  const { findings } = context;
  const pathRange = paths.keyRange(path);
  const problem = pathProblem(path);
  if (problem !== undefined) findings.add('document-path', 'error', pathRange, problem);
  const items = itemChain(context, value);
  if (items.length === 0 && isObject(value)) return [];
  if (items.length === 0) {
    findings.add(
      'document-path',
      'warning',
      pathRange,
      'A path holds an object of operations; this one is left out.',
    );
    return [];
  }
  const shared = items.flatMap((item) => (item.has('parameters') ? [item.get('parameters')] : []));
  const drafts: Draft[] = [];
  const seen = new Set<HttpMethod>();
  for (const item of items) {
    for (const [method, node, source] of methodsOf(context, item)) {
      if (seen.has(method)) continue;
      seen.add(method);
      drafts.push(readOperation(context, { method, path, node, source, shared, pathRange, problem }));
    }
  }
  return drafts;
}

/** A path item and the ones its `$ref` leads to; the item's own fields come first. */
function itemChain(context: ReadContext, value: TreeNode): ObjectNode[] {
  if (!isObject(value)) return [];
  const reference = value.get('$ref');
  if (reference === undefined) return [value];
  const target = context.references.resolve(value, 'object');
  const own = value.keys.length > 1 ? [value] : [];
  if (!target.ok) {
    context.findings.add(target.code, 'error', reference.range, target.message);
    return own;
  }
  return isObject(target.node) ? [...own, target.node] : own;
}

function* methodsOf(
  context: ReadContext,
  item: ObjectNode,
): Generator<[HttpMethod, ObjectNode, SourceRange]> {
  const known = methodsIn(context.dialect);
  for (const [key, value] of item.entries()) {
    const method = known.get(key);
    if (method !== undefined && isObject(value)) yield [method, value, item.keyRange(key)];
    else if (method !== undefined) {
      context.findings.add(
        'document-operation',
        'error',
        item.keyRange(key),
        'An operation has to be an object.',
      );
    } else if (key === 'additionalOperations' && context.dialect === '3.2') yield* additional(context, value);
    else if (!key.startsWith('x-') && !ITEM_KEYS.includes(key)) {
      const hint = didYouMean(key, [...known.keys(), ...ITEM_KEYS]);
      const message = `A path has no "${oneLine(key, 60)}".${hint}`;
      context.findings.add('document-unknown-key', 'warning', item.keyRange(key), message);
    }
  }
}

function methodsIn(dialect: Dialect): Map<string, HttpMethod> {
  return dialect === '3.2' ? new Map([...METHODS, ['query', 'QUERY']]) : METHODS;
}

/** 3.2: methods by their own spelling. Those that the broker knows are read, others are named. */
function* additional(context: ReadContext, map: TreeNode): Generator<[HttpMethod, ObjectNode, SourceRange]> {
  if (!isObject(map)) return;
  const known = methodsIn(context.dialect);
  for (const [key, value] of map.entries()) {
    const method = known.get(key.toLowerCase());
    if (method === key && isObject(value)) yield [method, value, map.keyRange(key)];
    else {
      const message = `The method "${key}" cannot be brokered; this operation is left out.`;
      context.findings.add('document-unsupported-method', 'warning', map.keyRange(key), message);
    }
  }
}

interface RawOperation {
  method: HttpMethod;
  path: string;
  node: ObjectNode;
  source: SourceRange;
  shared: (TreeNode | undefined)[];
  pathRange: SourceRange;
  problem: string | undefined;
}

function readOperation(context: ReadContext, raw: RawOperation): Draft {
  const { node, method, path } = raw;
  unknownKeys(context, node);
  unsupportedParts(context, node);
  const parameters = readParameters(context, {
    path,
    own: node.get('parameters'),
    shared: raw.shared,
    where: raw.source,
  });
  const body = readBody(context, node, parameters.bodyParameters);
  const answers = readAnswers(context, node, raw.source);
  const operationId = stringOf(node.get('operationId'));
  const name = nameOf(context, raw, operationId);
  const unusable = raw.problem ?? parameters.unusable ?? body?.unusable;
  const operation: DocumentOperation = {
    method,
    path,
    shape: shapeOf(path),
    name,
    ...(operationId !== undefined && { operationId }),
    node,
    parameters: parameters.list,
    ...(body?.source && { body: body.source }),
    answers,
    ...(unusable !== undefined && { unusable }),
    source: raw.source,
  };
  return { operation, pathRange: raw.pathRange, idRange: node.get('operationId')?.range };
}

function nameOf(context: ReadContext, raw: RawOperation, operationId: string | undefined): string {
  const fromId = operationId === undefined ? '' : camelCase(operationId);
  if (fromId !== '') return fromId;
  const name = nameFromRoute(raw.method, raw.path);
  const message = `No operationId, so the client's method is called "${name}" after method and path.`;
  context.findings.add('document-missing-operation-id', 'information', raw.source, message);
  return name;
}

function unknownKeys(context: ReadContext, node: ObjectNode): void {
  for (const key of node.keys) {
    if (OPERATION_KEYS.includes(key) || key.startsWith('x-')) continue;
    const message = `An operation has no "${oneLine(key, 60)}".${didYouMean(key, OPERATION_KEYS)}`;
    context.findings.add('document-unknown-key', 'warning', node.keyRange(key), message);
  }
}

function unsupportedParts(context: ReadContext, node: ObjectNode): void {
  if (node.has('callbacks')) {
    const message = 'Callbacks are calls of the vendor to you; an adapter gets none, so they are left out.';
    context.findings.add('document-callbacks', 'information', node.keyRange('callbacks'), message);
  }
}

/** Two operations of one name, or of one route, cannot both be called: the later one is unusable. */
function settleNames(context: ReadContext, drafts: readonly Draft[]): DocumentOperation[] {
  const names = new Map<string, Draft>();
  const routes = new Map<string, Draft>();
  const shapes = new Map<string, string>();
  return drafts.map((draft) => {
    const { operation } = draft;
    const name = nameProblem(context, draft, names);
    const route = `${operation.method} ${operation.shape}`;
    const first = routes.get(route);
    if (first === undefined) routes.set(route, draft);
    samePath(context, draft, shapes, first === undefined ? 'warning' : 'error');
    const twin = first && `${operation.method} ${first.operation.path} is the same route.`;
    const unusable = operation.unusable ?? name ?? twin;
    return { ...operation, ...(unusable !== undefined && { unusable }), ...(first && { twin: true }) };
  });
}

function nameProblem(context: ReadContext, draft: Draft, names: Map<string, Draft>): string | undefined {
  const { operation } = draft;
  const { name, operationId } = operation;
  const range = draft.idRange ?? operation.source;
  if (isReservedName(name)) {
    const problem = `The client cannot have a method called "${name}".`;
    context.findings.add(
      'document-reserved-name',
      'error',
      range,
      `${problem} Give the operation another operationId.`,
    );
    return problem;
  }
  const first = names.get(name);
  if (first === undefined) {
    names.set(name, draft);
    return undefined;
  }
  const other = `${first.operation.method} ${first.operation.path}`;
  const same = operationId !== undefined && operationId === first.operation.operationId;
  const code = same ? 'document-duplicate-operation-id' : 'document-name-clash';
  const problem = same
    ? `${other} has the operationId "${operationId}" too.`
    : `${other} has the client name "${name}" too.`;
  context.findings.add(
    code,
    'error',
    range,
    `${problem} Only the first can be called; give this one another operationId.`,
  );
  return problem;
}

/** Harmless while their methods differ: the broker tells them apart by those. */
function samePath(context: ReadContext, draft: Draft, shapes: Map<string, string>, severity: Severity): void {
  const { path, shape } = draft.operation;
  const first = shapes.get(shape);
  if (first === undefined) shapes.set(shape, path);
  else if (first !== path) {
    const message = `"${first}" is the same path with other parameter names; put the operations under one of them.`;
    context.findings.add('document-same-path', severity, draft.pathRange, message);
  }
}
