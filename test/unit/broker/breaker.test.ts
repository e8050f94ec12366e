import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../../server/src/broker/retryAfter.ts';
import { answer, brief, EPOCH, fleetSurface, rig, type Script } from './rig.ts';

/** Answers in turn, probes among them; the last one stays. */
function inTurn(...statuses: number[]): Script {
  return (_, __, nth) => answer(statuses[Math.min(nth, statuses.length) - 1] ?? 200);
}

describe('Retry-After, on the run clock', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 30);
  test.each([
    [undefined, null],
    ['', null],
    ['soon', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['2026', 30_000],
    ['0', 1000],
    ['1', 1000],
    ['7', 7000],
    [' 7 ', 7000],
    ['30', 30_000],
    ['31', 30_000],
    ['9'.repeat(400), 30_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7000],
    ['Sun Nov  6 08:49:37 1994', 7000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 1000],
    ['Sun, 06 Nov 1995 08:49:00 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['Sun, 06 Nov 1994 08:49:37 PST', null],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
    ['1994-11-06T08:49:37Z', null],
  ])('%s asks for %s ms', (field, expected) => {
    expect(retryAfterMs(field, now)).toBe(expected);
  });
});

describe('while it is open', () => {
  test.each([
    ['3', 3000],
    ['nonsense', 1000],
    [new Date(EPOCH + 20 + 4980).toUTCString(), 4980],
  ])('the answer with Retry-After %s and every shed call say how long to wait', async (field, ms) => {
    const { ask, start, until, broker, requests } = rig(() => answer(503, {}, { 'retry-after': field }));
    expect(brief(await ask('GET /robots'))).toBe(`503 vendor sent:yes unknown wait:${ms}`);
    await until(520);
    const shed = await start('GET /robots/r1');
    await until(521);
    expect(shed).toEqual([
      {
        at: 521,
        result: {
          ok: false,
          status: 503,
          origin: 'broker',
          sent: 'no',
          outcome: 'none',
          retryAfterMs: ms - 500,
          body: null,
          message: `The vendor asked to be left alone; call again in ${ms - 500} ms.`,
        },
      },
    ]);
    expect(broker.trace()[1]).toEqual({
      seq: 2,
      at: 520,
      elapsed: 1,
      step: 0,
      method: 'GET',
      route: '/robots/{id}',
      operation: 'getRobot',
      status: 503,
      origin: 'broker',
      sent: 'no',
      refused: 'shed',
      requestBytes: 0,
      answerBytes: 0,
    });
    expect(requests).toHaveLength(1);
  });

  test('shed calls cost neither budget; the route gate and the budgets come first', async () => {
    const { ask, until, broker } = rig(inTurn(429, 200), { callBudget: 3 });
    await ask('POST /missions/m1/cancel');
    const answers = [];
    for (let index = 0; index < 5; index += 1) answers.push(brief(await ask('POST /missions/m1/cancel')));
    expect(answers).toEqual([1000, 999, 998, 997, 996].map((ms) => `503 broker sent:no none wait:${ms}`));
    expect(brief(await ask('DELETE /robots/r1'))).toBe('403 broker sent:no none wait:0');
    await until(1020);
    expect(brief(await ask('POST /missions/m1/cancel'))).toBe('ok 200');
    expect(brief(await ask('GET /robots'))).toBe('429 broker sent:no none wait:0');
    expect(broker.counts()).toEqual({ sent: 2, refused: 2, shed: 5, perOperation: { cancelMission: 2 } });
  });

  test('a large body is shed, not measured', async () => {
    const { ask } = rig(inTurn(503));
    await ask('GET /robots');
    const large = { method: 'POST', target: '/robots/r1/missions', body: 'x'.repeat(2_000_000) };
    expect(brief(await ask(large))).toBe('503 broker sent:no none wait:1000');
  });

  test('a shorter window does not end a longer one', async () => {
    const waits = ['5', '1'];
    const { start, until } = rig((_, __, nth) =>
      answer(503, {}, { 'retry-after': waits[nth - 1] ?? '1' }, nth * 20),
    );
    const first = await start('GET /robots');
    const second = await start('GET /robots');
    await until(40);
    expect(brief(first[0]?.result)).toBe('503 vendor sent:yes unknown wait:5000');
    expect(brief(second[0]?.result)).toBe('503 vendor sent:yes unknown wait:4980');
  });

  test('a 500 opens nothing', async () => {
    const { ask } = rig(inTurn(500, 200));
    await ask('GET /robots');
    expect(brief(await ask('GET /robots'))).toBe('ok 200');
  });

  test('a 503 that comes after the limit of a call opens nothing', async () => {
    const { ask } = rig((_, __, nth) => (nth === 1 ? answer(503, {}, {}, 60_001) : answer(200)));
    expect(brief(await ask('GET /robots'))).toBe('504 broker sent:maybe unknown wait:0');
    expect(brief(await ask('GET /robots'))).toBe('ok 200');
  });

  test('sheds beyond 100 in a row, of one step and operation, are one row', async () => {
    const { ask, start, until, broker } = rig(inTurn(503));
    await ask('GET /robots');
    const body = { a: 1 };
    const create = { method: 'POST', target: '/robots/r1/missions', body };
    for (let index = 0; index < 103; index += 1) {
      await start(create);
      await until(21 + index);
    }
    expect(broker.trace()).toHaveLength(102);
    expect(broker.trace()[100]).not.toHaveProperty('count');
    expect(broker.trace()[101]).toEqual({
      seq: 102,
      at: 120,
      elapsed: 1,
      step: 0,
      method: 'POST',
      route: '/robots/{id}/missions',
      operation: 'createMission',
      status: 503,
      origin: 'broker',
      sent: 'no',
      refused: 'shed',
      requestBytes: 21,
      answerBytes: 0,
      count: 3,
    });
    await start('GET /robots');
    await start(create);
    broker.setStep(1);
    await start(create);
    expect(
      broker
        .trace()
        .map(({ seq, step, count }) => [seq, step, count])
        .slice(101),
    ).toEqual([
      [102, 0, 3],
      [103, 0, undefined],
      [104, 0, undefined],
      [105, 1, undefined],
    ]);
    expect(broker.counts()).toEqual({ sent: 1, refused: 0, shed: 106, perOperation: { listRobots: 1 } });
  });
});

