/** An OpenAPI or Swagger document as read: operations with their parameters, bodies and answers, still as nodes of the trees. */
import type { Diagnostic, HttpMethod, SourceRange } from '../../../shared/src/surface/surface.ts';
import type { References } from './references.ts';
import type { ObjectNode, TreeNode } from './tree.ts';

export type Dialect = '2.0' | '3.0' | '3.1' | '3.2';

export interface ApiDocument {
  readonly file: string;
  readonly dialect: Dialect;
  /** As the document states it. */
  readonly version: string;
  readonly title: string;
  readonly apiVersion: string;
  readonly root: ObjectNode;
  readonly references: References;
  readonly trusted: boolean;
  /** Files it is in, as far as they were needed for its operations. */
  readonly files: readonly string[];
  /** In the document's order. */
  readonly operations: readonly DocumentOperation[];
  /** What was found while loading; what schemas have to say comes with the surface. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface DocumentOperation {
  readonly method: HttpMethod;
  readonly path: string;
  /** Path with `*` for each parameter: what a grant route is compared with. */
  readonly shape: string;
  readonly name: string;
  readonly operationId?: string;
  readonly node: ObjectNode;
  readonly parameters: readonly ParameterSource[];
  readonly body?: BodySource;
  readonly answers: readonly AnswerSource[];
  readonly unusable?: string;
  /** An earlier operation has the same method and shape: both are one route. */
  readonly twin?: boolean;
  /** The method's key. */
  readonly source: SourceRange;
}

export interface ParameterSource {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly description?: string;
  readonly deprecated: boolean;
  /** Absent: nothing is said about it; it is read as a text. */
  readonly schema?: TreeNode;
  readonly source: SourceRange;
}

export interface ContentSource {
  readonly mediaType: string;
  /** Absent: anything. */
  readonly schema?: TreeNode;
  /** Swagger 2.0 `formData` parameters in place of a schema. */
  readonly form?: readonly FormField[];
  /** Of form bodies: how each property is written. */
  readonly encoding?: Readonly<Record<string, { style: string; explode: boolean }>>;
}

export interface FormField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: ObjectNode;
}

export interface BodySource {
  readonly required: boolean;
  readonly description?: string;
  readonly contents: readonly ContentSource[];
}

export interface AnswerSource {
  readonly status: string;
  readonly description?: string;
  readonly contents: readonly ContentSource[];
  readonly headers: readonly string[];
}
