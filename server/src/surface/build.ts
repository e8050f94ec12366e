/** Document x grant -> Surface: every operation with its grant, types for the granted ones. */
import type { Diagnostic, Surface } from '../../../shared/src/surface/surface.ts';
import type { Grant } from '../grant/grant.ts';
import { Findings } from '../openapi/findings.ts';
import type { ApiDocument } from '../openapi/model.ts';
import { SchemaReader } from '../openapi/schemas.ts';
import { grantEverything } from './grantEverything.ts';
import { matchGrant } from './matchGrant.ts';
import { OperationReader } from './operation.ts';

export interface SurfaceInput {
  document: ApiDocument;
  /** `all`: every usable operation with every query key and header it has, as `specgen` without a grant wants it. */
  grant: Grant | 'all';
  /** Global name of the injected client. */
  client: string;
  /** sha256 hex; empty where nobody asks. */
  digests?: { document: string; grant: string };
}

export interface BuiltSurface {
  surface: Surface;
  /** Everything there is to say: about the document, the grant and how they fit. By file and place. */
  diagnostics: Diagnostic[];
  /** Files of the document that it was made from. */
  files: string[];
}

export function buildSurface({ document, grant, client, digests }: SurfaceInput): BuiltSurface {
  const { references } = document;
  references.restart(document.files);
  const findings = new Findings();
  findings.addAll(document.diagnostics);
  if (grant !== 'all') findings.addAll(grant.diagnostics);
  const matched = grant === 'all' ? grantEverything(document) : matchGrant(document, grant, findings);
  const schemas = new SchemaReader(document, findings);
  const reader = new OperationReader(schemas);
  const operations = document.operations.map((operation) =>
    reader.read(operation, matched.grants.get(operation)),
  );
  const surface: Surface = {
    title: document.title,
    version: document.apiVersion,
    openapi: document.version,
    client,
    operations,
    schemas: schemas.named(),
    ...(matched.health !== undefined && { health: matched.health }),
    batches: matched.batches,
    digests: digests ?? { document: '', grant: '' },
  };
  const files = references.opened();
  findings.addAll(references.syntax(files));
  return { surface, diagnostics: findings.list(), files };
}
