/** Time, chance and places of calls as an adapter in a container meets them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../server/src/sandbox/sandbox.ts';
import { EPOCH, type GuestRun, ok, openTestSandbox, returned, runGuest } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
});

describe('virtual time', () => {
  test('timers, dates, formats and answers share one clock', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const look = () => ({
  now: Date.now(), iso: new Date().toISOString(), text: Date(), performance: performance.now(),
  intl: new Intl.DateTimeFormat('en', { timeStyle: 'medium' }).format(),
  parts: new Intl.DateTimeFormat('en', { second: 'numeric' }).formatToParts()[0].value,
});
module.exports.run = async () => {
  const first = look();
  await sleep(2500);
  const second = look();
  await fleet.get('/robots');
  return [first, second, look(), [
    new Date() instanceof Date, new Date(0).toISOString(), new Date(2020, 1).getMonth(), Date.UTC(2020, 1),
    new (class Day extends Date {})().getTime(), new Date().constructor === Date, Date.length, Date.name,
    performance.timeOrigin, new Intl.DateTimeFormat('en').format(0), new Date().getTimezoneOffset(),
  ]];
};`,
    });
    const at = (ms: number, clock: string, second: string) => {
      const date = new Date(EPOCH + ms);
      return {
        ...{ now: EPOCH + ms, iso: date.toISOString(), performance: ms, intl: clock, parts: second },
        text: `Fri Jan 02 2026 03:04:${second.padStart(2, '0')} GMT+0000 (Coordinated Universal Time)`,
      };
    };
    expect(JSON.parse(JSON.stringify(returned(outcome)).replaceAll('\u202f', ' '))).toEqual([
      at(0, '3:04:05 AM', '5'),
      at(2_500, '3:04:07 AM', '7'),
      at(2_520, '3:04:07 AM', '7'),
      [
        ...[true, '1970-01-01T00:00:00.000Z', 1, Date.UTC(2020, 1)],
        ...[EPOCH + 2_520, true, 7, 'Date', EPOCH, '1/1/1970', 0],
      ],
    ]);
    expect(outcome.calls.map(({ at: time }) => time)).toEqual([2_500]);
  });

  test('timers behave as in Node', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const events = [];
  const note = (name) => () => events.push(performance.now() + ' ' + name);
  setTimeout(note('zero'), 0);
  setTimeout(note('nonsense'), 'soon');
  setTimeout(note('too long'), 2 ** 31);
  setTimeout(note('fraction'), 2.9);
  setTimeout((...args) => events.push(args), 3, 'a', { b: 1 });
  setImmediate(note('immediate'));
  clearTimeout(setTimeout(note('cleared'), 1));
  clearTimeout(Number(setTimeout(note('cleared by number'), 1)));
  const timer = setTimeout(note('refreshed'), 5);
  setTimeout(() => timer.refresh(), 3);
  const interval = setInterval(() => { note('interval')(); if (performance.now() >= 8) clearInterval(interval); }, 4);
  queueMicrotask(note('microtask'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { events, timer: [timer.ref() === timer, timer.unref() === timer, timer.hasRef(), timer.ref().hasRef()] };
};`,
    });
    expect(returned(outcome)).toEqual({
      events: [
        ...['0 microtask', '1 zero', '1 nonsense', '1 too long', '1 immediate', '2 fraction'],
        ...[['a', { b: 1 }], '4 interval', '8 refreshed', '8 interval'],
      ],
      timer: [true, true, false, true],
    });
  });

  test('at one time answers come first, then timers, each with its microtasks', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const events = [];
  const after = async (name) => { await undefined; await undefined; events.push(name + ' later'); };
  const note = (name) => () => { events.push(name); void after(name); };
  setTimeout(note('timer a'), 20);
  setTimeout(note('timer b'), 20);
  const calls = [fleet.get('/a').then(note('answer a')), fleet.get('/b').then(note('answer b'))];
  await Promise.all(calls);
  await new Promise((resolve) => setTimeout(resolve, 5));
  return events;
};`,
    });
    const inOrder = ['answer a', 'answer b', 'timer a', 'timer b'].flatMap((name) => [name, `${name} later`]);
    expect(returned(outcome)).toEqual(inOrder);
  });

  test('a slow answer and forty pauses cost no real time', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
module.exports.run = async () => {
  const first = await fleet.get('/slow').catch((error) => error.status);
  for (let again = 0; again < 40; again += 1) await sleep(250);
  return [first, Date.now()];
};`,
      answer: () => ok('at last', 60_000),
      deadlineMs: 15_000,
    });
    expect(returned(outcome)).toEqual(['at last', EPOCH + 70_000]);
    // One question, for the answer; every pause after it was granted along with it.
    expect(outcome.bytes.match(/"method":"advance"/g)?.length).toBe(1);
  });

  test('timers for ever come back to the host at its budget', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: 'module.exports.run = () => new Promise(() => { setInterval(() => {}, 1); });',
    });
    expect([outcome.end, outcome.bytes.endsWith('"turns":100001}}')]).toEqual(['hang', true]);
  });

  test('a call left behind in one step is answered in the next', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
let left;
module.exports.run = async (nth) => {
  if (nth === 0) { left = fleet.get('/robots'); return 'left'; }
  return [await left, Date.now()];
};`,
      steps: [[{ export: 'run', args: [0] }], [{ export: 'run', args: [1] }]],
      answer: () => ok('answered'),
    });
    expect([returned(outcome, 0), returned(outcome, 1)]).toEqual(['left', ['answered', EPOCH + 20]]);
  });
});

describe('the real clock', () => {
  test('waits as long as it says and asks nobody', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const start = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await fleet.get('/robots');
  const error = await fleet.get('/robots', { signal: AbortSignal.timeout(5) }).catch((error) => error.name);
  return [Date.now() - start >= 60, performance.now() >= 60, error];
};`,
      clock: 'real',
    });
    expect(returned(outcome)).toEqual([true, true, 'TimeoutError']);
    expect(outcome.bytes).not.toContain('"advance"');
  });
});

describe('chance', () => {
  const adapter = `
const numbers = Array.from({ length: 1000 }, Math.random);
module.exports.run = () => [numbers.slice(0, 3), Math.min(...numbers) >= 0, Math.max(...numbers) < 1,
  Math.abs(numbers.reduce((a, b) => a + b) / 1000 - 0.5) < 0.05, new Set(numbers).size];`;

  test('starts from the run’s number', async () => {
    const run = async (random: number) => returned(await runGuest(sandbox, { adapter, load: { random } }));
    const [first, again, other] = [await run(7), await run(7), await run(8)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect((first as unknown[]).slice(1)).toEqual([true, true, true, 1_000]);
  });
});

describe('determinism', () => {
  test('the same adapter and answers give the same bytes', async () => {
    const run: GuestRun = {
      adapter: `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const retry = async (path) => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try { return await fleet.get(path, { signal: AbortSignal.timeout(300) }); }
    catch (error) { await sleep((error.retryAfterMs ?? 0) + Math.random() * 100); }
  }
  throw Object.assign(new Error('unsure ' + Date.now()), { code: 'unresolved' });
};
module.exports.run = async (...paths) => {
  const interval = setInterval(() => console.log('tick'), 37);
  try { return [await Promise.all(paths.map(retry)), Math.random(), new Date().toISOString()]; }
  finally { clearInterval(interval); }
};`,
      steps: [
        [
          { export: 'run', args: ['/a', '/b', '/c'] },
          { export: 'run', args: ['/d', '/bad'] },
        ],
        [{ export: 'run', args: ['/e'] }],
      ],
      answer: ({ target }, index) => {
        if (index % 3 !== 2 && target !== '/bad') return ok({ target, index }, 10 + (index % 5) * 100);
        return {
          result: {
            ...{ ok: false, status: 503, origin: 'broker', sent: 'no', outcome: 'none' },
            ...{ retryAfterMs: 100, body: null, message: 'later' },
          },
          afterMs: 1,
        };
      },
    };
    const first = await runGuest(sandbox, run);
    const second = await runGuest(sandbox, run);
    expect(first.end).toBe('complete');
    expect(first.calls.length).toBeGreaterThan(8);
    expect(second.bytes).toBe(first.bytes);
    expect(second.log).toBe(first.log);
  });
});

describe('sites', () => {
  test('are those of the adapter’s own code, through helpers, awaits and callbacks', async () => {
    const adapter = `const direct = () => fleet.get('/direct');
const helper = (path) => {
  return fleet.get(path);
};
  async function nested() {
    await undefined;
    return helper('/nested');
  }
module.exports.run = async () => {
  await direct(); await nested();
  await [1].map(() => fleet.post('/callback', {}))[0];
  await Promise.resolve('/then').then(fleet.get);
  await new Promise((resolve) => setTimeout(async () => {
    resolve(await fleet.get('/timer'));
  }, 5));
  await Promise.all([(async () => {
    await direct();
  })()]);
};`;
    const { calls, end } = await runGuest(sandbox, { adapter });
    expect(end).toBe('complete');
    expect(calls.map(({ target, site }) => [target, site?.line, site?.column])).toEqual([
      ['/direct', 1, 28],
      ['/nested', 3, 16],
      ['/callback', 11, 29],
      ['/then', 12, 3],
      ['/timer', 14, 25],
      ['/direct', 1, 28],
    ]);
  });

  test('follow the file’s name, whatever characters it has', async () => {
    const load = { fileName: 'my (v2) [a]+$.js' };
    const adapter =
      "module.exports.run = async () => {\n  await fleet.get('/a');\n  throw new Error('b');\n};";
    const { calls, settled } = await runGuest(sandbox, { adapter, load });
    expect(calls[0]?.site).toEqual({ line: 2, column: 15 });
    expect(settled[0]?.result).toMatchObject({ kind: 'threw', error: { site: { line: 3, column: 9 } } });
  });

  test('of an uncaught call error is the place of the call', async () => {
    const adapter =
      "module.exports.run = async () => {\n  await undefined;\n  return await fleet.get('/a');\n};";
    const { settled } = await runGuest(sandbox, {
      adapter,
      answer: () => ({
        result: {
          ...{ ok: false, status: 404, origin: 'vendor', sent: 'yes', outcome: 'refused' },
          ...{ retryAfterMs: 0, body: null, message: 'none' },
        },
      }),
    });
    expect(settled[0]?.result).toEqual({
      kind: 'threw',
      error: { isError: true, name: 'VendorCallError', message: 'none', site: { line: 3, column: 22 } },
    });
  });

  test('do not depend on what the adapter does to stack traces', async () => {
    const adapter = `Error.stackTraceLimit = 0;
Error.prepareStackTrace = () => 'forged';
module.exports.run = async () => {
  await fleet.get('/a');
};`;
    const { calls, end } = await runGuest(sandbox, { adapter });
    expect([end, calls[0]?.site]).toEqual(['complete', { line: 4, column: 15 }]);
  });
});
