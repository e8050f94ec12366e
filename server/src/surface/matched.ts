import type { OperationGrant, Surface } from '../../../shared/src/surface/surface.ts';
import type { DocumentOperation } from '../openapi/model.ts';

/** What a grant comes to on a document. */
export interface MatchedGrant {
  grants: ReadonlyMap<DocumentOperation, OperationGrant>;
  /** Operation name. */
  health?: string;
  batches: Surface['batches'];
}
