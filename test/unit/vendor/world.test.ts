import { describe, expect, it } from 'vitest';
import { OrderEngine } from '../../../server/src/vendor/engine.ts';
import { fleet } from '../../../server/src/vendor/models/fleet.ts';
import {
  isSimulated,
  simulatedModel,
  simulatedVendor,
  simulatedVendors,
} from '../../../server/src/vendor/simulated.ts';
import type { FaultSchedule, WorldFault } from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';
import { callFault, field, order, Rig, robot, verifier, world } from './rig.ts';

describe('a robot that faults', () => {
  const fault: WorldFault = { kind: 'resourceFault', resource: 'r1', atMove: 3 };
  const broken = { id: 'r1', status: 'fault', running: null, fields: { battery: 88, pose: { x: 1, y: 1 } } };

  it('fails its running mission at that move of the run, and makes it not', async () => {
    const rig = new Rig([fault]);
    const first = await rig.order('r1', 1, 0);
    await rig.mission(first);
    const second = await rig.order('r1', 1, 4);
    await rig.mission(second);
    const seen = rig.ledger.length;
    const outcome = await rig.mission(second, { step: 2 });
    expect(outcome).toMatchObject({ body: { status: 'failed', error: 'robot_fault', progress: 1 } });
    const cause = { at: 500, credential: 1, step: 2, call: 5, operation: 'getMission', target: 'r1' };
    const failed = rig.engine.record().orders[1];
    expect(rig.since(seen)).toEqual([
      {
        seq: seen + 1,
        kind: 'fault',
        by: 'scenario',
        ...cause,
        fault,
        resource: { ...broken, running: second },
      },
      {
        seq: seen + 2,
        kind: 'end',
        by: 'vendor',
        ...cause,
        note: 'Its resource faulted under it.',
        order: failed,
        resource: broken,
      },
      { seq: seen + 3, kind: 'read', by: 'client', ...cause, status: 200, order: failed },
    ]);
    expect(failed).toMatchObject({ id: second, status: 'failed', error: 'robot_fault' });
    expect(rig.robotNow('r1')).toEqual(broken);
  });

  it('takes orders and starts none, not even those that waited', async () => {
    const rig = new Rig([{ ...fault, atMove: 1 }]);
    const first = await rig.order('r1', 4, 0);
    const waiting = await rig.order('r1', 5, 0);
    await rig.mission(first);
    const later = await rig.order('r1', 6, 0, 'command-1');
    for (const id of [first, waiting, later]) await rig.mission(id);
    await rig.send('GET', '/robots/r1');
    expect(rig.engine.record().orders.map(({ status }) => status)).toEqual(['failed', 'queued', 'queued']);
    expect(field(await rig.cancel(waiting), 'status')).toBe('cancelled');
    expect(rig.robotNow('r1')).toEqual({
      id: 'r1',
      status: 'fault',
      running: null,
      fields: { battery: 90, pose: { x: 0, y: 0 } },
    });
    expect(rig.kinds.filter((kind) => kind === 'start:vendor')).toEqual(['start:vendor']);
  });

  it('leaves the other robots alone', async () => {
    const rig = new Rig([{ ...fault, atMove: 1 }]);
    const id = await rig.order('r2', 5, 4);
    expect(field(await rig.mission(id), 'status')).toBe('done');
  });
});

