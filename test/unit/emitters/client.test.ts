import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchTarget, routesOf } from '../../../server/src/grant/match.ts';
import { type ClientFactory, type ClientRequest, emitClient } from '../../../shared/src/surface/client.ts';
import type { Operation, Schema, Surface } from '../../../shared/src/surface/surface.ts';
import { answer, FLEET, grant, json, operation, parameter, surface } from './surfaces.ts';

interface Realm {
  client: Record<string, (...values: unknown[]) => Promise<unknown>>;
  requests: ClientRequest[];
  run: (code: string) => unknown;
}

/** Our own generated script in a fresh realm; `before` runs after the script was evaluated, as adapter code would. */
function realm(from: Surface, before = ''): Realm {
  const context = createContext({});
  const run = (code: string) => new Script(code).runInContext(context);
  const factory = run(emitClient(from)) as ClientFactory;
  const requests: ClientRequest[] = [];
  const client = factory(
    async (request) => {
      requests.push(request);
      return { ok: true };
    },
    (message) => Object.assign(new Error(message), { name: 'VendorCallError', origin: 'client' }),
  );
  run(before);
  return { client, requests, run };
}

function plain(request: ClientRequest | undefined): unknown {
  return JSON.parse(JSON.stringify(request ?? null));
}

async function message(promise: Promise<unknown> | undefined): Promise<string> {
  if (promise === undefined) return 'no such method';
  return await promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** One granted operation `op` with these parts. */
function single(extra: Partial<Operation>, path = '/x'): Surface {
  return surface([operation('op', 'POST', path, { grant: grant('POST /x'), ...extra })]);
}

function query(schema: Schema, style: string, explode: boolean): Surface {
  return single({
    grant: grant('POST /x', { query: ['q'] }),
    parameters: [parameter('q', 'query', schema, { style, explode })],
  });
}

async function target(from: Surface, ...values: unknown[]): Promise<string> {
  const { client, requests } = realm(from);
  await client.op?.(...values);
  return requests[0]?.target ?? 'nothing sent';
}

describe('requests', () => {
  test('a call without arguments', async () => {
    const { client, requests } = realm(FLEET);
    expect(await client.listRobots?.()).toEqual({ ok: true });
    expect(plain(requests[0])).toEqual({ method: 'GET', target: '/robots', headers: {} });
  });

  test('path values, body, headers and signal', async () => {
    const { client, requests } = realm(FLEET);
    const body = { target: { x: 1, y: 2 } };
    const signal = new AbortController().signal;
    await client
      .createMission?.('r 1?', body, {
        headers: { 'x-TRACE': 'a', 'X-Trace2': undefined },
        signal,
      })
      .catch(() => undefined);
    expect(requests).toEqual([]);
    await client.createMission?.('r 1?', body, { headers: { 'x-TRACE': 'a' }, signal });
    expect(requests[0]?.body).toBe(body);
    expect(requests[0]?.signal).toBe(signal);
    expect(plain(requests[0])).toEqual({
      method: 'POST',
      target: '/robots/r%201%3F/missions',
      headers: { 'x-trace': 'a' },
      body,
      contentType: 'application/json',
      signal: {},
    });
  });

  test('a parameter that is a part of a segment', async () => {
    const { client, requests } = realm(FLEET);
    await client.cancelMission?.('m1');
    expect(requests[0]?.target).toBe('/missions/m1:cancel');
    const file = surface([
      operation('op', 'GET', '/files/{name}.json/{a}-{b}', { grant: grant('GET /files/*') }),
    ]);
    expect(await target(file, 'x.y', 1, true)).toBe('/files/x.y.json/1-true');
  });

  test('path values are spelled as encodeURIComponent does, arrays with commas', async () => {
    const from = single({ parameters: [parameter('id', 'path', true)] }, '/x/{id}');
    expect(await target(from, "é!'()*~")).toBe("/x/%C3%A9!'()*~");
    expect(await target(from, ['a', 2])).toBe('/x/a%2C2');
  });

  test('literals of a template are escaped once', async () => {
    expect(await target(single({}, '/a b/%41/é'))).toBe('/a%20b/%41/%C3%A9');
  });

  test('a form body is text', async () => {
    const { client, requests } = realm(FLEET);
    const body = {
      amount: 5,
      'a&b': 'c=d',
      list: [1, 2],
      deep: { x: { y: 'z' }, items: [{ k: 1 }] },
      gone: undefined,
    };
    await client.charge?.(body, { headers: { 'Idempotency-Key': 'k1' } });
    expect(plain(requests[0])).toEqual({
      method: 'POST',
      target: '/charges',
      headers: { 'idempotency-key': 'k1' },
      body: 'amount=5&a%26b=c%3Dd&list=1&list=2&deep%5Bx%5D%5By%5D=z&deep%5Bitems%5D%5B0%5D%5Bk%5D=1',
      contentType: 'application/x-www-form-urlencoded',
    });
  });

  test("a form follows the document's encoding", async () => {
    const schema = { type: 'object' };
    const encoding = {
      expand: { style: 'deepObject', explode: true },
      tags: { style: 'form', explode: false },
    };
    const contents = [{ mediaType: 'application/x-www-form-urlencoded', schema, encoding }];
    const { client, requests } = realm(single({ body: { required: true, contents } }));
    await client.op?.({ expand: ['a'], tags: ['x', 'y'] });
    expect(requests[0]?.body).toBe('expand%5B0%5D=a&tags=x,y');
  });

  test('an optional body may be left out, also before options', async () => {
    const { client, requests } = realm(FLEET);
    await client.charge?.(undefined, { headers: {} });
    expect(plain(requests[0])).toEqual({ method: 'POST', target: '/charges', headers: {} });
  });

  test.each([
    ['form', true, 'b c', '/x?q=b%20c'],
    ['form', true, ['a', 'b'], '/x?q=a&q=b'],
    ['form', false, ['a', 'b,c'], '/x?q=a,b%2Cc'],
    ['form', true, { a: 1, b: 2 }, '/x?a=1&b=2'],
    ['form', false, { a: 1, b: 2 }, '/x?q=a,1,b,2'],
    ['spaceDelimited', false, ['a', 'b'], '/x?q=a%20b'],
    ['spaceDelimited', true, ['a', 'b'], '/x?q=a&q=b'],
    ['pipeDelimited', false, ['a', 'b'], '/x?q=a%7Cb'],
    ['deepObject', true, { a: 1, b: { c: [true] } }, '/x?q%5Ba%5D=1&q%5Bb%5D%5Bc%5D%5B0%5D=true'],
    ['form', true, [], '/x'],
    ['form', true, undefined, '/x'],
  ])('query style %s, explode %s, %j', async (style, explode, value, expected) => {
    expect(await target(query(true, style, explode), { query: { q: value } })).toBe(expected);
  });
});

describe('refusals, always as a rejected promise', () => {
  const cases: [string, (client: Realm['client']) => Promise<unknown> | undefined, string][] = [
    [
      'not granted',
      (c) => c.decommissionRobot?.('r1'),
      'decommissionRobot is not granted: add "DELETE /robots/*" to the grant',
    ],
    ['missing value', (c) => c.getRobot?.(), 'Argument id is missing: it is getRobot(id)'],
    [
      'missing body',
      (c) => c.createMission?.('r1'),
      'Argument body is missing: it is createMission(id, body, options?)',
    ],
    ['too many', (c) => c.getRobot?.('r1', {}), 'Too many arguments: it is getRobot(id)'],
    ['empty', (c) => c.getRobot?.(''), 'getRobot: id is empty'],
    ['dot', (c) => c.getRobot?.('.'), 'getRobot: id may not be "."'],
    ['dots', (c) => c.getRobot?.('..'), 'getRobot: id may not be ".."'],
    ['slash', (c) => c.getRobot?.('a/b'), 'getRobot: id may not contain "/": it is one segment of the path'],
    [
      'backslash',
      (c) => c.getRobot?.('a\\b'),
      'getRobot: id may not contain "\\": it is one segment of the path',
    ],
    ['colon', (c) => c.getRobot?.('a:b'), 'getRobot: id may not contain ":": it is one segment of the path'],
    [
      'percent',
      (c) => c.getRobot?.('a%2Fb'),
      'getRobot: id may not contain "%": values are given as they are, not percent-encoded',
    ],
    ['line break', (c) => c.getRobot?.('a\nb'), 'getRobot: id may not contain control characters'],
    ['lone surrogate', (c) => c.getRobot?.('\ud800'), 'getRobot: id is not well-formed text'],
    ['object', (c) => c.getRobot?.({}), 'getRobot: id has to be text, a finite number or a boolean'],
    ['NaN', (c) => c.getRobot?.(Number.NaN), 'getRobot: id has to be text, a finite number or a boolean'],
    ['null', (c) => c.getRobot?.(null), 'getRobot: id has to be text, a finite number or a boolean'],
    ['odd options', (c) => c.listRobots?.(5), 'listRobots: options has to be a plain object'],
    [
      'unknown option',
      (c) => c.listRobots?.({ limit: 1 }),
      'listRobots: there is no option "limit", only query, headers and signal',
    ],
    [
      'query key',
      (c) => c.listRobots?.({ query: { page: 1 } }),
      'listRobots: query key "page" is not granted',
    ],
    [
      'query value',
      (c) => c.listRobots?.({ query: { limit: null } }),
      'listRobots: query key "limit" has to be text, a finite number or a boolean',
    ],
    [
      'header',
      (c) => c.listRobots?.({ headers: { Authorization: 'x' } }),
      'listRobots: header "Authorization" is not granted',
    ],
    [
      'header twice',
      (c) => c.charge?.({}, { headers: { 'idempotency-key': 'a', 'Idempotency-Key': 'b' } }),
      'charge: header "Idempotency-Key" is given twice',
    ],
    [
      'header value',
      (c) => c.charge?.({}, { headers: { 'idempotency-key': 'a\r\nb: c' } }),
      'charge: header "idempotency-key" may contain neither line breaks nor characters beyond Latin-1',
    ],
    ['form body', (c) => c.charge?.('amount=5'), 'charge: the body has to be a plain object'],
    [
      'form value',
      (c) => c.charge?.({ when: new Map() }),
      'charge: body field "when" has to be a plain object',
    ],
    ['signal', (c) => c.listRobots?.({ signal: true }), 'listRobots: signal has to be an AbortSignal'],
  ];
  test.each(cases)('%s', async (_what, call, expected) => {
    const { client, requests } = realm(FLEET);
    expect(await message(call(client))).toBe(expected);
    expect(requests).toEqual([]);
  });

  test('a body that the client cannot write', async () => {
    const contents = [{ mediaType: 'multipart/form-data', schema: true }];
    const { client, requests } = realm(single({ body: { required: true, contents } }));
    const expected = 'op: the client cannot send a body of multipart/form-data, only JSON and forms';
    expect(await message(client.op?.())).toBe(expected);
    expect(await message(client.op?.({}))).toBe(expected);
    expect(requests).toEqual([]);
    const optional = realm(single({ body: { required: false, contents } }));
    expect(await message(optional.client.op?.())).toBe('resolved');
  });

  test('an unusable operation says why', async () => {
    const { client } = realm(single({ unusable: 'The path is\nodd.' }));
    expect(await message(client.op?.())).toBe('op is not callable: The path is odd.');
  });

  test('a getter that throws rejects with what it threw', async () => {
    const { client } = realm(FLEET);
    const options = {
      get query() {
        throw new Error('mine');
      },
    };
    expect(await message(client.listRobots?.(options))).toBe('mine');
  });
});

describe('the object', () => {
  test('methods in order, frozen, without a prototype', () => {
    const { client } = realm(FLEET);
    expect(Object.keys(client)).toEqual(FLEET.operations.map(({ name }) => name));
    expect(Object.getPrototypeOf(client)).toBe(null);
    expect(Object.isFrozen(client)).toBe(true);
    expect(Object.values(client).every((method) => Object.isFrozen(method))).toBe(true);
    expect(client.getRobot?.name).toBe('getRobot');
  });

  test('names that would change the object are no methods; of two with one name the usable one is', async () => {
    const { client, requests } = realm(
      surface([
        operation('then', 'GET', '/then', { unusable: 'reserved' }),
        operation('__proto__', 'GET', '/proto', { grant: grant('GET /proto') }),
        operation('twice', 'GET', '/a', { unusable: 'name clash' }),
        operation('twice', 'GET', '/b', { grant: grant('GET /b') }),
      ]),
    );
    expect(Object.keys(client)).toEqual(['twice']);
    await client.twice?.();
    expect(requests[0]?.target).toBe('/b');
  });

  test('same surface, same text, and nothing of the document outside literals', () => {
    expect(emitClient(FLEET)).toBe(emitClient(structuredClone(FLEET)));
    const hostile = single({
      unusable: `</script>\`${'$'}{alert(1)}\`\u2028*/\u202e`,
    });
    const text = emitClient(hostile);
    expect(text).not.toMatch(/[\u2028\u202e]/);
    expect(text.split('const apply')[0]).not.toMatch(/<|`|\$\{|\*\//);
  });

  const POLLUTION = `
    const bad = () => { throw new Error('polluted'); };
    const { defineProperty } = Object;
    const { ownKeys } = Reflect;
    const kept = ['constructor', 'prototype', 'caller', 'arguments', 'length', 'name'];
    const isKept = (key) => { for (let i = 0; i < 6; i += 1) if (kept[i] === key) return true; return false; };
    const targets = [String.prototype, Promise, Promise.prototype, RegExp.prototype, Function.prototype, Array.prototype];
    for (let i = 0; i < 6; i += 1) {
      const keys = ownKeys(targets[i]);
      for (let j = 0; j < keys.length; j += 1) {
        if (typeof keys[j] === 'string' && !isKept(keys[j])) defineProperty(targets[i], keys[j], { value: bad });
      }
    }
    Object.defineProperty(Object.prototype, 'body', { get: bad, set: bad });
    Object.defineProperty(Object.prototype, 'target', { get: bad, set: bad });
    Object.defineProperty(Array.prototype, 0, { get: bad, set: bad });
    globalThis.encodeURIComponent = bad; globalThis.String = bad; globalThis.Promise = bad; globalThis.Reflect = bad;
    Object.keys = bad; Object.create = bad; Object.freeze = bad; Array.isArray = bad; Number.isFinite = bad;
    true`;

  test('an adapter that changes every prototype changes no request', async () => {
    const from = single(
      {
        grant: grant('POST /x', { query: ['q', 'list'], headers: ['h'] }),
        body: { required: true, contents: json(true) },
        parameters: [
          parameter('q', 'query', true, { style: 'deepObject' }),
          parameter('list', 'query', true),
        ],
        answers: [answer('200', true)],
      },
      '/x/{id}',
    );
    const { client, requests, run } = realm(from, POLLUTION);
    const values = run(
      "[ 'a b', { any: 1 }, { query: { q: { a: 1 }, list: ['x', 'y'] }, headers: { H: 'v' } } ]",
    ) as unknown[];
    await client.op?.(...values);
    expect(requests[0]?.method).toBe('POST');
    expect(requests[0]?.target).toBe('/x/a%20b?q%5Ba%5D=1&list=x&list=y');
    expect(Object.entries(requests[0]?.headers ?? {})).toEqual([['h', 'v']]);
    expect(requests[0]?.body).toEqual({ any: 1 });
  });
});

describe('with the route gate', () => {
  const from = surface([
    operation('op', 'GET', '/a/{x}.json/{y}', {
      grant: grant('GET /a/*.json/*', { query: ['q', 'deep'] }),
      parameters: [
        parameter('q', 'query', true, { explode: false }),
        parameter('deep', 'query', true, { style: 'deepObject' }),
      ],
    }),
  ]);
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('.', '%2F', '.json', 'a b', '*'),
  );

  test('what the client sends is let through with the same values', async () => {
    const { client, requests } = realm(from);
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(text, { minLength: 1 }), text, async (x, y, q, deep) => {
        requests.length = 0;
        const refusal = await message(client.op?.(x, y, { query: { q, deep: { k: deep } } }));
        const [request] = requests;
        if (request === undefined) {
          expect(refusal).toMatch(/is empty|may not|is not well-formed text/);
          return;
        }
        const match = matchTarget(routesOf(from), request.method, request.target);
        if (match.kind === 'refused') {
          // In a path the client refuses them itself.
          expect(match.text).toBe('The query holds a control character.');
          return;
        }
        expect(match.path).toEqual([
          ['x', x],
          ['y', y],
        ]);
        expect(match.query).toEqual([
          ['q', q.join(',')],
          ['deep[k]', deep],
        ]);
      }),
      { numRuns: 500 },
    );
  });
});
