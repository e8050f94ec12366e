import { describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/src/json.ts';
import { answer, errorAnswer, field, movingRobot, order, Rig, robot, statusOf } from './rig.ts';

const unauthorized = errorAnswer(401, 'unauthorized', 'The bearer token was not accepted.');
const unknownRobot = errorAnswer(404, 'unknown_robot', 'The fleet has no robot of that id.');
const invalidOrder = errorAnswer(
  422,
  'invalid_order',
  'The order must have a target on the floor, and nothing but target and command_id.',
);
const invalidKey = errorAnswer(
  422,
  'invalid_command_id',
  'A command_id has 8 to 64 letters, digits, hyphens and underscores.',
);
const conflict = errorAnswer(
  409,
  'command_conflict',
  'This command_id already names an order with another robot or target.',
);

describe('createMission', () => {
  it('opens the ledger with the world, then records the order and its start', async () => {
    const rig = new Rig();
    const outcome = await rig.create('r1', order(3, 2, 'command-1'), { step: 4 });
    const id = field(outcome, 'mission_id');
    expect(id).toMatch(/^m-[0-9a-f]{6}$/);
    expect(outcome).toEqual(
      answer(201, { mission_id: id, robot: 'r1', status: 'running', command_id: 'command-1' }),
    );
    const state = {
      id,
      resource: 'r1',
      key: 'command-1',
      target: { x: 3, y: 2 },
      progress: 0,
      credential: 1,
      error: null,
    };
    const cause = { at: 100, credential: 1, step: 4, call: 1, operation: 'createMission', target: 'r1' };
    expect(rig.ledger).toEqual([
      {
        seq: 1,
        at: 0,
        kind: 'opened',
        by: 'vendor',
        credential: null,
        step: null,
        call: null,
        resources: [robot('r1', 0, 0), robot('r2', 4, 4, 80), robot('r3', 8, 0, 70)],
      },
      { seq: 2, kind: 'order', by: 'client', ...cause, status: 201, order: { ...state, status: 'queued' } },
      {
        seq: 3,
        kind: 'start',
        by: 'vendor',
        ...cause,
        order: { ...state, status: 'running' },
        resource: movingRobot('r1', 0, 0, 90, id),
      },
    ]);
  });

  it('queues what a busy robot gets', async () => {
    const rig = new Rig();
    await rig.order('r1', 3, 2);
    const second = await rig.create('r1', order(1, 1));
    expect(second).toEqual(
      answer(201, {
        mission_id: field(second, 'mission_id'),
        robot: 'r1',
        status: 'queued',
        command_id: null,
      }),
    );
    expect(rig.kinds).toEqual(['order', 'start:vendor', 'order']);
  });

  it('answers a known command_id with the original order, as it stands now', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 1, 0, 'command-1');
    await rig.mission(id);
    const repeat = await rig.create('r1', order(1, 0, 'command-1'), { step: 2 });
    expect(repeat).toEqual(
      answer(200, { mission_id: id, robot: 'r1', status: 'done', command_id: 'command-1' }),
    );
    expect(rig.ledger.at(-1)).toEqual({
      seq: 7,
      at: 300,
      kind: 'repeat',
      by: 'client',
      credential: 1,
      step: 2,
      call: 3,
      operation: 'createMission',
      target: 'r1',
      key: 'command-1',
      status: 200,
      order: rig.engine.record().orders[0],
    });
    expect(rig.orderIds()).toEqual([id]);
  });

  it('takes the order of keys in a target for no difference', async () => {
    const rig = new Rig();
    await rig.order('r1', 1, 0, 'command-1');
    const repeat = await rig.create('r1', { command_id: 'command-1', target: { y: 0, x: 1 } });
    expect(statusOf(repeat)).toBe(200);
  });

  it('makes a new order of every create without command_id', async () => {
    const rig = new Rig();
    const first = await rig.order('r1', 1, 0);
    const second = await rig.order('r1', 1, 0);
    expect(second).not.toBe(first);
    expect(rig.orderIds()).toEqual([first, second]);
  });

  it.each([
    ['another robot', 'r2', order(1, 0, 'command-1')],
    ['another target', 'r1', order(1, 1, 'command-1')],
  ])('refuses a known command_id with %s', async (_what, id, body) => {
    const rig = new Rig();
    await rig.order('r1', 1, 0, 'command-1');
    expect(await rig.create(id, body, { step: 3 })).toEqual(conflict);
    expect(rig.since(3)).toEqual([
      {
        seq: 4,
        at: 200,
        kind: 'refusal',
        by: 'client',
        credential: 1,
        step: 3,
        call: 2,
        operation: 'createMission',
        target: id,
        key: 'command-1',
        status: 409,
        note: 'This command_id already names an order with another robot or target.',
      },
    ]);
  });

  it.each<[string, Json | undefined]>([
    ['no body', undefined],
    ['null', null],
    ['a list', []],
    ['no target', { command_id: 'command-1' }],
    ['an extra key', { target: { x: 1, y: 1 }, speed: 3 }],
    ['an inherited name as a key', JSON.parse('{"target": {"x": 1, "y": 1}, "__proto__": 3}')],
    ['an extra key in the target', { target: { x: 1, y: 1, z: 1 } }],
    ['half a target', { target: { x: 1 } }],
    ['a fraction', { target: { x: 1.5, y: 1 } }],
    ['a number as text', { target: { x: '1', y: 1 } }],
    ['a place west of the floor', { target: { x: -1, y: 1 } }],
    ['a place north of the floor', { target: { x: 1, y: 9 } }],
    ['a target that is null', { target: null }],
  ])('refuses %s', async (_what, body) => {
    const rig = new Rig();
    const outcome = await rig.send('POST', '/robots/r1/missions', body === undefined ? {} : { body });
    expect(outcome).toEqual(invalidOrder);
    expect(rig.kinds).toEqual(['refusal']);
    expect(rig.row(2)).toMatchObject({ status: 422, target: 'r1' });
    expect(rig.orderIds()).toEqual([]);
  });

  it.each<[string, Json]>([
    ['seven characters', 'c-12345'],
    ['sixty-five characters', 'c'.repeat(65)],
    ['a space', 'command 1'],
    ['a letter of another alphabet', 'commandé1'],
    ['a number', 12345678],
    ['null', null],
  ])('refuses a command_id of %s', async (_what, key) => {
    const rig = new Rig();
    expect(await rig.create('r1', { target: { x: 1, y: 1 }, command_id: key })).toEqual(invalidKey);
    expect(rig.row(2)).toMatchObject({ kind: 'refusal', status: 422, key: null });
  });

  it.each(['c-123456', 'c'.repeat(64), 'A_z-0189'])('takes the command_id %s', async (key) => {
    expect(statusOf(await new Rig().create('r1', order(1, 1, key)))).toBe(201);
  });

  it('checks the token, then the robot, then the body, then the command_id, then what it knows', async () => {
    const rig = new Rig();
    await rig.order('r1', 1, 0, 'command-1');
    const bad = { target: 7, command_id: 'x' };
    expect(await rig.create('r9', bad, { authorization: 'Bearer forged' })).toEqual(unauthorized);
    expect(await rig.create('r9', bad)).toEqual(unknownRobot);
    expect(await rig.create('r1', bad)).toEqual(invalidOrder);
    expect(await rig.create('r1', { target: { x: 1, y: 1 }, command_id: 'x' })).toEqual(invalidKey);
    expect(await rig.create('r1', order(1, 1, 'command-1'))).toEqual(conflict);
    expect(statusOf(await rig.create('r1', order(1, 0, 'command-1')))).toBe(200);
    expect(rig.since(3).map(({ kind, status, key, target }) => [kind, status, key, target])).toEqual([
      ['refusal', 401, null, 'r9'],
      ['refusal', 404, null, 'r9'],
      ['refusal', 422, null, 'r1'],
      ['refusal', 422, null, 'r1'],
      ['refusal', 409, 'command-1', 'r1'],
      ['repeat', 200, 'command-1', 'r1'],
    ]);
  });

  it('makes ids that tell nothing of their order, and others under another seed', async () => {
    const ids = async (seed: string) => {
      const rig = new Rig([], undefined, seed);
      for (let n = 0; n < 20; n += 1) await rig.order('r1', 1, 0);
      return rig.orderIds();
    };
    const first = await ids('a');
    expect(await ids('a')).toEqual(first);
    expect(new Set([...first, ...(await ids('b'))]).size).toBe(40);
    expect([...first].sort()).not.toEqual(first);
  });
});
