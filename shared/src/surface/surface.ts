/**
 * The surface: every operation of a vendor document, each marked granted or not, with its types. One plain JSON
 * value from which typings, client, description, diagnostics and broker are all derived. It crosses process borders
 * (the runner parses no document), so it holds no functions, Maps or cycles.
 */
import type { Json } from '../json.ts';

/** 0-based line and character (UTF-16 code units), as LSP counts. */
export interface Position {
  line: number;
  character: number;
}

/** A place in a file of the project; `file` is relative to the folder of loadline.json, with `/`. */
export interface SourceRange {
  file: string;
  start: Position;
  end: Position;
}

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** Something to say about a document or a grant, at its range. `code` is stable and has a page in docs/diagnostics. */
export interface Diagnostic {
  code: string;
  severity: Severity;
  message: string;
  range: SourceRange;
}

/** Upper case, as HTTP writes it. */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH' | 'TRACE' | 'QUERY';

/**
 * A schema in one normal form, whatever version it was written in: JSON Schema 2020-12 keywords (`type` arrays instead
 * of `nullable`, numeric exclusive bounds). References are `{$ref: "#/schemas/<Name>"}` into `Surface.schemas`;
 * `true` and `false` are allowed where JSON Schema allows them.
 */
export type Schema = boolean | SchemaObject;

export interface SchemaObject {
  $ref?: string;
  type?: string | string[];
  format?: string;
  title?: string;
  description?: string;
  deprecated?: boolean;
  enum?: Json[];
  const?: Json;
  default?: Json;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  prefixItems?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  readOnly?: boolean;
  writeOnly?: boolean;
  [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  description?: string;
  deprecated?: boolean;
  schema: Schema;
  /** How an array or object is written (OpenAPI `style` / `explode`, already defaulted). */
  style: string;
  explode: boolean;
  source: SourceRange;
}

export interface Content {
  /** Media type as the document writes it, e.g. `application/json`. */
  mediaType: string;
  schema: Schema;
  /** Of a form body: how arrays and objects of these fields are written, where the document says so. */
  encoding?: Record<string, { style: string; explode: boolean }>;
}

export interface RequestBody {
  required: boolean;
  description?: string;
  contents: Content[];
}

export interface Answer {
  /** `200`, `4XX` or `default`. */
  status: string;
  description?: string;
  /** Empty where the answer has no body. */
  contents: Content[];
  /** Lower-case names of documented answer headers. */
  headers: string[];
}

/** What the grant says about one operation. */
export interface OperationGrant {
  /** The route as the grant writes it: the method, then the path with a star for a segment. */
  route: string;
  /** Query keys let through. */
  query: string[];
  /** Header names let through, lower case (key headers included). */
  headers: string[];
  /** What makes a repeat the same order, or nothing. */
  key?: { in: 'body'; pointer: string } | { in: 'header'; name: string } | { in: 'path'; name: string };
  /** A POST that only reads. */
  safe: boolean;
  /** Calls allowed in one run. */
  max?: number;
  source: SourceRange;
}

export interface Operation {
  /** Method of the injected client: operationId in camelCase, else made from method and path. */
  name: string;
  operationId?: string;
  method: HttpMethod;
  /** Path template, e.g. `/robots/{id}`; the document's base path (servers, basePath) is not part of it. */
  path: string;
  /** `null`: in the document, not in the grant. */
  grant: OperationGrant | null;
  summary?: string;
  description?: string;
  deprecated: boolean;
  /** Path parameters first, in the order of the template, then query, header and cookie parameters. */
  parameters: Parameter[];
  body?: RequestBody;
  answers: Answer[];
  /** Why this operation cannot be called by a client, or nothing. */
  unusable?: string;
  source: SourceRange;
}

export interface Surface {
  title: string;
  version: string;
  /** As the document states it: `3.1.0`, `2.0`. */
  openapi: string;
  /** Global name of the injected client. */
  client: string;
  /** In the document's order. */
  operations: Operation[];
  /** Named schemas that the granted operations reach. */
  schemas: Record<string, Schema>;
  /** Name of the operation that `@health` names, or nothing. */
  health?: string;
  /** `@batch`: the operation `by` answers what many calls of `served` would. Operation names. */
  batches: { by: string; served: string }[];
  digests: { document: string; grant: string };
}
