/** Adapters that are wrong in every way: how they end and what is still known. Each runs in a container of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../server/src/sandbox/sandbox.ts';
import { LIMITS } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import { ok, openTestSandbox, returned, runGuest } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
});

describe('loading', () => {
  test.each<[string, string, string, string, number, number]>([
    ['a syntax error', 'const a = 1;\n\tlet b c;', 'SyntaxError', "Unexpected identifier 'c'", 2, 8],
    ['a syntax error in the first line', 'let a b;', 'SyntaxError', "Unexpected identifier 'b'", 1, 7],
    [
      'a second declaration',
      'let a;\nlet a;',
      'SyntaxError',
      "Identifier 'a' has already been declared",
      2,
      5,
    ],
    [
      ...(['ESM import', "import fs from 'fs';", 'SyntaxError'] as const),
      'An adapter is a CommonJS module: use module.exports instead of import and export. (Cannot use import statement outside a module)',
      ...([1, 1] as const),
    ],
    [
      ...(['ESM export', '\nexport const run = 1;', 'SyntaxError'] as const),
      "An adapter is a CommonJS module: use module.exports instead of import and export. (Unexpected token 'export')",
      ...([2, 1] as const),
    ],
    ['a throw', "\n  throw new TypeError('no settings');", 'TypeError', 'no settings', 2, 9],
    [
      ...(['require', "const fs = require('node:fs');", 'ReferenceError'] as const),
      'require is not defined: an adapter is one file and loads no other modules.',
      ...([1, 12] as const),
    ],
    ['process', 'process.exit(0);', 'ReferenceError', 'process is not defined', 1, 1],
    [
      'a hashbang before it',
      '#!/usr/bin/env node\nmissing();',
      'ReferenceError',
      'missing is not defined',
      2,
      1,
    ],
  ])('%s', async (_name, adapter, name, message, line, column) => {
    const { load, end } = await runGuest(sandbox, { adapter });
    expect(load).toEqual({ loaded: false, error: { isError: true, name, message, site: { line, column } } });
    expect(end).toBe('complete');
  });

  test('a thrown value that is no error', async () => {
    const { load } = await runGuest(sandbox, { adapter: "throw { name: 'Odd', message: 'x', code: 7 };" });
    expect(load).toEqual({ loaded: false, error: { isError: false, name: 'Odd', message: 'x', code: 7 } });
  });

  test('exports are read once, whatever holds them', async () => {
    const { load, log } = await runGuest(sandbox, {
      adapter: `
class Adapter { inherited() {} }
module.exports = new Adapter();
Object.defineProperty(module.exports, 'got', { get: () => () => {} });
Object.defineProperty(module.exports, 'broken', { get: () => { throw new Error('not now'); } });
module.exports.text = 'a';`,
      load: { exports: ['inherited', 'got', 'broken', 'text', 'absent', 'toString'] },
    });
    expect(load).toEqual({
      loaded: true,
      exports: ['inherited', 'got', 'toString'],
      missing: ['broken', 'text', 'absent'],
    });
    expect(log).toContain('Reading the export broken failed: Error: not now');
  });

  test('exports of a proxy, of nothing, and of a trap that throws', async () => {
    const trap = 'module.exports = new Proxy({}, { get: () => { throw 1; } });';
    const give = 'module.exports = new Proxy({}, { get: (_target, name) => async () => name });';
    const [broken, nothing, given] = [
      await runGuest(sandbox, { adapter: trap }),
      await runGuest(sandbox, { adapter: 'module.exports = null;' }),
      await runGuest(sandbox, { adapter: give }),
    ];
    expect(broken.load).toEqual({ loaded: true, exports: [], missing: ['run'] });
    expect(nothing.load).toEqual({ loaded: true, exports: [], missing: ['run'] });
    expect(returned(given)).toBe('run');
  });
});

describe('what invocations give', () => {
  const of = async (body: string): Promise<Json> => {
    const { settled } = await runGuest(sandbox, { adapter: `module.exports.run = ${body};` });
    return JSON.parse(JSON.stringify(settled.map(({ result }) => result)));
  };

  test.each<[string, string, unknown]>([
    ['nothing', 'async () => {}', { kind: 'returned', value: null }],
    ['a value at once', '() => [1]', { kind: 'returned', value: [1] }],
    ['a thenable', '() => ({ then: (give) => give({ a: 1 }) })', { kind: 'returned', value: { a: 1 } }],
    [
      'a thenable that gives twice and throws',
      "() => ({ then(give, fail) { give('first'); give('second'); fail(1); throw 2; } })",
      { kind: 'returned', value: 'first' },
    ],
    [
      'a thenable whose getter throws',
      "() => ({ get then() { throw new RangeError('mine'); } })",
      {
        kind: 'threw',
        error: { isError: true, name: 'RangeError', message: 'mine', site: { line: 1, column: 50 } },
      },
    ],
    [
      'a promise with a then of its own',
      "() => Object.assign(Promise.resolve(1), { then: (give) => give('mine'), constructor: 1 })",
      { kind: 'returned', value: 'mine' },
    ],
    [
      'odd parts, named',
      `() => ({ date: new Date(0), map: new Map(), big: 1n, nan: NaN, fn() {}, half: '\\ud800', get g() { return 1; },
        p: new Proxy({}, {}), toJSON: () => 'chosen', ['__proto__']: { a: 1 } })`,
      {
        kind: 'returned',
        value:
          JSON.parse(`{"date":{"$odd":"class instance"},"map":{"$odd":"class instance"},"big":{"$odd":"bigint"},
          "nan":{"$odd":"not finite"},"fn":{"$odd":"function"},"half":{"$odd":"lone surrogate"},
          "g":{"$odd":"getter"},"p":{"$odd":"proxy"},"toJSON":{"$odd":"function"},"__proto__":{"a":1}}`),
      },
    ],
    [
      'a cycle',
      '() => { const a = []; a.push(a); return a; }',
      { kind: 'returned', value: [{ $odd: 'cycle' }] },
    ],
    ['a report too large', "() => 'x'.repeat(1100000)", { kind: 'returned', value: { $odd: 'too large' } }],
    [
      'an error with a code',
      "async () => { throw Object.assign(new Error('unsure'), { code: 'unresolved' }); }",
      {
        kind: 'threw',
        error: {
          ...{ isError: true, name: 'Error', message: 'unsure', code: 'unresolved' },
          site: { line: 1, column: 56 },
        },
      },
    ],
    [
      'an error with getters',
      "async () => { throw Object.defineProperty(new Error('plain'), 'code', { get: () => 'refused' }); }",
      {
        kind: 'threw',
        error: { isError: true, name: 'Error', message: 'plain', site: { line: 1, column: 64 } },
      },
    ],
    [
      'an error that cannot even be shown',
      "async () => { throw Object.defineProperty(new Error('plain'), 'name', { get: () => { throw 1; } }); }",
      { kind: 'threw', error: { isError: true, name: 'Error', message: 'plain' } },
    ],
    [
      'an error of a class',
      "async () => { class Lost extends Error { name = 'Lost'; code = 'unresolved'; } throw new Lost('a'); }",
      {
        kind: 'threw',
        error: {
          ...{ isError: true, name: 'Lost', message: 'a', code: 'unresolved' },
          site: { line: 1, column: 107 },
        },
      },
    ],
    [
      'text',
      "async () => { throw 'a'; }",
      { kind: 'threw', error: { isError: false, name: 'string', message: 'a' } },
    ],
    [
      'a proxy of an error',
      "async () => { throw new Proxy(new Error('a'), {}); }",
      { kind: 'threw', error: { isError: false, name: 'object', message: '' } },
    ],
    [
      'no error at all',
      'async () => { throw Object.create(Error.prototype); }',
      { kind: 'threw', error: { isError: false, name: 'Error', message: '' } },
    ],
  ])('%s', async (_name, body, expected) => {
    expect(await of(body)).toEqual([expected]);
  });

  test('two invocations start in one turn and are told apart, each with arguments of its own', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const started = [];
module.exports.run = async (name, target) => {
  started.push(name);
  target.x += 1;
  if (name === 'a') await fleet.get('/a');
  return [[...started], target];
};`,
      steps: [
        [
          { export: 'run', args: ['a', { x: 1 }] },
          { export: 'run', args: ['b', { x: 1 }] },
        ],
        [{ export: 'run', args: ['c', JSON.parse('{"x":1,"__proto__":2}')] }],
      ],
    });
    expect(outcome.settled.map(({ step, invocation, at, result }) => [step, invocation, at, result])).toEqual(
      [
        [0, 1, 0, { kind: 'returned', value: [['a', 'b'], { x: 2 }] }],
        [0, 0, 20, { kind: 'returned', value: [['a', 'b'], { x: 2 }] }],
        [1, 0, 20, { kind: 'returned', value: [['a', 'b', 'c'], JSON.parse('{"x":2,"__proto__":2}')] }],
      ],
    );
  });
});

describe('dying', () => {
  const reportFirst = (then: string) => `
module.exports.run = async (nth) => { if (nth === 0) return 'so far'; ${then} };`;
  const steps = [[{ export: 'run', args: [0] }], [{ export: 'run', args: [1] }]];

  test.each([
    ['a loop for ever', 'for (;;);'],
    ['a microtask loop for ever', 'for (;;) await undefined;'],
  ])('%s still shows how far it came', async (_name, then) => {
    const outcome = await runGuest(sandbox, { adapter: reportFirst(then), steps, deadlineMs: 4_000 });
    expect([outcome.end, returned(outcome)]).toEqual(['deadline', 'so far']);
  });

  test('memory without end', async () => {
    const adapter = reportFirst('const all = []; for (;;) all.push(new Array(1e5).fill(all.length));');
    const outcome = await runGuest(sandbox, { adapter, steps });
    expect([outcome.end, returned(outcome)]).toEqual(['exited', 'so far']);
    expect(outcome.log).toContain('heap out of memory');
  });

  test('a wait for nothing is a hang, told at once', async () => {
    const outcome = await runGuest(sandbox, { adapter: reportFirst('await new Promise(() => {});'), steps });
    expect([outcome.end, returned(outcome), outcome.now]).toEqual(['hang', 'so far', 0]);
  });

  test('stray rejections and throws in timers are logged and change nothing', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  Promise.reject(new Error('nobody waits'));
  setTimeout(() => { throw new Error('in a timer'); }, 5);
  queueMicrotask(() => { throw new Error('in a microtask'); });
  await fleet.get('/robots');
  return 'done';
};`,
    });
    expect(returned(outcome)).toBe('done');
    for (const text of ['nobody waits', 'in a timer', 'in a microtask']) expect(outcome.log).toContain(text);
  });

  test('deep recursion is the adapter’s own error', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
const kinds = new Set();
const deep = (call) => { try { call(); deep(call); } catch (error) { kinds.add(error instanceof Error); throw error; } };
module.exports.run = async () => {
  for (const call of [() => Date.now(), () => console.log, () => setTimeout(() => {}, 1), () => Math.random()]) {
    try { deep(call); } catch {}
  }
  return [...kinds];
};`,
    });
    expect(returned(outcome)).toEqual([true]);
  });

  test('a flood of log lines ends at the limit, and the run goes on', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  for (let line = 0; line < 20000; line += 1) console.log('line', line, { deep: { deep: 'ü' } });
  await fleet.get('/robots');
  return 'done';
};`,
    });
    expect(returned(outcome)).toBe('done');
    expect(outcome.log.startsWith("line 0 { deep: { deep: 'ü' } }\nline 1 ")).toBe(true);
    expect(outcome.log.endsWith('\n[The log is full: what follows was dropped.]\n')).toBe(true);
    expect(Buffer.byteLength(outcome.log)).toBeLessThanOrEqual(LIMITS.logBytes);
    expect(outcome.logTruncated).toBe(false);
  });

  test('logging runs no code of what it shows', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
let ran = 0;
const count = () => { ran += 1; return 'x'; };
module.exports.run = async () => {
  console.log({ get a() { return count(); }, [Symbol.for('nodejs.util.inspect.custom')]: count, toString: count });
  console.error(new Proxy({}, { get: count, ownKeys: count, getOwnPropertyDescriptor: count, getPrototypeOf: count }));
  console.log('%s and %d', 'text', 5);
  console.assert(false, 'a');
  console.count('c');
  console.time('t');
  await fleet.get('/robots');
  console.timeEnd('t');
  return ran;
};`,
    });
    expect(returned(outcome)).toBe(0);
    expect(outcome.log).toContain('a: [Getter]');
    expect(outcome.log).toContain('text and 5\nAssertion failed a\nc: 1\nt: 20ms\n');
  });

  test('a thousand calls at once all reach the host, which decides how many are let through', async () => {
    const outcome = await runGuest(sandbox, {
      adapter: `
module.exports.run = async () => {
  const all = Array.from({ length: 1000 }, (_, nth) => fleet.get('/robots/' + nth).then(() => 200, (e) => e.status));
  const counts = {};
  for (const status of await Promise.all(all)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};`,
      answer: () => ok({}),
    });
    expect(returned(outcome)).toEqual({ 200: 1000 });
    expect(outcome.calls.length).toBe(1000);
  });
});
