/**
 * How a method of the client is called: `client.op(...path, body?, options?)`. Typings, client script and description
 * are written from this one reading of an operation.
 */
import { isReservedName } from './reservedNames.ts';
import type { Answer, Content, Operation, OperationGrant, Parameter, Surface } from './surface.ts';
import { Names, parameterName } from './typeNames.ts';

/** A path template cut at its parameters: texts and names take turns as they come. */
export type PathPiece = { text: string } | { parameter: string };

export interface PathArgument {
  /** Identifier in signatures. */
  argument: string;
  /** Name in the template. */
  name: string;
  /** Absent where the document does not declare it. */
  parameter?: Parameter;
}

/** A query key or a header that the grant lets through. */
export interface OptionKey {
  name: string;
  /** Absent where the document does not declare it. */
  parameter?: Parameter;
}

export interface BodyArgument {
  argument: string;
  required: boolean;
  /** How the client writes it; `none`: in a form that the client cannot write. */
  kind: 'json' | 'form' | 'none';
  /** Media type that is sent; for `none` those of the document. */
  mediaType: string;
  content?: Content;
}

export interface OperationShape {
  pieces: PathPiece[];
  path: PathArgument[];
  body?: BodyArgument;
  options?: { argument: string; query: OptionKey[]; headers: OptionKey[]; required: boolean };
}

export interface AnswerBody {
  answer: Answer;
  /** The body as the client gives it: parsed JSON, text, or nothing. */
  kind: 'json' | 'text' | 'none';
  content?: Content;
}

/** The operations that are a method of the client, in the document's order: of several with one name, the usable one. */
export function methods(surface: Surface): Operation[] {
  const owners = new Map<string, Operation>();
  for (const operation of surface.operations) {
    const owner = owners.get(operation.name);
    if (owner === undefined || (owner.unusable !== undefined && operation.unusable === undefined)) {
      owners.set(operation.name, operation);
    }
  }
  return surface.operations.filter(
    (operation) => owners.get(operation.name) === operation && !isReservedName(operation.name),
  );
}

/** The shape of a granted operation's method. */
export function operationShape(operation: Operation, grant: OperationGrant): OperationShape {
  const names = new Names();
  const pieces = pathPieces(operation.path);
  const path = pathArguments(operation, pieces, names);
  const body = bodyArgument(operation, names);
  const query = optionKeys(operation, 'query', grant.query);
  const headers = optionKeys(operation, 'header', grant.headers);
  const shape: OperationShape = { pieces, path };
  if (body !== undefined) shape.body = body;
  if (query.length + headers.length > 0) {
    const required = [...query, ...headers].some((key) => key.parameter?.required === true);
    shape.options = { argument: names.claim('options'), query, headers, required };
  }
  return shape;
}

export function pathPieces(path: string): PathPiece[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((text) => text !== '')
    .map((text) => (/^\{[^{}]*\}$/.test(text) ? { parameter: text.slice(1, -1) } : { text }));
}

function pathArguments(operation: Operation, pieces: PathPiece[], names: Names): PathArgument[] {
  const inTemplate = new Set(pieces.flatMap((piece) => ('parameter' in piece ? [piece.parameter] : [])));
  return [...inTemplate].map((name) => {
    const parameter = operation.parameters.find((other) => other.in === 'path' && other.name === name);
    const argument = parameterName(name, names);
    return parameter === undefined ? { argument, name } : { argument, name, parameter };
  });
}

function optionKeys(operation: Operation, place: 'query' | 'header', names: readonly string[]): OptionKey[] {
  const key = (name: string): string => (place === 'query' ? name : name.toLowerCase());
  const declared = new Map<string, Parameter>();
  for (const parameter of operation.parameters) {
    const name = key(parameter.name);
    if (parameter.in === place && !declared.has(name)) declared.set(name, parameter);
  }
  return names.map((name) => {
    const parameter = declared.get(key(name));
    return parameter === undefined ? { name } : { name: parameter.name, parameter };
  });
}

