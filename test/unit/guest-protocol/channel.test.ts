/** The host's end of the protocol, against a guest that says whatever the test wants. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChannelClosed } from '../../../server/src/sandbox/guestChannel.ts';
import { type CallResult, encodeFrame, LIMITS, type LoadParams } from '../../../shared/src/guestProtocol.ts';
import { callMessage, HELLO, OK, openPeer, settledMessage } from './peer.ts';

const load: LoadParams = {
  ...{ adapter: '', fileName: 'adapter.js', client: '', clientName: 'fleet', exports: [] },
  ...{ clock: 'virtual', epoch: 0, random: 1 },
};
const advance = { jsonrpc: '2.0', id: 99, method: 'advance', params: { step: 0, timer: 5, turns: 0 } };
const loaded = { loaded: true, exports: [], missing: [] };
const refused = (retryAfterMs: number): CallResult => ({
  ...{ ok: false, status: 503, origin: 'broker', sent: 'no', outcome: 'none', retryAfterMs },
  ...{ body: null, message: 'shed' },
});

describe('a guest that keeps to the protocol', () => {
  test('greets, loads, reports, and is answered', async () => {
    const peer = openPeer();
    peer.say(HELLO);
    expect(await peer.channel.hello).toEqual({ protocol: 1, node: 'v22.0.0' });
    const loading = peer.channel.load(load);
    peer.say({ jsonrpc: '2.0', id: 0, result: loaded });
    expect(await loading).toEqual(loaded);
    const stepping = peer.channel.step({ step: 0, invocations: [{ export: 'run', args: [] }] });
    peer.say(callMessage(0), settledMessage({ kind: 'returned', value: { a: [1] } }), {
      ...{ jsonrpc: '2.0', id: 1, result: null },
    });
    await stepping;
    expect(peer.heard).toEqual([
      ['call', '/robots'],
      ['settled', { kind: 'returned', value: { a: [1] } }],
    ]);
    expect(peer.read()).toEqual([
      { jsonrpc: '2.0', id: 0, method: 'load', params: load },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'step',
        params: { step: 0, invocations: [{ export: 'run', args: [] }] },
      },
      { jsonrpc: '2.0', id: 0, result: OK },
    ]);
  });

  test('names of prototypes pass as names', async () => {
    const peer = openPeer();
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    peer.say(HELLO, settledMessage({ kind: 'returned', value }));
    await peer.quiet();
    expect(JSON.stringify(peer.heard)).toBe(
      '[["settled",{"kind":"returned","value":{"__proto__":{"a":1},"constructor":2}}]]',
    );
    expect(({} as { a?: number }).a).toBe(undefined);
  });

  test('is answered in the order in which answers were known', async () => {
    const answers: ((result: CallResult) => void)[] = [];
    let pass: (result: { now: number; until: number }) => void = () => undefined;
    const peer = openPeer({
      call: () => new Promise((resolve) => answers.push(resolve)),
      advance: () =>
        new Promise((resolve) => {
          pass = resolve;
        }),
    });
    peer.say(HELLO, callMessage(1), callMessage(2), callMessage(3), advance);
    await peer.quiet();
    answers[2]?.(OK);
    answers[0]?.(OK);
    pass({ now: 5, until: 5 });
    answers[1]?.(OK);
    await peer.quiet();
    expect(peer.read().map(({ id }) => id)).toEqual([3, 1, 99, 2]);
  });

  test.each([
    [Number.POSITIVE_INFINITY, 0],
    [Number.NaN, 0],
    [-5, 0],
    [1_500, 1_500],
  ])('a wait of %d is sent as %d', async (wait, sent) => {
    const peer = openPeer({ call: () => Promise.resolve(refused(wait)) });
    peer.say(HELLO, callMessage(0));
    await peer.quiet();
    expect(peer.read()[0]?.result).toEqual(refused(sent));
  });
});

describe('a guest that does not', () => {
  const site = { line: 0, column: 1 };
  test.each<[string, string, unknown]>([
    ['order', 'something before the greeting', callMessage(0)],
    ['message', 'a batch', [HELLO]],
    ['message', 'a bare value', 1],
    ['message', 'another version', { ...HELLO, jsonrpc: '1.0' }],
    ['message', 'a member more', { ...HELLO, extra: 1 }],
    ['message', 'a parameter more', { ...HELLO, params: { ...HELLO.params, seed: 7 } }],
    ['message', 'no parameters', { jsonrpc: '2.0', method: 'hello' }],
    ['message', 'parameters by position', { ...HELLO, params: [1, 'v22'] }],
    ['method', 'a request for what is a notification', { ...HELLO, id: 1 }],
    ['method', 'a method of the host', { jsonrpc: '2.0', id: 1, method: 'load', params: {} }],
    ['method', 'a cancellation', { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 0 } }],
    ['method', 'a message of ours', { jsonrpc: '2.0', method: '$loadline/ended', params: {} }],
    ['method', 'a name of a prototype', { jsonrpc: '2.0', method: 'constructor', params: {} }],
    ['id', 'an answer to nothing', { jsonrpc: '2.0', id: 0, result: null }],
  ])('%s: %s, first of all', async (reason, _name, message) => {
    const peer = openPeer();
    peer.say(message, HELLO);
    expect((await peer.channel.violation).reason).toBe(reason);
    expect(peer.heard).toEqual([]);
  });

  test.each<[string, string, unknown[]]>([
    ['order', 'a second greeting', [HELLO]],
    ['id', 'the same id again', [callMessage(1), callMessage(1)]],
    ['id', 'a large id', [callMessage(1_000_001)]],
    ['id', 'a negative id', [callMessage(-1)]],
    ['id', 'a broken id', [callMessage(1.5)]],
    ['id', 'text as id', [callMessage('1')]],
    ['id', 'null as id', [callMessage(null)]],
    ['method', 'a call as a notification', [{ ...callMessage(0), id: undefined }]],
    ['message', 'a method in lower case', [callMessage(0, { method: 'get' })]],
    ['message', 'a header in upper case', [callMessage(0, { headers: { Accept: 'a' } })]],
    ['message', 'a header that is no text', [callMessage(0, { headers: { accept: 1 } })]],
    ['message', 'a site before the first line', [callMessage(0, { site })]],
    ['message', 'a time before the start', [callMessage(0, { at: -1 })]],
    ['message', 'an origin', [callMessage(0, { origin: 'vendor' })]],
    ['message', 'both ways to settle', [settledMessage({ kind: 'returned', value: 1, error: {} })]],
    ['message', 'neither way to settle', [settledMessage({ kind: 'none' })]],
    ['message', 'a step by name', [{ ...advance, params: { ...advance.params, step: 'one' } }]],
    ['json', 'half a character', [settledMessage({ kind: 'returned', value: 'a\ud800' })]],
    ['json', 'half a character in a key', [settledMessage({ kind: 'returned', value: { '\udfff': 1 } })]],
  ])('%s: %s, after the greeting', async (reason, _name, messages) => {
    const peer = openPeer();
    peer.say(HELLO, ...messages, callMessage(77, { target: '/after' }));
    expect((await peer.channel.violation).reason).toBe(reason);
    await peer.quiet();
    expect(peer.heard).not.toContainEqual(['call', '/after']);
  });

  test.each([
    ['a number beyond all bounds', '{"kind":"returned","value":1e999}', 'json'],
    ['what is no JSON', '{"kind":', 'json'],
  ])('%s', async (_name, result, reason) => {
    const peer = openPeer();
    const body = `{"jsonrpc":"2.0","method":"settled","params":{"step":0,"invocation":0,"at":0,"result":${result}}}`;
    peer.say(HELLO);
    peer.stdout.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    expect((await peer.channel.violation).reason).toBe(reason);
  });

  test.each([
    ['id', { jsonrpc: '2.0', id: 5, result: loaded }],
    ['message', { jsonrpc: '2.0', id: 0, error: { code: 1, message: 'no' } }],
    ['message', { jsonrpc: '2.0', id: 0, result: { loaded: true } }],
    ['message', { jsonrpc: '2.0', id: 0, result: null }],
  ])('%s: a wrong answer to load', async (reason, answer) => {
    const peer = openPeer();
    peer.say(HELLO);
    peer.channel.load(load).catch(() => undefined);
    peer.say(answer);
    expect((await peer.channel.violation).reason).toBe(reason);
  });

  test('the same answer twice', async () => {
    const peer = openPeer();
    peer.say(HELLO);
    const loading = peer.channel.load(load);
    peer.say({ jsonrpc: '2.0', id: 0, result: loaded }, { jsonrpc: '2.0', id: 0, result: loaded });
    expect(await loading).toEqual(loaded);
    expect((await peer.channel.violation).reason).toBe('id');
  });

  test('what it said before counts, in order, whatever the chunks', async () => {
    const bytes = Buffer.concat(
      [HELLO, callMessage(0, { target: '/a' }), callMessage(1, { target: '/b' })].map(encodeFrame),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), async (sizes) => {
        const peer = openPeer();
        const all = Buffer.concat([bytes, Buffer.from('garbage')]);
        for (let at = 0, piece = 0; at < all.length; piece += 1) {
          const size = sizes[piece % sizes.length] ?? 1;
          peer.stdout.write(all.subarray(at, at + size));
          at += size;
        }
        expect((await peer.channel.violation).reason).toBe('header');
        expect(peer.heard).toEqual([
          ['call', '/a'],
          ['call', '/b'],
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test('no bytes at all break the channel: it ends as told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), async (chunks) => {
        const peer = openPeer();
        for (const chunk of chunks) peer.stdout.write(Buffer.from(chunk));
        peer.stdout.end();
        await Promise.race([peer.channel.violation, peer.channel.ended]);
        peer.channel.close();
        await expect(peer.channel.hello).rejects.toThrow(ChannelClosed);
      }),
      { numRuns: 100 },
    );
  });

  test('a flood of small messages ends at the limit of messages', async () => {
    let answered = 0;
    const peer = openPeer(
      {
        advance: () => {
          answered += 1;
          return Promise.resolve({ now: 0, until: 0 });
        },
      },
      { ...LIMITS, frames: 500 as never },
    );
    peer.say(HELLO, ...Array.from({ length: 600 }, (_, id) => ({ ...advance, id })));
    expect((await peer.channel.violation).reason).toBe('frames');
    expect(answered).toBe(499);
  });
});

describe('ends', () => {
  test('the end of stdout is told after what came before it', async () => {
    const peer = openPeer();
    peer.say(HELLO, callMessage(0));
    peer.stdout.end();
    await peer.channel.ended;
    expect(peer.heard).toEqual([['call', '/robots']]);
  });

  test('closing rejects what waits, ends stdin, and is done once', async () => {
    const peer = openPeer();
    const loading = peer.channel.load(load);
    peer.channel.close();
    peer.channel.close();
    await expect(loading).rejects.toThrow(ChannelClosed);
    await expect(peer.channel.hello).rejects.toThrow(ChannelClosed);
    await expect(peer.channel.step({ step: 0, invocations: [] })).rejects.toThrow(ChannelClosed);
    expect(peer.stdin.writableEnded).toBe(true);
  });

  test('an answer that comes too late goes nowhere', async () => {
    let answer: (result: CallResult) => void = () => undefined;
    const peer = openPeer({
      call: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    peer.say(HELLO, callMessage(0));
    await peer.quiet();
    peer.channel.close();
    answer(OK);
    await peer.quiet();
    expect(peer.read()).toEqual([]);
  });

  test('a failure of ours is told here and not to the guest', async () => {
    const failure = new Error('the book is gone');
    const peer = openPeer({ call: () => Promise.reject(failure) });
    peer.say(HELLO, callMessage(0));
    expect(await peer.channel.failure).toBe(failure);
    await peer.quiet();
    expect(peer.read()).toEqual([]);
  });

  test('a handler that throws is such a failure', async () => {
    const peer = openPeer({
      settled: () => {
        throw new Error('no such step');
      },
    });
    peer.say(HELLO, settledMessage({ kind: 'returned', value: 1 }));
    expect((await peer.channel.failure).message).toBe('no such step');
  });

  test('a broken pipe is no crash', async () => {
    const peer = openPeer();
    peer.stdin.destroy(new Error('EPIPE'));
    peer.stdout.destroy(new Error('reset'));
    await peer.channel.ended;
    peer.channel.close();
    await expect(peer.channel.load(load)).rejects.toThrow(ChannelClosed);
  });
});

describe('the log', () => {
  test('is kept up to its limit, in whole characters, and read on beyond it', async () => {
    const peer = openPeer({}, { ...LIMITS, logBytes: 10 as never });
    peer.stderr.write('abcé');
    expect(peer.channel.log()).toEqual({ text: 'abcé', truncated: false });
    for (const byte of Buffer.from('12é😀')) peer.stderr.write(Buffer.of(byte));
    for (let count = 0; count < 1_000; count += 1) peer.stderr.write('x'.repeat(10_000));
    await peer.quiet();
    expect(peer.channel.log()).toEqual({ text: 'abcé12é', truncated: true });
    expect(peer.stderr.readableLength).toBe(0);
  });
});
