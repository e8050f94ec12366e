/** Fleet Vendor API 2.4.0 (examples/fleet/vendor.openapi.yaml) as a vendor model. */
import type { Template, VendorModel } from '../model.ts';

const receipt: Template = {
  mission_id: { $from: '/order/id' },
  robot: { $from: '/order/resource' },
  status: { $from: '/order/status' },
  command_id: { $from: '/order/key' },
};

const mission: Template = {
  id: { $from: '/order/id' },
  robot: { $from: '/order/resource' },
  command_id: { $from: '/order/key' },
  status: { $from: '/order/status' },
  target: { $from: '/order/target' },
  progress: { $from: '/order/progress' },
  error: { $from: '/order/error' },
};

const robot: Template = {
  id: { $from: '/resource/id' },
  status: { $from: '/resource/status' },
  battery: { $from: '/resource/fields/battery' },
  pose: { $from: '/resource/fields/pose' },
  mission: { $from: '/resource/running' },
};

export const fleet: VendorModel = {
  name: 'fleet',
  title: 'Fleet Vendor API 2.4.0',
  answerMs: 20,
  resources: {
    statuses: { idle: 'idle', busy: 'moving', fault: 'fault' },
    start: [
      { id: 'r1', status: 'idle', running: null, fields: { battery: 94, pose: { x: 0, y: 0 } } },
      { id: 'r2', status: 'idle', running: null, fields: { battery: 88, pose: { x: 4, y: 4 } } },
      { id: 'r3', status: 'idle', running: null, fields: { battery: 79, pose: { x: 8, y: 0 } } },
    ],
  },
  orders: {
    idPrefix: 'm-',
    statuses: {
      queued: 'queued',
      running: 'running',
      done: 'done',
      failed: 'failed',
      cancelled: 'cancelled',
    },
    target: {
      is: 'object',
      required: { x: { is: 'integer', min: 0, max: 8 }, y: { is: 'integer', min: 0, max: 8 } },
    },
    key: {
      is: 'string',
      min: 8,
      max: 64,
      characters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    },
    faultError: 'robot_fault',
  },
  motion: {
    kind: 'grid',
    axes: [
      { position: '/pose/x', target: '/x' },
      { position: '/pose/y', target: '/y' },
    ],
    spends: { field: '/battery', perUnit: 1 },
  },
  operations: [
    {
      name: 'health',
      method: 'GET',
      path: '/health',
      action: 'health',
      answer: { status: 200, body: { ok: true, robots: { $count: '/resources' } } },
    },
    {
      name: 'listRobots',
      method: 'GET',
      path: '/robots',
      action: 'list',
      answer: { status: 200, body: { robots: { $each: '/resources', $as: 'resource', $item: robot } } },
    },
    {
      name: 'getRobot',
      method: 'GET',
      path: '/robots/{id}',
      action: 'read',
      resource: { in: 'path', name: 'id' },
      advances: true,
      answer: { status: 200, body: robot },
    },
    { name: 'decommissionRobot', method: 'DELETE', path: '/robots/{id}', action: 'ignore' },
    { name: 'updateFirmware', method: 'POST', path: '/robots/{id}/firmware', action: 'ignore' },
    {
      name: 'createMission',
      method: 'POST',
      path: '/robots/{id}/missions',
      action: 'create',
      resource: { in: 'path', name: 'id' },
      target: { in: 'body', pointer: '/target' },
      key: { in: 'body', pointer: '/command_id' },
      body: { is: 'object', required: { target: { is: 'any' } }, optional: { command_id: { is: 'any' } } },
      answers: { accepted: { status: 201, body: receipt }, repeat: { status: 200, body: receipt } },
    },
    {
      name: 'getMission',
      method: 'GET',
      path: '/missions/{id}',
      action: 'read-order',
      order: { in: 'path', name: 'id' },
      advances: true,
      answer: { status: 200, body: mission },
    },
    {
      name: 'cancelMission',
      method: 'POST',
      path: '/missions/{id}/cancel',
      action: 'cancel',
      order: { in: 'path', name: 'id' },
      answer: { status: 200, body: mission },
    },
  ],
  refusals: {
    unauthorized: { status: 401, code: 'unauthorized', message: 'The bearer token was not accepted.' },
    'unknown-route': { status: 404, code: 'unknown_route', message: 'The service has nothing at this path.' },
    'unknown-resource': {
      status: 404,
      code: 'unknown_robot',
      message: 'The fleet has no robot of that id.',
    },
    'unknown-order': {
      status: 404,
      code: 'unknown_mission',
      message: 'The fleet has no mission of that id.',
    },
    'invalid-body': {
      status: 422,
      code: 'invalid_order',
      message: 'The order must have a target on the floor, and nothing but target and command_id.',
    },
    'invalid-key': {
      status: 422,
      code: 'invalid_command_id',
      message: 'A command_id has 8 to 64 letters, digits, hyphens and underscores.',
    },
    conflict: {
      status: 409,
      code: 'command_conflict',
      message: 'This command_id already names an order with another robot or target.',
    },
    'not-permitted': {
      status: 403,
      code: 'forbidden',
      message: 'This operation is not open to clients.',
    },
  },
  failures: {
    listed: [
      { status: 422, code: 'rejected', message: 'The fleet does not accept this order.' },
      { status: 429, code: 'throttled', message: 'Too many calls in a short time.' },
      { status: 503, code: 'unavailable', message: 'The service cannot take calls at the moment.' },
    ],
    other: { code: 'internal', message: 'The service failed while it handled the call.' },
  },
  errorBody: { error: { code: { $from: '/error/code' }, message: { $from: '/error/message' } } },
};
