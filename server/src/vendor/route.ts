/** Which operation of a model a request calls, and what it carries. */
import type { Json } from '../../../shared/src/json.ts';
import type { Input, OperationModel } from './model.ts';
import { valueAt } from './pointer.ts';
import type { VendorRequest } from './vendor.ts';

export interface RoutedCall {
  operation: OperationModel;
  /** Decoded path values by their names in the template. */
  path: ReadonlyMap<string, string>;
  request: VendorRequest;
}

/** The call that `request` makes, or null where the vendor has nothing there. */
export function routeCall(operations: readonly OperationModel[], request: VendorRequest): RoutedCall | null {
  const segments = decodedSegments(request.target);
  if (segments === null) return null;
  for (const operation of operations) {
    const path = operation.method === request.method ? bind(operation.path, segments) : null;
    if (path !== null) return { operation, path, request };
  }
  return null;
}

/** What the request carries at `input`, or undefined. */
export function inputOf(call: RoutedCall, input: Input): Json | undefined {
  switch (input.in) {
    case 'path':
      return call.path.get(input.name);
    case 'query':
      return new URLSearchParams(call.request.target.split('?')[1] ?? '').get(input.name) ?? undefined;
    case 'header':
      return Object.hasOwn(call.request.headers, input.name) ? call.request.headers[input.name] : undefined;
    case 'body':
      return valueAt(call.request.body, input.pointer);
  }
}

function decodedSegments(target: string): string[] | null {
  try {
    return (target.split('?')[0] ?? '').split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

function bind(template: string, segments: readonly string[]): Map<string, string> | null {
  const parts = template.split('/');
  if (parts.length !== segments.length) return null;
  const values = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith('{') && part.endsWith('}')) values.set(part.slice(1, -1), segment);
    else if (part !== segment) return null;
  }
  return values;
}
