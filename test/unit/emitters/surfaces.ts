/** Surfaces written by hand, so that the emitters are tested without the loader. */
import type {
  Answer,
  Content,
  Operation,
  OperationGrant,
  Parameter,
  Schema,
  SourceRange,
  Surface,
} from '../../../shared/src/surface/surface.ts';

export const SOURCE: SourceRange = {
  file: 'vendor.yaml',
  start: { line: 0, character: 0 },
  end: { line: 0, character: 1 },
};

export function grant(route: string, extra: Partial<OperationGrant> = {}): OperationGrant {
  return { route, query: [], headers: [], safe: false, source: SOURCE, ...extra };
}

export function parameter(
  name: string,
  place: Parameter['in'],
  schema: Schema,
  extra: Partial<Parameter> = {},
): Parameter {
  const style = place === 'query' ? 'form' : 'simple';
  return {
    name,
    in: place,
    required: place === 'path',
    schema,
    style,
    explode: place === 'query',
    source: SOURCE,
    ...extra,
  };
}

export function json(schema: Schema): Content[] {
  return [{ mediaType: 'application/json', schema }];
}

export function answer(status: string, schema?: Schema): Answer {
  return { status, contents: schema === undefined ? [] : json(schema), headers: [] };
}

export function operation(
  name: string,
  method: Operation['method'],
  path: string,
  extra: Partial<Operation> = {},
): Operation {
  return {
    name,
    method,
    path,
    grant: null,
    deprecated: false,
    parameters: [],
    answers: [],
    source: SOURCE,
    ...extra,
  };
}

export function surface(operations: Operation[], schemas: Record<string, Schema> = {}): Surface {
  return {
    title: 'Fleet Vendor API',
    version: '2.4.0',
    openapi: '3.1.0',
    client: 'fleet',
    operations,
    schemas,
    batches: [],
    digests: { document: '', grant: '' },
  };
}

export const ref = (name: string): Schema => ({ $ref: `#/schemas/${name}` });

/** Six shapes of operation: without arguments, path value, body with a key, form, options, not granted. */
export const FLEET: Surface = surface(
  [
    operation('listRobots', 'GET', '/robots', {
      grant: grant('GET /robots', { query: ['status', 'limit', 'undocumented'] }),
      summary: 'All robots.',
      parameters: [
        parameter('status', 'query', { type: 'array', items: { type: 'string', enum: ['idle', 'moving'] } }),
        parameter('limit', 'query', { type: 'integer' }),
      ],
      answers: [answer('200', { type: 'array', items: ref('Robot') })],
    }),
    operation('getRobot', 'GET', '/robots/{id}', {
      grant: grant('GET /robots/*'),
      parameters: [parameter('id', 'path', { type: 'string' }, { description: 'Id of the robot.' })],
      answers: [answer('200', ref('Robot')), answer('404', ref('Problem'))],
    }),
    operation('createMission', 'POST', '/robots/{id}/missions', {
      grant: grant('POST /robots/*/missions', {
        key: { in: 'body', pointer: '/command_id' },
        max: 40,
        headers: ['x-trace'],
      }),
      summary: 'Order a mission.',
      description: 'Queues a mission. Ends with */ in the text.',
      parameters: [
        parameter('id', 'path', { type: 'string' }),
        parameter('X-Trace', 'header', { type: 'string' }),
      ],
      body: { required: true, contents: json(ref('MissionOrder')) },
      answers: [
        answer('200', ref('MissionAccepted')),
        answer('201', ref('MissionAccepted')),
        answer('409', ref('Problem')),
        answer('422', {
          type: 'object',
          properties: { errors: { type: 'array', items: { type: 'string' } } },
        }),
      ],
    }),
    operation('cancelMission', 'POST', '/missions/{id}:cancel', {
      grant: grant('POST /missions/*:cancel'),
      parameters: [parameter('id', 'path', { type: 'string' })],
      answers: [answer('204')],
    }),
    operation('charge', 'POST', '/charges', {
      grant: grant('POST /charges', {
        key: { in: 'header', name: 'Idempotency-Key' },
        headers: ['idempotency-key'],
      }),
      parameters: [parameter('Idempotency-Key', 'header', { type: 'string' })],
      body: {
        required: false,
        contents: [
          {
            mediaType: 'application/x-www-form-urlencoded',
            schema: { type: 'object', properties: { amount: { type: 'integer' } } },
          },
        ],
      },
      answers: [answer('200', true)],
    }),
    operation('decommissionRobot', 'DELETE', '/robots/{id}', {
      parameters: [parameter('id', 'path', { type: 'string' })],
      answers: [answer('204')],
    }),
  ],
  {
    Robot: {
      type: 'object',
      required: ['id', 'status'],
      properties: {
        id: { type: 'string', readOnly: true },
        status: { enum: ['idle', 'moving', 'fault'] },
        battery: { type: ['number', 'null'], description: 'Percent.' },
        mission: { anyOf: [ref('Mission'), { type: 'null' }] },
      },
    },
    Mission: {
      type: 'object',
      properties: { id: { type: 'string' }, robot: ref('Robot') },
      additionalProperties: true,
    },
    MissionOrder: {
      type: 'object',
      required: ['target'],
      properties: {
        target: {
          type: 'object',
          required: ['x', 'y'],
          properties: { x: { type: 'integer' }, y: { type: 'integer' } },
        },
        command_id: { type: 'string' },
      },
      additionalProperties: false,
    },
    MissionAccepted: {
      type: 'object',
      required: ['mission_id'],
      properties: { mission_id: { type: 'string' } },
    },
    Problem: {
      type: 'object',
      properties: { title: { type: 'string' }, deprecated_field: { deprecated: true } },
    },
  },
);
