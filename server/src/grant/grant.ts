/** A grant as parsed: what each line says and where. Whether the document has it is the surface's question. */
import type { Diagnostic, HttpMethod, SourceRange } from '../../../shared/src/surface/surface.ts';

/** A word of a line with its place. */
export interface GrantWord {
  text: string;
  range: SourceRange;
}

/** `METHOD /path`, with `*` for a segment or a part of one. */
export interface RouteReference {
  method: HttpMethod;
  path: string;
  /** Of the method and the path. */
  range: SourceRange;
}

export type GrantKey = (
  | { in: 'body'; pointer: string }
  | { in: 'header'; name: string }
  | { in: 'path'; name: string }
) & { range: SourceRange };

export interface GrantRoute extends RouteReference {
  query: GrantWord[];
  /** As written; `key:header:` is not among them. */
  headers: GrantWord[];
  key?: GrantKey;
  safe?: SourceRange;
  max?: { calls: number; range: SourceRange };
  /** Of the whole route with its options. */
  source: SourceRange;
}

export interface Grant {
  file: string;
  /** In the order of the file. A line with an error in it grants nothing and is not here. */
  routes: GrantRoute[];
  health?: RouteReference;
  batches: { by: RouteReference; served: RouteReference }[];
  diagnostics: Diagnostic[];
}
