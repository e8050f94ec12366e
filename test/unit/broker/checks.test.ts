import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AUTHORIZATION, answer, brief, rig } from './rig.ts';

const create = { method: 'POST', target: '/robots/r1/missions', body: { target: { x: 1, y: 2 } } };

describe('a call that is let through', () => {
  test('reaches the vendor byte for byte, with the credential, and leaves one row', async () => {
    const { ask, broker, requests, clock } = rig(() => answer(201, { mission_id: 'm1' }));
    broker.setStep(3);
    const result = await ask({
      ...create,
      headers: { 'idempotency-key': 'k-1' },
      site: { line: 4, column: 9 },
    });
    expect(result).toEqual({ ok: true, status: 201, body: { mission_id: 'm1' } });
    expect(clock.now()).toBe(20);
    expect(requests).toEqual([
      {
        now: 0,
        request: {
          method: 'POST',
          target: '/robots/r1/missions',
          headers: {
            accept: 'application/json',
            'idempotency-key': 'k-1',
            'content-type': 'application/json',
            authorization: AUTHORIZATION,
          },
          body: { target: { x: 1, y: 2 } },
          call: 1,
          step: 3,
        },
      },
    ]);
    expect(broker.trace()).toEqual([
      {
        seq: 1,
        at: 0,
        elapsed: 20,
        step: 3,
        method: 'POST',
        route: '/robots/{id}/missions',
        operation: 'createMission',
        status: 201,
        origin: 'vendor',
        sent: 'yes',
        requestBytes: 24,
        answerBytes: 19,
        site: { line: 4, column: 9 },
      },
    ]);
    expect(broker.counts()).toEqual({ sent: 1, refused: 0, shed: 0, perOperation: { createMission: 1 } });
  });

  test('has its row from its arrival on', async () => {
    const { start, broker } = rig();
    await start('GET /robots');
    expect(broker.trace()).toMatchObject([
      { seq: 1, elapsed: null, status: 0, sent: 'maybe', answerBytes: 0 },
    ]);
  });

  test('is handled in order of arrival, one after another, also when the vendor takes its time', async () => {
    const order: string[] = [];
    const { broker, clock } = rig(async ({ target }) => {
      order.push(`in ${target}`);
      await new Promise((resolve) => setTimeout(resolve, target === '/robots/r1' ? 20 : 0));
      order.push(`out ${target}`);
      return answer(200);
    });
    const calls = ['/robots/r1', '/robots/r2'].map((target) =>
      broker.call({ method: 'GET', target, headers: {}, at: 0 }),
    );
    await Promise.all(calls.map(({ registered }) => registered));
    expect(order).toEqual(['in /robots/r1', 'out /robots/r1', 'in /robots/r2', 'out /robots/r2']);
    expect(clock.next()).toBe(20);
  });
});

