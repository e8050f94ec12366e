/** The injected client: a script made from a surface. It holds nothing secret; the broker checks every call again. */
import { jsString, oneLine } from '../text.ts';
import { CLIENT_RUNTIME } from './clientRuntime.ts';
import {
  type BodyArgument,
  methods,
  type OperationShape,
  operationShape,
  refusal,
} from './operationShape.ts';
import type { Operation, OperationGrant, Surface } from './surface.ts';

/** What the script calls for each request. `headers` are lower-case; absent: no body, no signal. */
export interface ClientRequest {
  method: string;
  /** Path, one encoded segment per value, with `?query` where there is one. */
  target: string;
  headers: Record<string, string>;
  /** A JSON body as the adapter gave it, a form already as text. */
  body?: unknown;
  contentType?: string;
  signal?: unknown;
}

/**
 * What the script evaluates to. `invoke` resolves with the answer's body or rejects with a VendorCallError; `fail` makes
 * the error of a call that the client refuses (origin `client`, status 0, sent `no`, outcome `none`). Methods never
 * throw; they return promises.
 */
export type ClientFactory = (
  invoke: (request: ClientRequest) => Promise<unknown>,
  fail: (message: string) => unknown,
) => Record<string, (...values: unknown[]) => Promise<unknown>>;

/**
 * One expression: a `ClientFactory`. Plain ES2023 without imports or globals of any host; methods in the order of the
 * document, those that cannot be called included. Same surface, same text.
 */
export function emitClient(surface: Surface): string {
  const operations = methods(surface)
    .map((operation) => `${literal(entry(operation))},\n`)
    .join('');
  return `(function () {\n'use strict';\nconst operations = [\n${operations}];\n${CLIENT_RUNTIME}})()`;
}

type Literal = string | number | boolean | Literal[];

function literal(value: Literal): string {
  if (typeof value === 'string') return jsString(value);
  return Array.isArray(value) ? `[${value.map(literal).join(',')}]` : String(value);
}

function entry(operation: Operation): Literal[] {
  const { name, grant } = operation;
  const reason = refusal(operation);
  if (grant !== null && reason === undefined) return callable(operation, grant);
  return [name, oneLine(`${name} is ${reason}`)];
}

function callable(operation: Operation, grant: OperationGrant): Literal[] {
  const shape = operationShape(operation, grant);
  const position = new Map(shape.path.map(({ name }, index) => [name, index]));
  const pieces = shape.pieces.map((piece) =>
    'text' in piece ? pathLiteral(piece.text) : (position.get(piece.parameter) ?? 0),
  );
  const args = shape.path.map(({ argument }) => argument);
  if (shape.body !== undefined) args.push(shape.body.argument);
  if (shape.options !== undefined) args.push(shape.options.argument);
  const required = shape.path.length + (shape.body?.required === true && shape.body.kind !== 'none' ? 1 : 0);
  return [
    operation.name,
    operation.method,
    pieces,
    args,
    required,
    bodyEntry(shape.body),
    optionsEntry(shape.options),
    shape.path.length,
  ];
}

/** Escapes that the document wrote stay; what cannot stand in a path is escaped. The broker spells it the same way. */
function pathLiteral(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.!~*'()$&+,;=:@/]+/g, (piece) =>
    /^%[0-9A-Fa-f]{2}$/.test(piece) ? piece : encodeURIComponent(piece.replace(/\p{Cs}/gu, '\ufffd')),
  );
}

function bodyEntry(body: BodyArgument | undefined): Literal {
  if (body === undefined) return 0;
  if (body.kind === 'none') return [body.kind, oneLine(body.mediaType), body.required];
  const encodings = Object.entries(body.content?.encoding ?? {});
  return [body.kind, body.mediaType, encodings.map(([name, { style, explode }]) => [name, style, explode])];
}

function optionsEntry(options: OperationShape['options']): Literal {
  if (options === undefined) return 0;
  const query = options.query.map(({ name, parameter }) => [
    name,
    parameter?.style ?? 'form',
    parameter?.explode ?? true,
  ]);
  return [query, options.headers.map(({ name }) => name.toLowerCase())];
}
