import { describe, expect, it } from 'vitest';
import type { CallFault } from '../../../shared/src/evidence/evidence.ts';
import { answer, callFault, errorAnswer, field, order, Rig, statusOf } from './rig.ts';

const unavailable = errorAnswer(503, 'unavailable', 'The service cannot take calls at the moment.');
const busy = callFault({ handled: 'no', answer: 'status', status: 503 });

async function statuses(rig: Rig, calls: [step: number | null, key?: string][]) {
  const seen: (number | string)[] = [];
  for (const [step, key] of calls) seen.push(statusOf(await rig.create('r1', order(1, 1, key), { step })));
  return seen;
}

describe('which call meets a fault', () => {
  it('is the nth of its operation in its step', async () => {
    const rig = new Rig([{ ...busy, step: 2, nth: 2 }]);
    expect(await statuses(rig, [[1], [1], [2], [2], [2], [3], [3]])).toEqual([
      201, 201, 201, 503, 201, 201, 201,
    ]);
  });

  it('is that and the next ones where it has a count', async () => {
    const rig = new Rig([{ ...busy, nth: 2, count: 2 }]);
    expect(await statuses(rig, [[0], [0], [0], [0]])).toEqual([201, 503, 503, 201]);
  });

  it('is that and every later one where the count is null', async () => {
    const rig = new Rig([{ ...busy, nth: 2, count: null }]);
    expect(await statuses(rig, [[0], [0], [0], [1], [0]])).toEqual([201, 503, 503, 201, 503]);
  });

  it('counts over the whole run where no step is named', async () => {
    const rig = new Rig([{ ...busy, step: null, nth: 2, count: 3 }]);
    expect(await statuses(rig, [[0], [0], [1], [null], [2]])).toEqual([201, 503, 503, 503, 201]);
  });

  it('counts neither other operations nor calls without a good token', async () => {
    const rig = new Rig([{ ...busy, nth: 2 }]);
    await rig.create('r1', order(1, 1));
    await rig.send('GET', '/robots/r1');
    await rig.create('r1', order(1, 1), { authorization: 'Bearer forged' });
    expect(await rig.create('r1', order(1, 1))).toEqual(unavailable);
  });

  it('takes the first in the schedule of several', async () => {
    const rig = new Rig([
      { ...busy, status: 500 },
      { ...busy, count: 2 },
    ]);
    expect(await statuses(rig, [[0], [0], [0]])).toEqual([500, 503, 201]);
  });

  it('is never the probe', async () => {
    const rig = new Rig([{ ...busy, operation: 'health', step: null, count: null }]);
    expect(statusOf(await rig.probe())).toBe(200);
    expect(statusOf(await rig.send('GET', '/health'))).toBe(503);
  });
});

