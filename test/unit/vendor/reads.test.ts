import { describe, expect, it } from 'vitest';
import type { VendorOutcome } from '../../../server/src/vendor/vendor.ts';
import type { Json } from '../../../shared/src/json.ts';
import { answer, errorAnswer, field, movingRobot, Rig, robot, statusOf } from './rig.ts';

const unknownMission = errorAnswer(404, 'unknown_mission', 'The fleet has no mission of that id.');

function robotAnswer(id: string, status: string, battery: number, x: number, y: number, mission: Json) {
  return answer(200, { id, status, battery, pose: { x, y }, mission });
}

function missionAnswer(id: string, rest: Record<string, Json>): VendorOutcome {
  return answer(200, { id, robot: 'r1', command_id: null, error: null, ...rest });
}

describe('health and listRobots', () => {
  it('answer and move nothing', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 1, 0);
    expect(await rig.send('GET', '/health', { step: 1 })).toEqual(answer(200, { ok: true, robots: 3 }));
    expect(await rig.send('GET', '/robots')).toEqual(
      answer(200, {
        robots: [
          { id: 'r1', status: 'moving', battery: 90, pose: { x: 0, y: 0 }, mission: id },
          { id: 'r2', status: 'idle', battery: 80, pose: { x: 4, y: 4 }, mission: null },
          { id: 'r3', status: 'idle', battery: 70, pose: { x: 8, y: 0 }, mission: null },
        ],
      }),
    );
    const cause = { kind: 'read', by: 'client', credential: 1, status: 200 };
    expect(rig.since(3)).toEqual([
      { seq: 4, at: 200, ...cause, step: 1, call: 2, operation: 'health' },
      { seq: 5, at: 300, ...cause, step: 0, call: 3, operation: 'listRobots' },
    ]);
  });

  it('answer the probe without a row', async () => {
    const rig = new Rig();
    expect(await rig.probe()).toEqual(answer(200, { ok: true, robots: 3 }));
    expect(statusOf(await rig.probe('/robots'))).toBe(200);
    expect(statusOf(await rig.probe('/health', 'Bearer forged'))).toBe(401);
    expect(statusOf(await rig.probe('/robots/r1'))).toBe(404);
    expect(statusOf(await rig.probe('/nowhere'))).toBe(404);
    expect(rig.kinds).toEqual([]);
  });
});