function bodyArgument(operation: Operation, names: Names): BodyArgument | undefined {
  const { body } = operation;
  if (body === undefined || body.contents.length === 0) return undefined;
  const argument = names.claim('body');
  const json = preferredJson(body.contents);
  if (json !== undefined) {
    const mediaType = json.mediaType.includes('*') ? 'application/json' : json.mediaType;
    return { argument, required: body.required, kind: 'json', mediaType, content: json };
  }
  const form = body.contents.find((content) => essence(content) === 'application/x-www-form-urlencoded');
  if (form !== undefined) {
    return { argument, required: body.required, kind: 'form', mediaType: form.mediaType, content: form };
  }
  const mediaType = body.contents.map((content) => content.mediaType).join(', ');
  return { argument, required: body.required, kind: 'none', mediaType };
}

/** Plain JSON before its dialects, a merge patch before a patch made of steps. */
function preferredJson(contents: readonly Content[]): Content | undefined {
  const json = contents.filter(isJson);
  return (
    json.find((content) => essence(content) === 'application/json') ??
    json.find((content) => essence(content) === 'application/merge-patch+json') ??
    json[0]
  );
}

function essence(content: Content): string {
  return (content.mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

function isJson(content: Content): boolean {
  const type = essence(content);
  return type === '*/*' || type === 'application/*' || type === 'application/json' || type.endsWith('+json');
}

/** What the client gives for this answer. JSON counts where the document offers several media types. */
export function answerBody(operation: Operation, answer: Answer): AnswerBody {
  if (operation.method === 'HEAD' || answer.contents.length === 0) return { answer, kind: 'none' };
  const json = preferredJson(answer.contents);
  return json === undefined ? { answer, kind: 'text' } : { answer, kind: 'json', content: json };
}

/** The answers that a call resolves with: 2xx, or `default` where no 2xx is documented. */
export function successes(operation: Operation): AnswerBody[] {
  const explicit = operation.answers.filter((answer) => /^2(\d\d|XX)$/i.test(answer.status));
  const chosen =
    explicit.length > 0 ? explicit : operation.answers.filter((answer) => answer.status === 'default');
  return chosen.map((answer) => answerBody(operation, answer));
}

/** The answers that a call rejects with. */
export function failures(operation: Operation): AnswerBody[] {
  return operation.answers
    .filter((answer) => /^[1345](\d\d|XX)$/i.test(answer.status) || answer.status === 'default')
    .map((answer) => answerBody(operation, answer));
}

/** Why the operation cannot be called, as what follows "is"; nothing where it can. Holds foreign text. */
export function refusal(operation: Operation): string | undefined {
  if (operation.unusable !== undefined) return `not callable: ${operation.unusable}`;
  if (operation.grant === null) return `not granted: add "${grantRoute(operation)}" to the grant`;
  return undefined;
}

/** The route as a grant would write it. */
export function grantRoute(operation: Operation): string {
  return `${operation.method} ${operation.path.replace(/\{[^{}]*\}/g, '*')}`;
}

/** What the grant says about repeats, reads and budgets, in sentences. */
export function grantNotes(operation: Operation, grant: OperationGrant): string[] {
  const notes: string[] = [];
  if (grant.key !== undefined) {
    const place =
      grant.key.in === 'body' ? `body field ${grant.key.pointer}` : `${grant.key.in} value ${grant.key.name}`;
    notes.push(
      `The ${place} names the order: a repeat with the same value is the same order, with another a new one.`,
    );
  }
  if (grant.safe) notes.push('It only reads, so it may be repeated.');
  if (operation.method === 'POST' && grant.key === undefined && !grant.safe) {
    notes.push('Nothing names a repeat: calling it again may do it again.');
  }
  if (grant.max !== undefined) {
    notes.push(`At most ${grant.max} ${grant.max === 1 ? 'call' : 'calls'} in one run.`);
  }
  return notes;
}
