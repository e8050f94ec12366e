import { describe, expect, it } from 'vitest';
import { callFault, errorAnswer, order, Rig, statusOf } from './rig.ts';

const late = callFault({ handled: 'late', answer: 'status', status: 503, step: 3 });

describe('a create that lands late', () => {
  it('lands right after the vendor answered the next create of its step', async () => {
    const rig = new Rig([late]);
    const first = await rig.create('r1', order(1, 0), { step: 3 });
    expect(first).toEqual(errorAnswer(503, 'unavailable', 'The service cannot take calls at the moment.'));
    expect(rig.kinds).toEqual(['fault:scenario']);
    await rig.create('r2', order(1, 0), { step: 4 });
    await rig.send('GET', '/robots', { step: 3 });
    expect(rig.orderIds()).toHaveLength(1);
    await rig.create('r1', order(1, 0), { step: 3 });
    const [, second, landed] = rig.engine.record().orders;
    expect(
      rig.since(5).map(({ kind, at, step, call, order: state }) => [kind, at, step, call, state?.id]),
    ).toEqual([
      ['order', 400, 3, 4, second?.id],
      ['start', 400, 3, 4, second?.id],
      ['order', 400, 3, 1, landed?.id],
    ]);
    expect(rig.ledger.at(-1)).toMatchObject({ by: 'client', credential: 1, status: 201, target: 'r1' });
    rig.engine.settle(900);
    expect(rig.orderIds()).toHaveLength(3);
  });

  it('is a repeat where its name is known by then', async () => {
    const rig = new Rig([late]);
    await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    expect(statusOf(await rig.create('r1', order(1, 0, 'command-1'), { step: 3 }))).toBe(201);
    expect(rig.kinds).toEqual(['fault:scenario', 'order', 'start:vendor', 'repeat']);
    expect(rig.ledger.at(-1)).toMatchObject({ call: 1, key: 'command-1', status: 200 });
    expect(rig.orderIds()).toHaveLength(1);
  });

  it('lands at settling where no other create came, and moves nothing', async () => {
    const rig = new Rig([late]);
    await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    rig.engine.settle(900);
    rig.engine.settle(901);
    expect(rig.kinds).toEqual(['fault:scenario', 'order', 'start:vendor']);
    expect(rig.row(3)).toMatchObject({ at: 900, step: 3, call: 1, by: 'client', credential: 1 });
    expect(rig.robotNow('r1').fields).toEqual({ battery: 90, pose: { x: 0, y: 0 } });
  });

  it('is recognised afterwards', async () => {
    const rig = new Rig([late]);
    await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    await rig.create('r1', order(1, 0), { step: 3 });
    const landed = rig.orderIds()[1];
    const outcome = await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    expect(outcome).toMatchObject({ status: 200, body: { mission_id: landed } });
  });

  it('is not recognised where the vendor forgets it', async () => {
    const rig = new Rig([{ ...late, forget: true }]);
    await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    await rig.create('r1', order(1, 0), { step: 3 });
    expect(statusOf(await rig.create('r1', order(1, 0, 'command-1'), { step: 3 }))).toBe(201);
  });

  it('lands after a create that is late itself, which waits for the one after it', async () => {
    const rig = new Rig([{ ...late, count: 2 }]);
    for (let n = 0; n < 3; n += 1) await rig.create('r1', order(1, n), { step: 3 });
    const places = rig.engine.record().orders.map(({ target }) => target);
    expect(places).toEqual([
      { x: 1, y: 0 },
      { x: 1, y: 2 },
      { x: 1, y: 1 },
    ]);
    expect(rig.kinds).toEqual([
      ...['fault:scenario', 'fault:scenario', 'order', 'start:vendor'],
      ...['order', 'order'],
    ]);
  });

  it('does not land after one that never reached the vendor', async () => {
    const rig = new Rig([late, callFault({ handled: 'no', answer: 'unopened', step: 3, nth: 2 })]);
    await rig.create('r1', order(1, 0), { step: 3 });
    await rig.create('r1', order(1, 0), { step: 3 });
    expect(rig.orderIds()).toEqual([]);
    await rig.create('r1', order(1, 0), { step: 3 });
    expect(rig.orderIds()).toHaveLength(2);
  });

  it('may be refused when it lands', async () => {
    const rig = new Rig([late]);
    await rig.create('r1', order(1, 0, 'command-1'), { step: 3 });
    await rig.create('r1', order(2, 0, 'command-1'), { step: 3 });
    expect(rig.ledger.at(-1)).toMatchObject({ kind: 'refusal', by: 'client', status: 409, call: 1, step: 3 });
    expect(rig.orderIds()).toHaveLength(1);
  });
});