describe('refusals, in their order', () => {
  test('no step open', async () => {
    const { ask, broker, requests, clock } = rig();
    broker.setStep(null);
    expect(await ask('DELETE /robots/r1')).toEqual({
      ok: false,
      status: 503,
      origin: 'broker',
      sent: 'no',
      outcome: 'none',
      retryAfterMs: 0,
      body: null,
      message: 'No step is open; an adapter may call only while it is asked for something.',
    });
    expect(clock.now()).toBe(1);
    expect(requests).toEqual([]);
    expect(broker.strayCalls()).toBe(1);
    expect(broker.trace()).toEqual([
      {
        seq: 1,
        at: 0,
        elapsed: 1,
        step: null,
        method: 'DELETE',
        route: '/robots/{id}',
        operation: 'decommissionRobot',
        status: 503,
        origin: 'broker',
        sent: 'no',
        refused: 'no-step',
        requestBytes: 0,
        answerBytes: 0,
      },
    ]);
  });

  test('the run ended: later calls are refused, calls under way are answered no more', async () => {
    const { start, until, ask, broker, requests } = rig();
    const underWay = await start('GET /robots');
    const refused = await start('DELETE /robots/r1');
    broker.end();
    await until(100_000);
    expect([underWay, refused]).toEqual([[], []]);
    expect(brief(await ask('GET /robots'))).toBe('503 broker sent:no none wait:0');
    expect(broker.trace().map(({ refused: by, status, elapsed }) => [by, status, elapsed])).toEqual([
      [undefined, 0, null],
      ['route', 0, null],
      ['run-ended', 503, 1],
    ]);
    expect(requests).toHaveLength(1);
    expect(broker.strayCalls()).toBe(1);
  });

  test('the run ended while a call waited for its turn: the vendor never sees it', async () => {
    const { broker, requests } = rig(async () => {
      broker.end();
      return answer(200);
    });
    const first = broker.call({ method: 'GET', target: '/robots', headers: {}, at: 0 });
    const second = broker.call({ method: 'GET', target: '/robots', headers: {}, at: 0 });
    await Promise.all([first.registered, second.registered]);
    expect(requests).toHaveLength(1);
  });

  test('17 calls at once: the 17th is refused and costs no budget', async () => {
    const { start, until, broker, requests } = rig(undefined, { callBudget: 17 });
    const answers = [];
    for (let index = 0; index < 17; index += 1) answers.push(await start('GET /robots'));
    await until(20);
    expect(answers.map(([one]) => brief(one?.result))).toEqual([
      ...Array(16).fill('ok 200'),
      '429 broker sent:no none wait:0',
    ]);
    expect(broker.trace()[16]).toMatchObject({ refused: 'in-flight', elapsed: 1 });
    expect(requests).toHaveLength(16);
    expect((await start('GET /robots')) && requests).toHaveLength(17);
  });

  test('call budget: refused calls count, then everything is 429', async () => {
    const { ask, broker, requests } = rig(undefined, { callBudget: 3 });
    const answers = [];
    for (const call of [
      'GET /robots',
      'DELETE /robots/r1',
      'GET /robots',
      'DELETE /robots/r1',
      'GET /robots',
    ]) {
      answers.push(brief(await ask(call)));
    }
    expect(answers).toEqual([
      'ok 200',
      '403 broker sent:no none wait:0',
      'ok 200',
      '429 broker sent:no none wait:0',
      '429 broker sent:no none wait:0',
    ]);
    expect(broker.trace().map((row) => row.refused)).toEqual([
      undefined,
      'route',
      undefined,
      'budget',
      'budget',
    ]);
    expect(broker.counts()).toEqual({ sent: 2, refused: 3, shed: 0, perOperation: { listRobots: 2 } });
    expect(requests).toHaveLength(2);
  });

  test('the default budget is 1,000 calls', async () => {
    const { ask, broker } = rig();
    for (let index = 0; index < 1001; index += 1) await ask('GET /robots');
    expect(broker.counts()).toEqual({ sent: 1000, refused: 1, shed: 0, perOperation: { listRobots: 1000 } });
  });

  test.each([
    ['GET /nowhere', null, 'The vendor document has no operation with this method and path.'],
    ['DELETE /robots/r1', 'decommissionRobot', 'The grant does not allow DELETE /robots/{id}.'],
    ['GET /robots/..', null, 'A path segment consists of dots only.'],
    [
      'GET /robots?secret=1',
      'listRobots',
      'The grant of GET /robots does not let a query key through that this call carries.',
    ],
  ])('the route gate: %s', async (call, operation, message) => {
    const { ask, broker, requests } = rig();
    expect(await ask(call)).toMatchObject({
      ok: false,
      status: 403,
      origin: 'broker',
      sent: 'no',
      outcome: 'none',
      message,
    });
    expect(broker.trace()).toMatchObject([{ refused: 'route', operation, status: 403 }]);
    expect(requests).toEqual([]);
  });

  test.each([
    [{ 'x-other': '1' }, 'The grant does not let a header through that this call carries.'],
    [{ 'Idempotency-Key': '1' }, 'The grant does not let a header through that this call carries.'],
    [
      { authorization: 'Bearer mine' },
      "The header authorization is the broker's own and cannot be set by an adapter.",
    ],
    [
      { 'idempotency-key': 'a\r\nhost: b' },
      'The value of the header idempotency-key must be Latin-1 text without control characters, of at most 4096 characters.',
    ],
  ])('headers: %j', async (headers, message) => {
    const { ask, requests } = rig();
    expect(await ask({ ...create, headers: headers as Record<string, string> })).toMatchObject({
      status: 403,
      message,
    });
    expect(requests).toEqual([]);
  });

  test('a content type that is no media type', async () => {
    const { ask, requests } = rig();
    expect(await ask({ ...create, contentType: 'text/plain\r\nx: y' })).toMatchObject({
      status: 403,
      message: 'The content type of the body is no media type.',
    });
    expect(requests).toEqual([]);
  });

  test('budget of a route', async () => {
    const { ask, broker, requests } = rig();
    const answers = [];
    for (let index = 0; index < 3; index += 1) answers.push(brief(await ask('POST /missions/m1/cancel')));
    expect(answers).toEqual(['ok 200', 'ok 200', '429 broker sent:no none wait:0']);
    expect(broker.trace()[2]).toMatchObject({ refused: 'route-budget' });
    expect(requests).toHaveLength(2);
  });

  test('a body over 1 MiB, exactly', async () => {
    const { ask, broker, requests } = rig();
    const fits = 'x'.repeat(1024 * 1024 - 2);
    expect(brief(await ask({ ...create, body: fits }))).toBe('ok 200');
    expect(brief(await ask({ ...create, body: `${fits}x` }))).toBe('413 broker sent:no none wait:0');
    expect(brief(await ask({ ...create, body: fits.replace('xx', 'ü').replace('x', 'ü') }))).toBe(
      '413 broker sent:no none wait:0',
    );
    expect(broker.trace().map((row) => [row.refused, row.requestBytes])).toEqual([
      [undefined, 1024 * 1024],
      ['body', 1024 * 1024 + 1],
      ['body', 1024 * 1024 + 1],
    ]);
    expect(requests).toHaveLength(1);
  });
});

