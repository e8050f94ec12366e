/** What an adapter finds in its realm, and what it does not. Each adapter runs in a container of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../server/src/sandbox/sandbox.ts';
import { ok, openTestSandbox, returned, runGuest } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
});

describe('the realm', () => {
  test('has the globals of the run and no others', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const standard = new Set(['Object', 'Function', 'Array', 'Number', 'parseFloat', 'parseInt', 'Infinity', 'NaN',
  'undefined', 'Boolean', 'String', 'Symbol', 'Date', 'Promise', 'RegExp', 'Error', 'AggregateError', 'EvalError',
  'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'globalThis', 'JSON', 'Math', 'Intl',
  'ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array',
  'Uint8ClampedArray', 'Float32Array', 'Float64Array', 'DataView', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Map',
  'Set', 'WeakMap', 'WeakSet', 'Proxy', 'Reflect', 'Iterator', 'decodeURI', 'decodeURIComponent', 'encodeURI',
  'encodeURIComponent', 'escape', 'unescape', 'eval', 'isFinite', 'isNaN']);
module.exports.run = () => ({
  own: Object.getOwnPropertyNames(globalThis).filter((name) => !standard.has(name)).sort(),
  enumerable: Object.keys(globalThis),
  local: [typeof module, typeof exports, typeof require, typeof __filename, typeof process, typeof Buffer],
  client: Object.getOwnPropertyDescriptor(globalThis, 'fleet').writable,
});`,
    });
    expect(returned(outcome)).toEqual({
      own: [
        'AbortController',
        'AbortSignal',
        'clearImmediate',
        'clearInterval',
        'clearTimeout',
        'console',
        'fleet',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'setInterval',
        'setTimeout',
      ],
      enumerable: ['fleet'],
      local: ['object', 'object', 'undefined', 'undefined', 'undefined', 'undefined'],
      client: false,
    });
  });

  test('makes everything the adapter gets in the adapter’s realm', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const own = (value) => {
  for (let link = value; link !== null; link = Object.getPrototypeOf(link)) {
    if (link === Object.prototype) return true;
  }
  return false;
};
const seen = (value) => own(value) && value.constructor.constructor === Function;
module.exports.run = async (list, object) => {
  const body = await fleet.get('/robots');
  const error = await fleet.get('/missing').catch((error) => error);
  const refused = await fleet.refuse('no').catch((error) => error);
  const controller = new AbortController();
  controller.abort();
  const aborted = await fleet.get('/robots', { signal: controller.signal }).catch((error) => error);
  const timer = setTimeout(() => {}, 1);
  clearTimeout(timer);
  const frames = (() => {
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_error, frames) => frames;
    const { stack } = new Error('frames');
    Error.prepareStackTrace = before;
    return stack;
  })();
  const reached = frames.map((frame) => [frame.getThis(), frame.getFunction()]).flat();
  return {
    arguments: [seen(list), list instanceof Array, seen(object), object instanceof Object],
    body: [seen(body), body instanceof Object, seen(body.robots), body.robots instanceof Array],
    errors: [error, refused, aborted].map((each) => each instanceof Error && seen(each)),
    promise: [fleet.get('/robots'), (async () => {})()].map((each) => each instanceof Promise && seen(each)),
    functions: [setTimeout, console.log, Date.now, Math.random, AbortSignal.timeout, performance.now,
      fleet.get, queueMicrotask].map((each) => each instanceof Function && seen(each)),
    objects: [timer, controller, controller.signal, console, performance, new Date(), module, exports].map(seen),
    frames: frames.map(seen),
    reached: reached.filter((value) => value !== undefined && value !== globalThis && !own(value)).length,
    global: globalThis instanceof Object,
  };
};`,
      steps: [[{ export: 'run', args: [[1], { a: 1 }] }]],
      answer: (call) =>
        call.target === '/missing'
          ? {
              result: {
                ...{ ok: false, status: 404, origin: 'vendor', sent: 'yes', outcome: 'refused' },
                ...{ retryAfterMs: 0, body: { detail: 'none' }, message: 'no such robot' },
              },
            }
          : ok({ robots: [] }),
    });
    const value = returned(outcome) as Record<string, boolean[]>;
    for (const [name, checks] of Object.entries(value)) {
      if (Array.isArray(checks)) expect([name, checks.filter((check) => !check)]).toEqual([name, []]);
    }
    expect([value.reached, value.global]).toEqual([0, true]);
  });

  test('compiles no text and loads no module', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const attempt = async (action) => {
  try { return await action(); } catch (error) { return error.name; }
};
module.exports.run = async () => ({
  eval: await attempt(() => eval('1')),
  function: await attempt(() => new Function('return 1')()),
  async: await attempt(() => (async () => {}).constructor('return 1')()),
  generator: await attempt(() => (function* () {}).constructor('yield 1')().next().value),
  indirect: await attempt(() => fleet.get.constructor('return 1')()),
  timer: await attempt(() => setTimeout('1', 1)),
  import: await attempt(() => import('node:fs')),
  // The engine makes this error outside; it must lead nowhere.
  outside: await attempt(async () => {
    const error = await import('node:fs').catch((error) => error);
    return error.constructor.constructor('return process')().version;
  }),
});`,
    });
    expect(returned(outcome)).toEqual({
      eval: 'EvalError',
      function: 'EvalError',
      async: 'EvalError',
      generator: 'EvalError',
      indirect: 'EvalError',
      timer: 'TypeError',
      import: 'TypeError',
      outside: 'TypeError',
    });
  });

  test('errors of calls say who, whether it was sent, and what may have happened', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const shown = (error) => ({ ...error, name: error.name, message: error.message, text: String(error),
  trace: error.stack.split('\\n').slice(0, 2) });
module.exports.run = async () => [
  await fleet.post('/orders', {}).catch(shown),
  await fleet.refuse('There is no robot "r9".').catch((error) => ({ ...shown(error), trace: [] })),
];`,
      answer: () => ({
        result: {
          ...{ ok: false, status: 503, origin: 'broker', sent: 'no', outcome: 'none', retryAfterMs: 900 },
          ...{ body: { __proto__: null, retry: true }, message: 'The vendor asked for a pause.' },
        },
      }),
    });
    expect(returned(outcome)).toEqual([
      {
        ...{
          status: 503,
          origin: 'broker',
          sent: 'no',
          outcome: 'none',
          retryAfterMs: 900,
          body: { retry: true },
        },
        ...{ name: 'VendorCallError', message: 'The vendor asked for a pause.' },
        text: 'VendorCallError: The vendor asked for a pause.',
        trace: [
          'VendorCallError: The vendor asked for a pause.',
          '    at module.exports.run (adapter.js:5:15)',
        ],
      },
      {
        ...{ status: 0, origin: 'client', sent: 'no', outcome: 'none', retryAfterMs: 0, body: null },
        ...{ name: 'VendorCallError', message: 'There is no robot "r9".' },
        ...{ text: 'VendorCallError: There is no robot "r9".', trace: [] },
      },
    ]);
  });

  test('bodies are plain data both ways', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
Object.prototype.toJSON = function () { return 'chosen'; };
JSON.stringify = () => '"chosen"';
JSON.parse = () => 'chosen';
Array.prototype.map = Promise.prototype.then = Reflect.apply = () => { throw new Error('tampered'); };
module.exports.run = async () => {
  const body = await fleet.post('/echo', { ['__proto__']: 1, n: -0, toJSON: undefined });
  const odd = [];
  for (const value of [() => 1, { a: [1n] }, { get a() { return 1; } }, new Proxy({}, {}), new Date(0)]) {
    try { await fleet.post('/odd', value); } catch (error) { odd.push(error.message); }
  }
  const key = Object.keys(body)[0];
  return { key, own: Object.hasOwn(body, '__proto__'), polluted: {}.a === undefined, odd };
};`,
      answer: () => ok(JSON.parse('{"__proto__":{"a":1}}')),
    });
    expect(outcome.calls.map(({ body }) => body)).toEqual([JSON.parse('{"__proto__":1,"n":0}')]);
    expect(returned(outcome)).toEqual({
      key: '__proto__',
      own: true,
      polluted: true,
      odd: [
        'The body is no JSON value: function.',
        'The body holds something that is no JSON value.',
        'The body holds something that is no JSON value.',
        'The body is no JSON value: proxy.',
        'The body is no JSON value: class instance.',
      ],
    });
  });
});

describe('abort', () => {
  test('signals behave as on the platform', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const events = [];
  const controller = new AbortController();
  const { signal } = controller;
  const listener = (event) => events.push(['listener', event.type, event.target === signal]);
  signal.addEventListener('abort', listener);
  signal.addEventListener('abort', listener);
  signal.addEventListener('abort', { handleEvent: () => events.push(['object']) }, { once: true });
  signal.addEventListener('abort', () => { throw new Error('a listener'); });
  const removed = () => events.push(['removed']);
  signal.addEventListener('abort', removed);
  signal.removeEventListener('abort', removed);
  signal.onabort = () => events.push(['onabort']);
  const any = AbortSignal.any([AbortSignal.timeout(50), signal]);
  const reason = new Error('enough');
  controller.abort(reason);
  controller.abort(new Error('again'));
  const thrown = (() => { try { signal.throwIfAborted(); } catch (error) { return error === reason; } })();
  const plain = AbortSignal.abort();
  return { events, aborted: [signal.aborted, any.aborted, AbortSignal.any([]).aborted], reasons: [any.reason === reason, thrown],
    plain: [plain.reason.name, plain.reason.code, plain.reason instanceof Error],
    made: (() => { try { return new AbortSignal(); } catch (error) { return error.name; } })() };
};`,
    });
    expect(returned(outcome)).toEqual({
      events: [['onabort'], ['listener', 'abort', true], ['object']],
      aborted: [true, true, false],
      reasons: [true, true],
      plain: ['AbortError', 20, true],
      made: 'TypeError',
    });
    expect(outcome.log).toContain('An abort listener threw: Error: a listener');
  });

  test('a timeout ends the wait for an answer on the run’s clock; the call itself goes on', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const started = Date.now();
  const error = await fleet.get('/slow', { signal: AbortSignal.timeout(5000) }).catch((error) => error);
  const wrong = await fleet.get('/slow', { signal: {} }).catch((error) => error.message);
  const after = Date.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 60000));
  return { name: error.name, code: error.code, isError: error instanceof Error, after, wrong };
};`,
      answer: () => ok({ late: true }, 30_000),
    });
    expect(returned(outcome)).toEqual({
      ...{ name: 'TimeoutError', code: 23, isError: true, after: 5_000 },
      wrong: 'The option signal must be an AbortSignal.',
    });
    expect([outcome.calls.length, outcome.now]).toEqual([1, 65_000]);
  });
});