describe('a call that is not handled', () => {
  it('leaves the fault alone and changes nothing', async () => {
    const fault = { ...busy, retryAfterS: 2 };
    const rig = new Rig([fault]);
    expect(await rig.create('r1', order(1, 1, 'command-1'))).toEqual({
      ...unavailable,
      headers: { 'content-type': 'application/json', 'retry-after': '2' },
    });
    expect(rig.since(1)).toEqual([
      {
        seq: 2,
        at: 100,
        kind: 'fault',
        by: 'scenario',
        credential: 1,
        step: 0,
        call: 1,
        operation: 'createMission',
        target: 'r1',
        fault,
      },
    ]);
    expect(statusOf(await rig.create('r1', order(1, 1, 'command-1')))).toBe(201);
  });

  it('moves nothing when it is a read', async () => {
    const rig = new Rig([
      { ...busy, operation: 'getMission' },
      { ...busy, operation: 'getRobot' },
    ]);
    const id = await rig.order('r1', 4, 0);
    expect(await rig.mission(id)).toEqual(unavailable);
    expect(await rig.send('GET', '/robots/r1')).toEqual(unavailable);
    expect(rig.robotNow('r1').fields).toEqual({ battery: 90, pose: { x: 0, y: 0 } });
    expect(rig.since(3).map(({ kind, target }) => [kind, target])).toEqual([
      ['fault', 'r1'],
      ['fault', 'r1'],
    ]);
  });

  it('is a refusal on the ledger where its status says no', async () => {
    const rig = new Rig([callFault({ handled: 'no', answer: 'status', status: 422 })]);
    expect(await rig.create('r1', order(1, 1, 'command-1'))).toEqual(
      errorAnswer(422, 'rejected', 'The fleet does not accept this order.'),
    );
    expect(rig.row(3)).toEqual({
      seq: 3,
      at: 100,
      kind: 'refusal',
      by: 'scenario',
      credential: 1,
      step: 0,
      call: 1,
      operation: 'createMission',
      target: 'r1',
      key: 'command-1',
      status: 422,
      note: 'The scenario makes the vendor refuse this call.',
    });
  });

  it.each([
    [400, ['fault', 'refusal']],
    [404, ['fault', 'refusal']],
    [408, ['fault']],
    [409, ['fault']],
    [425, ['fault']],
    [429, ['fault']],
    [499, ['fault', 'refusal']],
    [500, ['fault']],
  ])('of status %i leaves %j', async (status, kinds) => {
    const rig = new Rig([
      callFault({ handled: 'no', answer: 'status', status, operation: 'health', body: {} }),
    ]);
    const outcome = await rig.engine.handle(rig.request('GET', '/health', 1, {}), 10);
    expect(outcome).toEqual(answer(status, {}));
    expect(rig.since(1).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('answers with the body that the schedule gives', async () => {
    const body = { error: { code: 'zone_closed', message: 'The target is closed today.' } };
    const rig = new Rig([callFault({ handled: 'no', answer: 'status', status: 422, body })]);
    expect(await rig.create('r1', order(1, 1))).toEqual(answer(422, body));
  });

  it('has words for a status that the model does not name', async () => {
    const rig = new Rig([callFault({ handled: 'no', answer: 'status', status: 507, operation: 'health' })]);
    expect(await rig.engine.handle(rig.request('GET', '/health', 1, {}), 10)).toEqual(
      errorAnswer(507, 'internal', 'The service failed while it handled the call.'),
    );
  });

  it('ends without an answer, or never reaches the vendor', async () => {
    const rig = new Rig([
      callFault({ handled: 'no', answer: 'dropped' }),
      callFault({ handled: 'no', answer: 'unopened', nth: 2, afterMs: 5 }),
    ]);
    expect(await rig.create('r1', order(1, 1))).toEqual({ kind: 'dropped', afterMs: 20 });
    expect(await rig.create('r1', order(1, 1))).toEqual({ kind: 'unopened', afterMs: 5 });
    expect(rig.kinds).toEqual(['fault:scenario', 'fault:scenario']);
  });
});

describe('a call whose answer is lost', () => {
  it.each<[string, Partial<CallFault> & Pick<CallFault, 'answer'>, unknown]>([
    ['a 503', { answer: 'status', status: 503 }, unavailable],
    [
      'a 500',
      { answer: 'status', status: 500 },
      errorAnswer(500, 'internal', 'The service failed while it handled the call.'),
    ],
    ['a closed connection', { answer: 'dropped' }, { kind: 'dropped', afterMs: 20 }],
  ])('was handled all the same: %s', async (_what, given, expected) => {
    const fault = callFault({ handled: 'yes', ...given });
    const rig = new Rig([fault]);
    expect(await rig.create('r1', order(2, 0, 'command-1'))).toEqual(expected);
    expect(rig.kinds).toEqual(['order', 'start:vendor', 'fault:scenario']);
    expect(rig.row(2)).toMatchObject({ status: 201, call: 1 });
    expect(rig.row(4)).toEqual({
      seq: 4,
      at: 100,
      kind: 'fault',
      by: 'scenario',
      credential: 1,
      step: 0,
      call: 1,
      operation: 'createMission',
      target: 'r1',
      fault,
    });
    const repeat = await rig.create('r1', order(2, 0, 'command-1'));
    expect([statusOf(repeat), field(repeat, 'mission_id')]).toEqual([200, rig.orderIds()[0]]);
  });

  it('moved the robot when it was a read', async () => {
    const rig = new Rig([
      callFault({ handled: 'yes', answer: 'status', status: 503, operation: 'getMission' }),
    ]);
    const id = await rig.order('r1', 4, 0);
    expect(await rig.mission(id)).toEqual(unavailable);
    expect(rig.robotNow('r1').fields).toEqual({ battery: 89, pose: { x: 1, y: 0 } });
    expect(rig.since(3).map(({ kind, status }) => [kind, status])).toEqual([
      ['move', undefined],
      ['read', 200],
      ['fault', undefined],
    ]);
  });

  it('comes late when the vendor is slow', async () => {
    const rig = new Rig([
      callFault({ handled: 'yes', answer: 'slow' }),
      callFault({ handled: 'yes', answer: 'slow', nth: 2, afterMs: 70_000 }),
    ]);
    const first = await rig.create('r1', order(1, 1, 'command-1'));
    const [id] = rig.orderIds();
    expect(first).toEqual(
      answer(201, { mission_id: id ?? '', robot: 'r1', status: 'running', command_id: 'command-1' }, 61_000),
    );
    expect(rig.kinds).toEqual(['order', 'start:vendor', 'fault:scenario']);
    expect(await rig.create('r1', order(1, 1, 'command-1'))).toMatchObject({ status: 200, afterMs: 70_000 });
  });
});

describe('a forgotten create', () => {
  it('is not recognised in a repeat, though its order still shows the name', async () => {
    const rig = new Rig([callFault({ handled: 'yes', answer: 'status', status: 503, forget: true })]);
    await rig.create('r1', order(1, 1, 'command-1'));
    const [first] = rig.orderIds();
    expect(field(await rig.mission(first ?? ''), 'command_id')).toBe('command-1');
    const second = await rig.create('r1', order(1, 1, 'command-1'));
    expect(statusOf(second)).toBe(201);
    expect(field(second, 'mission_id')).not.toBe(first);
    const third = await rig.create('r1', order(1, 1, 'command-1'));
    expect([statusOf(third), field(third, 'mission_id')]).toEqual([200, field(second, 'mission_id')]);
  });

  it('may answer as if nothing were', async () => {
    const rig = new Rig([callFault({ handled: 'yes', answer: 'own', forget: true })]);
    expect(
      await statuses(rig, [
        [0, 'command-1'],
        [0, 'command-1'],
      ]),
    ).toEqual([201, 201]);
    expect(rig.kinds).toEqual(['order', 'start:vendor', 'fault:scenario', 'order']);
  });
});

describe('a read that answers with another order', () => {
  const wrong = callFault({ handled: 'yes', answer: 'other', operation: 'getMission' });

  it('answers with the one before, and shows it on the ledger', async () => {
    const rig = new Rig([wrong]);
    await rig.order('r3', 5, 5);
    const before = await rig.order('r2', 5, 4, 'command-1');
    const id = await rig.order('r1', 1, 0);
    await rig.order('r3', 6, 6);
    const outcome = await rig.mission(id);
    expect(outcome).toEqual(
      answer(200, {
        id: before,
        robot: 'r2',
        command_id: 'command-1',
        status: 'running',
        target: { x: 5, y: 4 },
        progress: 0,
        error: null,
      }),
    );
    expect(rig.since(8).map(({ kind, order: state }) => [kind, state?.id, state?.status])).toEqual([
      ['move', id, 'running'],
      ['end', id, 'done'],
      ['read', id, 'done'],
      ['fault', before, 'running'],
    ]);
    expect(field(await rig.mission(id), 'id')).toBe(id);
  });

  it('answers with the next where there is none before', async () => {
    const rig = new Rig([wrong]);
    const id = await rig.order('r1', 1, 0);
    const next = await rig.order('r2', 1, 0);
    expect(field(await rig.mission(id), 'id')).toBe(next);
  });

  it('answers its own where there is no other, and where the order is unknown', async () => {
    const rig = new Rig([{ ...wrong, count: 2 }]);
    const id = await rig.order('r1', 1, 0);
    expect(field(await rig.mission(id), 'id')).toBe(id);
    expect(statusOf(await rig.mission('m-000000'))).toBe(404);
    expect(rig.kinds.filter((kind) => kind.startsWith('fault'))).toEqual([]);
  });
});

describe('a schedule that cannot be', () => {
  it.each<[string, Partial<CallFault>]>([
    ['the vendor has no operation "launchRocket"', { operation: 'launchRocket' }],
    ['nth counts calls from 1', { nth: 0 }],
    ['count is at least 1', { count: 0 }],
    ['handled "no" does not go with answer "own"', { handled: 'no', answer: 'own' }],
    ['handled "no" does not go with answer "slow"', { handled: 'no', answer: 'slow' }],
    ['handled "yes" does not go with answer "unopened"', { answer: 'unopened' }],
    ['handled "late" does not go with answer "own"', { handled: 'late', answer: 'own' }],
    ['answer "status" needs a status', { answer: 'status' }],
    ['only a create can be handled late', { handled: 'late', answer: 'dropped', operation: 'getMission' }],
    ['only a create can be forgotten', { forget: true, operation: 'getMission' }],
    ['what was not handled cannot be forgotten', { handled: 'no', answer: 'dropped', forget: true }],
    ['only a read of an order can answer with another one', { answer: 'other' }],
  ])('is refused: %s', (problem, given) => {
    const fault = callFault({ handled: 'yes', answer: 'own', ...given });
    expect(() => new Rig([busy, fault])).toThrow(new Error(`Fault 2 of the schedule cannot be: ${problem}.`));
  });
});
