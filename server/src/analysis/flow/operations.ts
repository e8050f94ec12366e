/** What the rules need to know of operations, from the surface. */
import { methods, operationShape } from '../../../../shared/src/surface/operationShape.ts';
import type { Operation, OperationGrant, Surface } from '../../../../shared/src/surface/surface.ts';
import { documentedKey, isCreate } from '../../surface/keys.ts';

type Key = NonNullable<OperationGrant['key']>;

export interface OperationFacts {
  name: string;
  /** A repeat of it may be another order. */
  creates: boolean;
  /** It only reads. */
  reads: boolean;
  /** What makes a repeat the same order: the grant's, or one that the document describes. */
  key: Key | null;
  /** Names of the path's arguments; then come a body and options where there are any. */
  path: readonly string[];
  hasBody: boolean;
}

export function operationFacts(surface: Surface): Map<string, OperationFacts> {
  return new Map(methods(surface).map((operation) => [operation.name, factsOf(operation)]));
}

function factsOf(operation: Operation): OperationFacts {
  const { name, method, grant } = operation;
  const shape = operationShape(operation, grant ?? nothingGranted(operation));
  const key = grant?.key ?? documentedKey(operation) ?? null;
  const isSafe = grant?.safe === true;
  return {
    name,
    creates: !isSafe && (key !== null || isCreate(operation)),
    reads: isSafe || method === 'GET' || method === 'HEAD' || method === 'QUERY',
    key,
    path: shape.path.map((argument) => argument.name),
    hasBody: shape.body !== undefined,
  };
}

function nothingGranted({ path, source }: Operation): OperationGrant {
  return { route: path, query: [], headers: [], safe: false, source };
}
