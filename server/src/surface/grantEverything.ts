/** The grant that allows all a document has: for generating a client without a grant. */
import type { OperationGrant } from '../../../shared/src/surface/surface.ts';
import { headerProblem } from '../grant/words.ts';
import type { ApiDocument, DocumentOperation } from '../openapi/model.ts';
import { documentedKey } from './keys.ts';
import type { MatchedGrant } from './matched.ts';

export function grantEverything(document: ApiDocument): MatchedGrant {
  const usable = document.operations.filter(({ unusable }) => unusable === undefined);
  return { grants: new Map(usable.map((operation) => [operation, wholeGrant(operation)])), batches: [] };
}

function wholeGrant(operation: DocumentOperation): OperationGrant {
  const namesIn = (place: string): string[] =>
    operation.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const headers = namesIn('header').filter((name) => headerProblem(name) === undefined);
  const key = documentedKey(operation);
  return {
    route: `${operation.method} ${operation.shape}`,
    query: namesIn('query'),
    headers: [...new Set(headers.map((name) => name.toLowerCase()))],
    ...(key && { key }),
    safe: false,
    source: operation.source,
  };
}
