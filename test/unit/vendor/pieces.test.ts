import { describe, expect, it } from 'vitest';
import { fleet } from '../../../server/src/vendor/models/fleet.ts';
import { isAtTarget } from '../../../server/src/vendor/motion.ts';
import { valueAt, withNumberAt } from '../../../server/src/vendor/pointer.ts';
import { inputOf, routeCall } from '../../../server/src/vendor/route.ts';
import { render } from '../../../server/src/vendor/template.ts';
import type { Json } from '../../../shared/src/json.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';

describe('JSON Pointers', () => {
  it('find own properties only', () => {
    const value: Json = { 'a/b': { '~': 1 }, list: [1] };
    expect(valueAt(value, '/a~1b/~0')).toBe(1);
    expect(valueAt(value, '')).toBe(value);
    expect(valueAt(value, '/constructor')).toBeUndefined();
    expect(valueAt(value, '/list/0')).toBeUndefined();
  });

  it('change a number that is there, in a copy', () => {
    const value = { pose: { x: 1 }, other: {} };
    expect(withNumberAt(value, '/pose/x', 2)).toEqual({ pose: { x: 2 }, other: {} });
    expect(value.pose.x).toBe(1);
    const missing = new Error('There is no number at /pose/y, where the vendor model wants one.');
    expect(() => withNumberAt(value, '/pose/y', 2)).toThrow(missing);
  });
});

describe('templates', () => {
  it('look up, count and repeat', () => {
    const scope = { order: { id: 'o' }, resources: [{ id: 'a' }, { id: 'b' }] };
    const template = {
      kind: 'list',
      order: { $from: '/order/id' },
      count: { $count: '/resources' },
      items: {
        $each: '/resources',
        $as: 'resource',
        $item: { id: { $from: '/resource/id' }, of: { $from: '/order/id' } },
      },
    };
    expect(render(template, scope)).toEqual({
      kind: 'list',
      order: 'o',
      count: 2,
      items: [
        { id: 'a', of: 'o' },
        { id: 'b', of: 'o' },
      ],
    });
  });

  it('do not name what is not there', () => {
    expect(() => render({ $from: '/order' }, {})).toThrow(
      new Error('An answer of the vendor model names /order, which is not there.'),
    );
    expect(() => render({ $count: '/order' }, { order: 1 })).toThrow(
      new Error('An answer of the vendor model wants a list at /order.'),
    );
  });
});

describe('inputs', () => {
  it('are in the path, the query, a header or the body', () => {
    const call = routeCall(fleet.operations, {
      method: 'POST',
      target: '/robots/a%20b/missions?mode=fast%21',
      headers: { 'idempotency-key': 'k' },
      body: { target: { x: 1 } },
      call: 1,
      step: 0,
    });
    if (call === null) throw new Error('no call');
    expect(call.operation.name).toBe('createMission');
    expect(inputOf(call, { in: 'path', name: 'id' })).toBe('a b');
    expect(inputOf(call, { in: 'query', name: 'mode' })).toBe('fast!');
    expect(inputOf(call, { in: 'query', name: 'other' })).toBeUndefined();
    expect(inputOf(call, { in: 'header', name: 'idempotency-key' })).toBe('k');
    expect(inputOf(call, { in: 'header', name: 'constructor' })).toBeUndefined();
    expect(inputOf(call, { in: 'body', pointer: '/target/x' })).toBe(1);
  });
});

describe('sameJson', () => {
  it.each<[Json, Json, boolean]>([
    [{ x: 1, y: 2 }, { y: 2, x: 1 }, true],
    [{ x: 1 }, { x: 1, y: 2 }, false],
    [{ x: 1 }, { y: 1 }, false],
    [[1], { 0: 1 }, false],
    [[1, [2]], [1, [2]], true],
    [null, {}, false],
    ['1', 1, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
  });
});

describe('motion', () => {
  it('needs the numbers that the model names', () => {
    const resource = { id: 'r1', status: 'idle', running: null, fields: { pose: { x: 'a' } } };
    const order = {
      id: 'm',
      resource: 'r1',
      key: null,
      target: { x: 1, y: 1 },
      status: 'running' as const,
      progress: 0,
      credential: 1,
      error: null,
    };
    expect(() => isAtTarget(fleet.motion, resource, order)).toThrow(
      new Error('There is no number at /pose/x, where the vendor model wants one.'),
    );
  });
});