describe("a stranger's order", () => {
  const stranger: FaultSchedule = [
    {
      kind: 'strangersOrder',
      resource: 'r1',
      target: { x: 2, y: 0 },
      before: { step: 1, operation: 'createMission', nth: 2 },
    },
    callFault({ step: 1, nth: 2, handled: 'yes', answer: 'status', status: 503 }),
  ];

  it('is accepted under credential 2 just before the call it is placed at, and runs like any other', async () => {
    const rig = new Rig(stranger);
    await rig.create('r2', order(5, 5), { step: 0 });
    await rig.create('r2', order(5, 5), { step: 0 });
    await rig.create('r2', order(5, 5), { step: 1 });
    const seen = rig.ledger.length;
    await rig.create('r1', order(1, 0, 'command-1'), { step: 1 });
    const [theirs, ours] = rig.engine.record().orders.slice(3);
    const cause = { at: 400, credential: 2, step: null, call: null, target: 'r1' };
    const placed = {
      id: theirs?.id,
      resource: 'r1',
      key: null,
      target: { x: 2, y: 0 },
      progress: 0,
      credential: 2,
      error: null,
    };
    const resource = { ...robot('r1', 0, 0), status: 'moving', running: theirs?.id };
    expect(rig.since(seen).slice(0, 2)).toEqual([
      { seq: seen + 1, kind: 'order', by: 'scenario', ...cause, order: { ...placed, status: 'queued' } },
      {
        seq: seen + 2,
        kind: 'start',
        by: 'vendor',
        ...cause,
        order: { ...placed, status: 'running' },
        resource,
      },
    ]);
    expect(rig.since(seen + 2).map(({ kind, credential }) => [kind, credential])).toEqual([
      ['order', 1],
      ['fault', 1],
    ]);
    expect(ours).toMatchObject({ status: 'queued', credential: 1 });
    await rig.send('GET', '/robots/r1');
    await rig.send('GET', '/robots/r1');
    expect(rig.robotNow('r1').running).toBe(ours?.id);
    expect(field(await rig.mission(theirs?.id ?? ''), 'status')).toBe('done');
  });

  it('queues where the robot is busy', async () => {
    const rig = new Rig(stranger);
    await rig.create('r1', order(4, 0), { step: 1 });
    await rig.create('r1', order(5, 0), { step: 1 });
    expect(rig.engine.record().orders.map(({ status, credential }) => [status, credential])).toEqual([
      ['running', 1],
      ['queued', 2],
      ['queued', 1],
    ]);
  });
});

describe('a world that cannot be', () => {
  it.each<[string, WorldFault]>([
    ['there is no resource "r9"', { kind: 'resourceFault', resource: 'r9', atMove: 1 }],
    ['atMove counts moves from 1', { kind: 'resourceFault', resource: 'r1', atMove: 0.5 }],
    [
      'its target is none that can be ordered',
      {
        kind: 'strangersOrder',
        resource: 'r1',
        target: { x: 9, y: 0 },
        before: { step: 0, operation: 'createMission', nth: 1 },
      },
    ],
    [
      'the vendor has no operation "launchRocket"',
      {
        kind: 'strangersOrder',
        resource: 'r1',
        target: { x: 1, y: 0 },
        before: { step: 0, operation: 'launchRocket', nth: 1 },
      },
    ],
    [
      'nth counts calls from 1',
      {
        kind: 'strangersOrder',
        resource: 'r1',
        target: { x: 1, y: 0 },
        before: { step: 0, operation: 'createMission', nth: 0 },
      },
    ],
  ])('is refused: %s', (problem, fault) => {
    expect(() => new Rig([fault])).toThrow(new Error(`Fault 1 of the schedule cannot be: ${problem}.`));
  });
});

describe('simulated vendors', () => {
  const run = { idSeed: 'seed', epoch: 0, verifier };

  it('are named as loadline.json names them', () => {
    expect(simulatedVendors).toEqual(['simulated:fleet']);
    expect(['simulated:fleet', 'fleet', 'simulated:constructor'].map(isSimulated)).toEqual([
      true,
      false,
      false,
    ]);
    expect(simulatedModel('simulated:fleet')).toBe(fleet);
    expect(() => simulatedModel('simulated:tram')).toThrow(
      new Error('There is no vendor "simulated:tram" to simulate. Use simulated:fleet.'),
    );
  });

  it("start with the plan's world, the model with its own", () => {
    const plan = { world: { resources: world.resources.map((each) => ({ ...each })) }, faults: [] };
    const vendor = simulatedVendor('simulated:fleet', { ...run, plan });
    expect(vendor.record()).toEqual({ resources: world.resources, orders: [] });
    const engine = new OrderEngine({ model: fleet, faults: [], ...run });
    expect(engine.record()).toEqual({ resources: fleet.resources.start, orders: [] });
  });

  it.each<[Json, string]>([
    [null, 'The plan gives the vendor no list of resources.'],
    [{ resources: {} }, 'The plan gives the vendor no list of resources.'],
    [{ resources: [7] }, 'A resource of the plan is not an object.'],
    [
      { resources: [{ id: 'r1', status: 'idle', running: null }] },
      'A resource of the plan needs an id, a status, running: null and fields.',
    ],
  ])('refuse the world %j', (given, problem) => {
    const plan = { world: given, faults: [] };
    expect(() => simulatedVendor('simulated:fleet', { ...run, plan })).toThrow(new Error(problem));
  });
});
