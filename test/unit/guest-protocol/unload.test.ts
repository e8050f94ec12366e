/** Several runs on one guest: what belongs to the run before is over, what belongs to the next begins from nothing. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../sandbox-images/guest/clock.ts';
import { VirtualTurns } from '../../../sandbox-images/guest/turns.ts';
import type { GuestHandlers } from '../../../server/src/sandbox/guestChannel.ts';
import type { AdvanceResult, CallResult } from '../../../shared/src/guestProtocol.ts';
import { callMessage, HELLO, OK, openPeer, type Peer, settledMessage } from './peer.ts';

const UNLOADED = { jsonrpc: '2.0', id: 0, result: null };
const returned = (value: number) => settledMessage({ kind: 'returned', value });

/** Handlers of a later run, and what they were given. */
function nextRun(): { heard: unknown[]; handlers: GuestHandlers } {
  const heard: unknown[] = [];
  return {
    heard,
    handlers: {
      async call({ target }) {
        heard.push(['call', target]);
        return OK;
      },
      async advance({ timer }) {
        heard.push(['advance', timer]);
        return { now: 1, until: 2 };
      },
      settled: ({ result }) => heard.push(['settled', result]),
    },
  };
}

async function unload(peer: Peer): Promise<void> {
  const unloading = peer.channel.unload();
  peer.say(UNLOADED);
  await unloading;
}

describe('unloading', () => {
  test('what is unanswered is answered with nothing, after the request, and the late answer is dropped', async () => {
    const late: ((result: CallResult) => void)[] = [];
    const peer = openPeer({ call: () => new Promise((resolve) => late.push(resolve)) });
    peer.say(HELLO, callMessage(5), callMessage(6));
    await peer.quiet();
    await unload(peer);
    late[0]?.(OK);
    await peer.quiet();
    expect(peer.read()).toEqual([
      { jsonrpc: '2.0', id: 0, method: 'unload', params: {} },
      { jsonrpc: '2.0', id: 5, result: null },
      { jsonrpc: '2.0', id: 6, result: null },
    ]);
  });

  test('what the old session says before its end is dropped, what comes after it belongs to the next run', async () => {
    const peer = openPeer();
    peer.say(HELLO, callMessage(1, { target: '/old' }));
    await peer.quiet();
    const unloading = peer.channel.unload();
    peer.say(callMessage(2, { target: '/late' }), returned(1), UNLOADED);
    await unloading;
    const { heard, handlers } = nextRun();
    peer.channel.begin(handlers);
    peer.say(callMessage(3, { target: '/new' }), returned(2));
    await peer.quiet();
    expect(peer.heard).toEqual([['call', '/old']]);
    expect(heard).toEqual([
      ['call', '/new'],
      ['settled', { kind: 'returned', value: 2 }],
    ]);
    expect(peer.read().map(({ id, result }) => [id, result])).toContainEqual([2, null]);
  });

  test('a handler of the old run that fails late does not end the next', async () => {
    const fails: ((error: Error) => void)[] = [];
    const peer = openPeer({ call: () => new Promise((_, reject) => fails.push(reject)) });
    peer.say(HELLO, callMessage(1));
    await peer.quiet();
    await unload(peer);
    peer.channel.begin(nextRun().handlers);
    fails[0]?.(new Error('late'));
    await peer.quiet();
    expect(await Promise.race([peer.channel.failure, Promise.resolve('none')])).toBe('none');
  });

  test('no run begins before the guest has unloaded', async () => {
    const peer = openPeer();
    peer.say(HELLO);
    const { handlers } = nextRun();
    expect(() => peer.channel.begin(handlers)).toThrow('The guest has not unloaded its adapter.');
    const unloading = peer.channel.unload();
    expect(() => peer.channel.begin(handlers)).toThrow('The guest has not unloaded its adapter.');
    peer.say(UNLOADED);
    await unloading;
    peer.channel.begin(handlers);
    expect(() => peer.channel.begin(handlers)).toThrow('The guest has not unloaded its adapter.');
  });

  test('a channel that closes meanwhile rejects, and so does one that is closed', async () => {
    const peer = openPeer();
    const unloading = peer.channel.unload();
    peer.channel.close();
    await expect(unloading).rejects.toThrow('The channel to the guest was closed.');
    await expect(peer.channel.unload()).rejects.toThrow('The channel to the guest was closed.');
  });
});