describe('once the window is over', () => {
  test('after a 429 calls go on, without a probe', async () => {
    const { ask, until, requests } = rig(inTurn(429, 200));
    await ask('GET /robots');
    await until(1019);
    expect(brief(await ask('GET /robots'))).toBe('503 broker sent:no none wait:1');
    await until(1020);
    expect(brief(await ask('GET /robots'))).toBe('ok 200');
    expect(requests.map(({ now }) => now)).toEqual([0, 1020]);
  });

  test('after a 503 the next call waits for a probe that leaves no trace, then goes on', async () => {
    const { ask, until, start, broker, requests } = rig(inTurn(503, 200, 200), { callBudget: 2 });
    await ask('GET /robots');
    await until(5000);
    const next = await start('GET /robots/r1');
    expect(requests.slice(1)).toMatchObject([
      { now: 5000, request: { method: 'GET', target: '/health', call: null, step: null } },
    ]);
    expect(requests[1]?.request.headers.authorization).toBe(requests[0]?.request.headers.authorization);
    expect(broker.trace()[1]).toMatchObject({ seq: 2, at: 5000, elapsed: null, sent: 'no' });
    await until(5020);
    expect(requests.slice(2)).toMatchObject([
      { now: 5020, request: { target: '/robots/r1', call: 2, step: 0 } },
    ]);
    await until(5040);
    expect(next).toEqual([{ at: 5040, result: { ok: true, status: 200, body: {} } }]);
    expect(broker.trace().map(({ seq, at, elapsed }) => [seq, at, elapsed])).toEqual([
      [1, 0, 20],
      [2, 5000, 40],
    ]);
    expect(broker.counts()).toEqual({
      sent: 2,
      refused: 0,
      shed: 0,
      perOperation: { listRobots: 1, getRobot: 1 },
    });
  });

  test.each<[string, Script]>([
    ['an error', inTurn(503, 500)],
    ['a redirect', inTurn(503, 302)],
    ['no connection', (_, __, nth) => (nth === 1 ? answer(503) : { kind: 'unopened', afterMs: 20 })],
    ['a drop', (_, __, nth) => (nth === 1 ? answer(503) : { kind: 'dropped', afterMs: 20 })],
  ])('a probe that meets %s sheds the call and keeps it shut for 1 s more', async (_, script) => {
    const { ask, until, start, broker, requests } = rig(script, { callBudget: 2 });
    await ask('GET /robots');
    await until(2000);
    const shed = await start('GET /robots');
    await until(2021);
    expect(shed.map(({ at, result }) => [at, brief(result)])).toEqual([
      [2021, '503 broker sent:no none wait:1000'],
    ]);
    expect(broker.trace()[1]).toMatchObject({
      at: 2000,
      elapsed: 21,
      refused: 'shed',
      status: 503,
      sent: 'no',
    });
    await until(3019);
    expect(brief(await ask('GET /robots'))).toBe('503 broker sent:no none wait:1');
    expect(requests).toHaveLength(2);
    await until(3020);
    await start('GET /robots');
    expect(requests).toHaveLength(3);
    expect(broker.counts().shed).toBe(2);
  });

  test('a probe that does not answer within 2 s has failed', async () => {
    const { ask, until, start } = rig((_, __, nth) => (nth === 1 ? answer(503) : answer(200, {}, {}, 2000)));
    await ask('GET /robots');
    await until(2000);
    const shed = await start('GET /robots');
    await until(4001);
    expect(shed.map(({ at, result }) => [at, brief(result)])).toEqual([
      [4001, '503 broker sent:no none wait:1000'],
    ]);
  });

  test('calls that arrive during the probe wait for the same one, and go on in their order', async () => {
    const { ask, until, start, requests } = rig(inTurn(503, 200));
    await ask('GET /robots');
    await until(2000);
    const first = await start('GET /robots/r1');
    await until(2010);
    const second = await start('GET /robots/r2');
    await until(2060);
    expect([first, second].map(([one]) => [one?.at, brief(one?.result)])).toEqual([
      [2040, 'ok 200'],
      [2040, 'ok 200'],
    ]);
    expect(requests.map(({ request, now }) => [now, request.target])).toEqual([
      [0, '/robots'],
      [2000, '/health'],
      [2020, '/robots/r1'],
      [2020, '/robots/r2'],
    ]);
  });

  test('a failed probe sheds all who waited', async () => {
    const { ask, until, start } = rig(inTurn(503, 503));
    await ask('GET /robots');
    await until(2000);
    const calls = [await start('GET /robots/r1'), await start('GET /robots/r2')];
    await until(2021);
    expect(calls.map(([one]) => [one?.at, brief(one?.result)])).toEqual([
      [2021, '503 broker sent:no none wait:1000'],
      [2021, '503 broker sent:no none wait:1000'],
    ]);
  });

  test('an answer that opens it again during the probe wins over a healthy probe', async () => {
    const script: Script = ({ target }) => {
      if (target === '/health') return answer(200);
      if (target === '/robots/slow') return answer(429, {}, { 'retry-after': '9' }, 2010);
      return answer(503);
    };
    const { until, start } = rig(script);
    await start('GET /robots/slow');
    await start('GET /robots');
    await until(2000);
    const waiting = await start('GET /robots');
    await until(2015);
    const during = await start('GET /robots');
    await until(2030);
    expect(waiting.map(({ at, result }) => [at, brief(result)])).toEqual([
      [2021, '503 broker sent:no none wait:8990'],
    ]);
    expect(during.map(({ at, result }) => [at, brief(result)])).toEqual([
      [2016, '503 broker sent:no none wait:8995'],
    ]);
  });

  test('a body that is too large is refused after the probe', async () => {
    const { ask, until, broker } = rig(inTurn(503, 200));
    await ask('GET /robots');
    await until(2000);
    const large = { method: 'POST', target: '/robots/r1/missions', body: 'x'.repeat(2_000_000) };
    expect(brief(await ask(large))).toBe('413 broker sent:no none wait:0');
    expect(broker.trace()[1]).toMatchObject({ elapsed: 21, refused: 'body' });
  });

  test('the end of the run leaves those who wait without an answer', async () => {
    const { ask, until, start, broker, requests } = rig(inTurn(503, 200));
    await ask('GET /robots');
    await until(2000);
    const waiting = await start('GET /robots');
    broker.end();
    await until(9000);
    expect(waiting).toEqual([]);
    expect(broker.trace()[1]).toMatchObject({ status: 0, elapsed: null, sent: 'no' });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['no @health route', { health: undefined }],
    ['one that is not granted', { health: 'decommissionRobot' }],
    ['one with a parameter', { health: 'getRobot' }],
  ])('with %s nothing is probed and the call goes on', async (_, { health }) => {
    const { health: __, ...rest } = fleetSurface();
    const { ask, until, requests } = rig(inTurn(503, 200), {
      surface: health === undefined ? rest : { ...rest, health },
    });
    await ask('GET /robots');
    await until(1020);
    expect(brief(await ask('GET /robots'))).toBe('ok 200');
    expect(requests.map(({ request, now }) => [now, request.target])).toEqual([
      [0, '/robots'],
      [1020, '/robots'],
    ]);
  });

  test('five 503 in a row, walked through by waiting as long as the broker says', async () => {
    let outage = 5;
    const { ask, until, clock, broker } = rig(({ target }) =>
      answer(target === '/health' || outage-- <= 0 ? 200 : 503),
    );
    const seen: [number, string][] = [];
    while (seen.at(-1)?.[1] !== 'ok 200') {
      const result = await ask('GET /robots/r1');
      seen.push([clock.now(), brief(result)]);
      if (!result.ok) await until(clock.now() + result.retryAfterMs);
    }
    expect(seen).toEqual([
      [20, '503 vendor sent:yes unknown wait:1000'],
      [1060, '503 vendor sent:yes unknown wait:1000'],
      [2100, '503 vendor sent:yes unknown wait:1000'],
      [3140, '503 vendor sent:yes unknown wait:1000'],
      [4180, '503 vendor sent:yes unknown wait:1000'],
      [5220, 'ok 200'],
    ]);
    expect(broker.counts()).toEqual({ sent: 6, refused: 0, shed: 0, perOperation: { getRobot: 6 } });
  });
});
