import type { Findings } from './findings.ts';
import type { Dialect } from './model.ts';
import type { References } from './references.ts';
import type { ObjectNode } from './tree.ts';

/** What reading any part of a document needs. */
export interface ReadContext {
  readonly root: ObjectNode;
  readonly dialect: Dialect;
  readonly references: References;
  readonly findings: Findings;
}