describe('getRobot and getMission', () => {
  it('move the robot one unit, x first, then y, and take one of its battery', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 2, 1, 'command-1');
    expect(await rig.send('GET', '/robots/r1')).toEqual(robotAnswer('r1', 'moving', 89, 1, 0, id));
    const mission = { command_id: 'command-1', target: { x: 2, y: 1 } };
    expect(await rig.mission(id)).toEqual(missionAnswer(id, { ...mission, status: 'running', progress: 2 }));
    expect(rig.robotNow('r1')).toEqual(movingRobot('r1', 2, 0, 88, id));
    expect(await rig.mission(id)).toEqual(missionAnswer(id, { ...mission, status: 'done', progress: 3 }));
    expect(rig.robotNow('r1')).toEqual(robot('r1', 2, 1, 87));
    expect(rig.kinds).toEqual([
      'order',
      'start:vendor',
      ...['move:vendor', 'read'],
      ...['move:vendor', 'read'],
      ...['move:vendor', 'end:vendor', 'read'],
    ]);
  });

  it('go west and south too', async () => {
    const rig = new Rig();
    const id = await rig.order('r2', 3, 3);
    await rig.mission(id);
    expect(rig.robotNow('r2').fields).toEqual({ battery: 79, pose: { x: 3, y: 4 } });
    await rig.mission(id);
    expect(rig.robotNow('r2').fields).toEqual({ battery: 78, pose: { x: 3, y: 3 } });
  });

  it('leave rows that show each state', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 1, 0);
    await rig.order('r1', 0, 0);
    await rig.mission(id, { step: 5 });
    const [first, second] = rig.engine.record().orders;
    const cause = { at: 300, credential: 1, step: 5, call: 3, operation: 'getMission', target: 'r1' };
    const moved = { battery: 89, pose: { x: 1, y: 0 } };
    expect(rig.since(4)).toEqual([
      {
        seq: 5,
        kind: 'move',
        by: 'vendor',
        ...cause,
        order: { ...first, status: 'running' },
        resource: { id: 'r1', status: 'moving', running: id, fields: moved },
      },
      {
        seq: 6,
        kind: 'end',
        by: 'vendor',
        ...cause,
        note: 'It reached its target.',
        order: first,
        resource: { id: 'r1', status: 'idle', running: null, fields: moved },
      },
      {
        seq: 7,
        kind: 'start',
        by: 'vendor',
        ...cause,
        order: second,
        resource: { id: 'r1', status: 'moving', running: second?.id, fields: moved },
      },
      { seq: 8, kind: 'read', by: 'client', ...cause, status: 200, order: first },
    ]);
    expect(first).toMatchObject({ status: 'done', progress: 1 });
  });

  it('move a robot when its ended or queued mission is read', async () => {
    const rig = new Rig();
    const ended = await rig.order('r1', 1, 0);
    await rig.mission(ended);
    const running = await rig.order('r1', 8, 0);
    const queued = await rig.order('r1', 0, 0);
    await rig.mission(ended);
    await rig.mission(queued);
    expect(rig.robotNow('r1')).toEqual(movingRobot('r1', 3, 0, 87, running));
    expect(field(await rig.mission(queued), 'status')).toBe('queued');
  });

  it('move no robot but the one asked for, and none that runs nothing', async () => {
    const rig = new Rig();
    await rig.order('r1', 2, 0);
    expect(await rig.send('GET', '/robots/r2?verbose=1')).toEqual(robotAnswer('r2', 'idle', 80, 4, 4, null));
    expect(rig.robotNow('r1').fields).toEqual({ battery: 90, pose: { x: 0, y: 0 } });
    expect(rig.ledger.at(-1)).toMatchObject({ kind: 'read', target: 'r2', resource: robot('r2', 4, 4, 80) });
  });

  it('end a mission to where its robot stands at the first read, without a move', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 0, 0);
    expect(field(await rig.mission(id), 'status')).toBe('done');
    expect(rig.kinds).toEqual(['order', 'start:vendor', 'end:vendor', 'read']);
    expect(rig.robotNow('r1')).toEqual(robot('r1', 0, 0));
  });

  it('never take the battery below empty', async () => {
    const rig = new Rig([], [robot('r1', 0, 0, 1)]);
    const id = await rig.order('r1', 2, 0);
    await rig.mission(id);
    await rig.mission(id);
    expect(rig.robotNow('r1')).toEqual(robot('r1', 2, 0, 0));
  });

  it('answer 404 for ids that are not there', async () => {
    const rig = new Rig();
    expect(await rig.mission('m-000000')).toEqual(unknownMission);
    expect(await rig.cancel('constructor')).toEqual(unknownMission);
    expect(statusOf(await rig.send('GET', '/robots/__proto__'))).toBe(404);
    expect(rig.since(1).map(({ kind, status, target }) => [kind, status, target])).toEqual([
      ['refusal', 404, undefined],
      ['refusal', 404, undefined],
      ['refusal', 404, '__proto__'],
    ]);
  });

  it('read ids as paths encode them', async () => {
    const rig = new Rig([], [robot('dock 1/a', 0, 0)]);
    expect(statusOf(await rig.send('GET', '/robots/dock%201%2Fa'))).toBe(200);
    expect(statusOf(await rig.send('GET', '/robots/%zz'))).toBe(404);
  });
});

