import type { Operation, Parameter, Surface } from '../../../shared/src/surface/surface.ts';

const source = {
  file: 'vendor.openapi.yaml',
  start: { line: 0, character: 0 },
  end: { line: 0, character: 1 },
};

export interface OperationFacts extends Partial<Omit<Operation, 'grant' | 'method'>> {
  granted?: boolean;
  query?: string[];
  headers?: string[];
  max?: number;
}

export function parameter(name: string, where: Parameter['in'], more: Partial<Parameter> = {}): Parameter {
  const base = { required: where === 'path', schema: { type: 'string' }, explode: where === 'query' };
  return { name, in: where, style: where === 'query' ? 'form' : 'simple', source, ...base, ...more };
}

/** `GET /robots/{id}` as an operation; granted unless said otherwise. */
export function operation(route: string, facts: OperationFacts = {}): Operation {
  const { granted = true, query = [], headers = [], max, ...more } = facts;
  const [method, path] = route.split(' ') as [Operation['method'], string];
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? '');
  return {
    name: route,
    method,
    path,
    grant: granted
      ? {
          route: `${method} ${path.replace(/\{[^{}]+\}/g, '*')}`,
          query,
          headers,
          safe: false,
          ...(max === undefined ? {} : { max }),
          source,
        }
      : null,
    deprecated: false,
    parameters: names.map((name) => parameter(name, 'path')),
    answers: [],
    source,
    ...more,
  };
}

export function surface(operations: Operation[], more: Partial<Surface> = {}): Surface {
  return {
    title: 'Vendor',
    version: '1',
    openapi: '3.1.0',
    client: 'vendor',
    operations,
    schemas: {},
    batches: [],
    digests: { document: 'd', grant: 'g' },
    ...more,
  };
}