test('whatever is asked for, nothing that is not granted reaches the vendor', async () => {
  const granted =
    /^(?:GET (?:\/health|\/robots(?:\?limit=[\w%.~,-]*(?:&limit=[\w%.~,-]*)*)?|\/robots\/[^/:;?#]+)|POST (?:\/robots|\/missions)\/[^/:;?#]+\/(?:missions|cancel))$/;
  const segment = fc.oneof(
    fc.constantFrom(
      'robots',
      'r1',
      'missions',
      'cancel',
      'health',
      '..',
      '.',
      '%2e%2e',
      'r1%2Fmissions',
      'ROBOTS',
      '',
      '%72obots',
    ),
    fc.string({ maxLength: 3 }),
  );
  const known = fc.constantFrom(
    '/robots',
    '/health',
    '/robots/r1',
    '/robots/r1/missions',
    '/missions/m1/cancel',
  );
  const made = fc
    .tuple(
      fc.constantFrom('/', '', '//', 'http://x/', '/robots/'),
      fc.array(segment, { minLength: 1, maxLength: 4 }),
    )
    .map(([start, segments]) => start + segments.join('/'));
  const end = fc.constantFrom('', '', '?limit=1', '?limit=1&limit=2', '?admin=1', '?limit=1&a=b', '#x');
  const dangerous = fc.constantFrom('idempotency-key', 'authorization', 'host', '__proto__');
  const call = fc.record({
    method: fc.constantFrom('GET', 'POST', 'GET', 'POST', 'DELETE', 'get', 'PUT', 'CONNECT'),
    target: fc.tuple(fc.oneof(known, made), end).map(([path, rest]) => path + rest),
    headers: fc.oneof(fc.constant({}), fc.dictionary(dangerous, fc.string({ maxLength: 5 }), { maxKeys: 2 })),
  });
  let through = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
      const { start, until, requests } = rig();
      for (const one of calls) await start(one);
      await until(100);
      for (const { request } of requests) {
        expect(`${request.method} ${request.target}`).toMatch(granted);
        expect(request.headers.authorization).toBe(AUTHORIZATION);
        expect(
          Object.keys(request.headers).filter(
            (name) => !['accept', 'authorization', 'idempotency-key'].includes(name),
          ),
        ).toEqual([]);
        through += 1;
      }
    }),
    { numRuns: 3000, seed: 7 },
  );
  expect(through).toBeGreaterThan(500);
});