describe('cancelMission', () => {
  it('stops the robot where it is and starts its next mission', async () => {
    const rig = new Rig();
    const first = await rig.order('r1', 4, 0);
    const second = await rig.order('r1', 0, 3);
    await rig.mission(first);
    const outcome = await rig.cancel(first);
    expect(outcome).toEqual(
      missionAnswer(first, { target: { x: 4, y: 0 }, status: 'cancelled', progress: 1 }),
    );
    expect(
      rig
        .since(6)
        .map(({ kind, by, status, order, resource }) => [
          kind,
          by,
          status,
          order?.id,
          order?.status,
          resource?.running,
          resource?.status,
        ]),
    ).toEqual([
      ['cancel', 'client', 200, first, 'cancelled', null, 'idle'],
      ['end', 'vendor', undefined, first, 'cancelled', null, 'idle'],
      ['start', 'vendor', undefined, second, 'running', second, 'moving'],
    ]);
    expect(rig.robotNow('r1')).toEqual(movingRobot('r1', 1, 0, 89, second));
  });

  it('keeps a queued mission from ever running', async () => {
    const rig = new Rig();
    const first = await rig.order('r1', 1, 0);
    const second = await rig.order('r1', 5, 5);
    const third = await rig.order('r1', 0, 0);
    expect(field(await rig.cancel(second), 'status')).toBe('cancelled');
    await rig.mission(first);
    expect(rig.robotNow('r1').running).toBe(third);
    expect(rig.ledger.filter(({ kind }) => kind === 'start').map(({ order }) => order?.id)).toEqual([
      first,
      third,
    ]);
  });

  it('leaves an ended mission as it is', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 1, 0);
    await rig.mission(id);
    expect(field(await rig.cancel(id), 'status')).toBe('done');
    await rig.order('r1', 4, 0);
    expect(field(await rig.cancel(id), 'status')).toBe('done');
    expect(rig.kinds.filter((kind) => kind.startsWith('end'))).toEqual(['end:vendor']);
    expect(rig.robotNow('r1').status).toBe('moving');
  });
});

describe('what the vendor does not let in', () => {
  it('answers every operation 401 without a good token, and does nothing', async () => {
    const rig = new Rig();
    const id = await rig.order('r1', 4, 0);
    const calls: [string, string, string | undefined][] = [
      ['GET', '/health', undefined],
      ['GET', '/robots', undefined],
      ['GET', '/robots/r1', 'r1'],
      ['DELETE', '/robots/r1', undefined],
      ['POST', '/robots/r1/firmware', undefined],
      ['POST', '/robots/r1/missions', 'r1'],
      ['GET', `/missions/${id}`, 'r1'],
      ['POST', `/missions/${id}/cancel`, 'r1'],
      ['GET', '/nowhere', undefined],
    ];
    const before = rig.engine.record();
    for (const [method, target] of calls) {
      const outcome = await rig.send(method, target, { authorization: 'Bearer forged', body: {} });
      expect(outcome).toEqual(errorAnswer(401, 'unauthorized', 'The bearer token was not accepted.'));
    }
    expect(rig.engine.record()).toEqual(before);
    expect(
      rig.since(3).map(({ kind, status, credential, target }) => [kind, status, credential, target]),
    ).toEqual(calls.map(([, , target]) => ['refusal', 401, null, target]));
  });

  it('refuses the operations that it does not open to clients', async () => {
    const rig = new Rig();
    const forbidden = errorAnswer(403, 'forbidden', 'This operation is not open to clients.');
    expect(await rig.send('DELETE', '/robots/r1')).toEqual(forbidden);
    expect(await rig.send('POST', '/robots/r1/firmware', { body: { release: '1' } })).toEqual(forbidden);
    expect(rig.since(1).map(({ kind, status, operation }) => [kind, status, operation])).toEqual([
      ['refusal', 403, 'decommissionRobot'],
      ['refusal', 403, 'updateFirmware'],
    ]);
  });

  it('knows no other paths', async () => {
    const rig = new Rig();
    for (const [method, target] of [
      ['PUT', '/robots/r1'],
      ['GET', '/robots/r1/'],
      ['GET', '/'],
    ] as const) {
      expect(await rig.send(method, target)).toEqual(
        errorAnswer(404, 'unknown_route', 'The service has nothing at this path.'),
      );
    }
    expect(rig.since(1).map(({ status, operation }) => [status, operation])).toEqual([
      [404, undefined],
      [404, undefined],
      [404, undefined],
    ]);
  });
});
