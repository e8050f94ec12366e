import { describe, expect, test } from 'vitest';
import type { Json } from '../../../shared/src/json.ts';
import { AUTHORIZATION, answer, brief, rig } from './rig.ts';

async function asked(outcome: Parameters<typeof rig>[0]) {
  const { ask, broker, clock } = rig(outcome);
  const result = await ask('GET /robots');
  return { result, row: broker.trace()[0], now: clock.now(), counts: broker.counts() };
}

describe("the vendor's own statuses", () => {
  test.each([
    [200, 'ok 200'],
    [204, 'ok 204'],
    [301, '301 vendor sent:yes unknown wait:0'],
    [304, '304 vendor sent:yes unknown wait:0'],
    [400, '400 vendor sent:yes refused wait:0'],
    [401, '401 vendor sent:yes refused wait:0'],
    [404, '404 vendor sent:yes refused wait:0'],
    [408, '408 vendor sent:yes unknown wait:0'],
    [409, '409 vendor sent:yes unknown wait:0'],
    [422, '422 vendor sent:yes refused wait:0'],
    [425, '425 vendor sent:yes unknown wait:0'],
    [429, '429 vendor sent:yes none wait:1000'],
    [500, '500 vendor sent:yes unknown wait:0'],
    [502, '502 vendor sent:yes unknown wait:0'],
    [503, '503 vendor sent:yes unknown wait:1000'],
    [599, '599 vendor sent:yes unknown wait:0'],
    [100, '502 broker sent:maybe unknown wait:0'],
    [600, '502 broker sent:maybe unknown wait:0'],
    [200.5, '502 broker sent:maybe unknown wait:0'],
  ])('%d', async (status, expected) => {
    expect(brief((await asked(() => answer(status))).result)).toBe(expected);
  });

  test('status, body and a message pass through; the row says so', async () => {
    const { result, row, now } = await asked(() => answer(404, { error: 'none' }));
    expect(result).toEqual({
      ok: false,
      status: 404,
      origin: 'vendor',
      sent: 'yes',
      outcome: 'refused',
      retryAfterMs: 0,
      body: { error: 'none' },
      message: 'The vendor answered listRobots with status 404.',
    });
    expect(row).toMatchObject({ status: 404, origin: 'vendor', sent: 'yes', answerBytes: 16, elapsed: 20 });
    expect(now).toBe(20);
  });

  test('another error may ask for a wait too', async () => {
    expect(brief((await asked(() => answer(409, {}, { 'Retry-After': '7' }))).result)).toBe(
      '409 vendor sent:yes unknown wait:7000',
    );
  });
});

describe('no whole answer', () => {
  test('no connection: nothing was sent', async () => {
    const { result, row, now, counts } = await asked(() => ({ kind: 'unopened', afterMs: 5 }));
    expect(brief(result)).toBe('502 broker sent:no none wait:0');
    expect(row).toMatchObject({ status: 502, origin: 'broker', sent: 'no', elapsed: 5 });
    expect(row?.refused).toBeUndefined();
    expect(now).toBe(5);
    expect(counts).toEqual({ sent: 0, refused: 0, shed: 0, perOperation: {} });
  });

  test('dropped: it may have acted', async () => {
    const { result, row, counts } = await asked(() => ({ kind: 'dropped', afterMs: 20 }));
    expect(brief(result)).toBe('502 broker sent:maybe unknown wait:0');
    expect(row).toMatchObject({ status: 502, origin: 'broker', sent: 'maybe', elapsed: 20 });
    expect(counts).toEqual({ sent: 1, refused: 0, shed: 0, perOperation: { listRobots: 1 } });
  });

  test('a vendor that throws', async () => {
    const { result } = await asked(() => {
      throw new Error('bug');
    });
    expect(brief(result)).toBe('502 broker sent:maybe unknown wait:0');
  });

  test.each([60_000, 61_000, 1e12])('after %d ms: the limit of 60 s answers', async (afterMs) => {
    const { result, row, now } = await asked(() => answer(200, {}, {}, afterMs));
    expect(result).toMatchObject({
      status: 504,
      origin: 'broker',
      sent: 'maybe',
      outcome: 'unknown',
      message: 'The vendor did not answer listRobots within 60 s; it may have acted on it.',
    });
    expect(row).toMatchObject({ status: 504, sent: 'maybe', elapsed: 60_000, answerBytes: 0 });
    expect(now).toBe(60_000);
  });

  test('just within the limit; the limit leaves nothing on the clock', async () => {
    const { ask, clock } = rig(() => answer(200, {}, {}, 59_999));
    expect(brief(await ask('GET /robots'))).toBe('ok 200');
    expect([clock.now(), clock.next()]).toEqual([59_999, null]);
  });

  test.each([Number.NaN, -5])('a time of %d is now', async (afterMs) => {
    const { now, result } = await asked(() => answer(200, {}, {}, afterMs));
    expect([now, brief(result)]).toEqual([0, 'ok 200']);
  });
});