describe('the next run', () => {
  test('has all of the frames to itself, and no more', async () => {
    const peer = openPeer({}, { frames: 3 });
    peer.say(HELLO, returned(1));
    await peer.quiet();
    await unload(peer);
    const { heard, handlers } = nextRun();
    peer.channel.begin(handlers);
    peer.say(returned(1), returned(2), returned(3));
    await peer.quiet();
    expect(heard).toHaveLength(3);
    peer.say(returned(4));
    expect((await peer.channel.violation).reason).toBe('frames');
  });

  test('has all of the bytes to itself, and no more', async () => {
    const peer = openPeer({}, { totalBytes: 1_000 });
    const large = settledMessage({ kind: 'returned', value: 'x'.repeat(600) });
    peer.say(HELLO, large);
    await peer.quiet();
    await unload(peer);
    const { heard, handlers } = nextRun();
    peer.channel.begin(handlers);
    peer.say(large);
    await peer.quiet();
    expect(heard).toHaveLength(1);
    peer.say(large);
    expect((await peer.channel.violation).reason).toBe('bytes');
  });

  test('has a log of its own', async () => {
    const peer = openPeer({}, { logBytes: 4 });
    peer.say(HELLO);
    peer.stderr.write('first');
    await peer.quiet();
    expect(peer.channel.log()).toEqual({ text: 'firs', truncated: true });
    await unload(peer);
    peer.stderr.write('2nd');
    await peer.quiet();
    expect(peer.channel.log()).toEqual({ text: '2nd', truncated: false });
  });

  test('cannot use an id of the run before', async () => {
    const peer = openPeer();
    peer.say(HELLO, callMessage(1));
    await peer.quiet();
    await unload(peer);
    peer.channel.begin(nextRun().handlers);
    peer.say(callMessage(1));
    expect((await peer.channel.violation).reason).toBe('id');
  });

  test('has no room where the ids might not last', async () => {
    const peer = openPeer({}, { frames: 10 });
    peer.say(HELLO, callMessage(999_990));
    await peer.quiet();
    expect(peer.channel.hasRoom()).toBe(true);
    peer.say(callMessage(999_991));
    await peer.quiet();
    expect(peer.channel.hasRoom()).toBe(false);
  });

  test('a second answer to unload ends the guest', async () => {
    const peer = openPeer();
    peer.say(HELLO);
    await unload(peer);
    peer.say(UNLOADED);
    expect((await peer.channel.violation).reason).toBe('id');
  });
});

describe('a session that has ended', () => {
  test('fires no timer and starts none', () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    clock.start(() => ran.push('once'), 5, false);
    clock.start(() => ran.push('again'), 5, true);
    clock.moveTo(5);
    clock.end();
    clock.start(() => ran.push('later'), 1, false);
    clock.moveTo(100);
    expect([clock.runDue(), clock.earliest(), ran]).toEqual([false, null, []]);
  });

  test('hands over no answer, asks for no time and takes none', async () => {
    const clock = new VirtualClock();
    const replies: ((answer: AdvanceResult) => void)[] = [];
    const turns = new VirtualTurns(clock, () => new Promise((resolve) => replies.push(resolve)));
    const settle = async () => {
      for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const ran: string[] = [];
    turns.opened(0);
    await settle();
    turns.deliver(() => ran.push('kept'));
    turns.end();
    turns.deliver(() => ran.push('late'));
    turns.opened(1);
    replies[0]?.({ now: 50, until: 60 });
    await settle();
    expect([ran, replies.length, clock.now()]).toEqual([[], 1, 0]);
  });
});