describe('answers that are not passed on', () => {
  test('4 MiB, exactly', async () => {
    const fits = 'x'.repeat(4 * 1024 * 1024 - 2);
    const whole = await asked(() => answer(200, fits));
    expect([brief(whole.result), whole.row?.answerBytes]).toEqual(['ok 200', 4 * 1024 * 1024]);
    const larger = await asked(() => answer(200, `${fits}x`));
    expect(brief(larger.result)).toBe('502 broker sent:maybe unknown wait:0');
    expect(larger.row).toMatchObject({ status: 502, origin: 'broker', sent: 'maybe', answerBytes: 0 });
  });

  test('nested too deep', async () => {
    const nested = (depth: number): Json => {
      let body: Json = 1;
      for (let level = 0; level < depth; level += 1) body = [body];
      return body;
    };
    expect(brief((await asked(() => answer(200, nested(256)))).result)).toBe('ok 200');
    expect(brief((await asked(() => answer(200, nested(257)))).result)).toBe(
      '502 broker sent:maybe unknown wait:0',
    );
    expect(brief((await asked(() => answer(200, nested(200_000)))).result)).toBe(
      '502 broker sent:maybe unknown wait:0',
    );
  });

  const token = AUTHORIZATION.slice('Bearer '.length);
  test.each<[string, Json]>([
    ['the header', { headers: { authorization: AUTHORIZATION } }],
    ['the token in a text', `got ${token}!`],
    ['a key', { [token]: 1 }],
    ['JSON in a text', JSON.stringify({ a: { token } })],
    ['most of it', { cut: token.slice(3, 34) }],
  ])('an echo of the credential: %s', async (_, body) => {
    const { result, row } = await asked(() => answer(200, body));
    expect(result).toEqual({
      ok: false,
      status: 502,
      origin: 'broker',
      sent: 'yes',
      outcome: 'unknown',
      retryAfterMs: 0,
      body: null,
      message: "The vendor's answer to listRobots repeats the run's credential and is withheld.",
    });
    expect(row).toMatchObject({ status: 502, origin: 'broker', sent: 'yes', answerBytes: 0 });
  });

  test('fewer than 16 characters of it are no echo', async () => {
    expect(brief((await asked(() => answer(200, token.slice(0, 15)))).result)).toBe('ok 200');
  });

  test('of a JWT the header and claims alone are no echo, its signature is', async () => {
    const signature = 'c2lnbmF0dXJlLW9mLXRoaXMtcnVuLTAxMjM0NTY3ODlhYmNkZWY';
    const authorization = `Bearer eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJicm9rZXIiLCJzdWIiOiJydW4ifQ.${signature}`;
    const asking = async (body: Json) =>
      brief(await rig(() => answer(200, body), { authorization }).ask('GET /robots'));
    expect(await asking('eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJicm9rZXIiLCJzdWIiOiJydW4ifQ')).toBe('ok 200');
    expect(await asking(signature.slice(0, 32))).toBe('502 broker sent:yes unknown wait:0');
  });
});
