/** What a hostile guest may write, at the host's end of the channel: no harm, a stable reason, bounded memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/src/guestProtocol.ts';
import { openPeer, type Peer } from '../unit/guest-protocol/peer.ts';
import { looksLikeMessages, MUTATION_KINDS, malformed } from './mutations.ts';
import { Random } from './random.ts';
import { recordedSession } from './recording.ts';

const SEED = 20_260_106;
const STREAMS = 100_000;
/** Frames of the session that a stream may begin with. */
const DEPTH = 24;
/** What the host may hold more of at the end than at the start, garbage apart. */
const MEMORY_BYTES = 16 * 1024 * 1024;

/** Sentences of ours: they name a limit or a method that we know, and nothing that the guest wrote. */
const SENTENCES = [
  'The guest declared a message of more than 2097152 bytes.',
  'The guest sent a message "advance" that is not of its schema.',
  'The guest sent a message "call" that is not of its schema.',
  'The guest sent a message "hello" that is not of its schema.',
  'The guest sent a message "settled" that is not of its schema.',
  'The guest sent a message before its greeting.',
  'The guest sent a message nested deeper than 64 levels.',
  'The guest sent a message of no known kind.',
  'The guest sent a message that is no JSON-RPC 2.0.',
  'The guest sent a message that is no JSON.',
  'The guest sent a message that is not valid UTF-8.',
  'The guest sent a message with other members than it may have.',
  'The guest sent a number that is beyond all bounds.',
  'The guest sent a request whose id is no new small number.',
  'The guest sent a second greeting.',
  'The guest sent an answer to "load" that is not of its schema.',
  'The guest sent an answer to "step" that is not of its schema.',
  'The guest sent an answer to a request that does not wait for one.',
  'The guest sent an error as the answer to "load".',
  'The guest sent an error as the answer to "step".',
  'The guest sent something other than one message.',
  'The guest sent text with half a character.',
  'The guest wrote something other than messages on its output.',
];

const session = recordedSession();

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The least of a few looks: buffers that nobody holds are given back a while after the collection. */
async function heldBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 4; look += 1) {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return least;
}

/** A peer whose host has asked all that the recording's first `frames` answer. */
function askedPeer(frames: number = session.said.length): Peer {
  const peer = openPeer();
  void peer.channel
    .load({
      ...{ adapter: '', fileName: 'adapter.js', client: '', clientName: 'fleet', exports: [] },
      ...{ clock: 'virtual', epoch: 0, random: 1 },
    })
    .catch(() => undefined);
  for (let step = 1; step < answersIn(frames); step += 1)
    peer.channel.step({ step: step - 1, invocations: [] }).catch(() => undefined);
  return peer;
}

function answersIn(frames: number): number {
  return session.said.slice(0, frames).filter(({ message }) => !Object.hasOwn(message, 'method')).length;
}

/** Writes a stream in pieces and ends it; gives what ended the guest: a violation, or the end itself. */
async function play(peer: Peer, stream: Buffer, random: Random): Promise<{ reason: string; text: string }> {
  let at = 0;
  while (at < stream.length) {
    const size = random.once(3) ? 1 + random.below(20) : stream.length;
    peer.stdout.write(stream.subarray(at, at + size));
    at += size;
  }
  peer.stdout.end();
  const failed = peer.channel.failure.then((error) => ({ reason: 'failure', text: error.message }));
  const ended = peer.channel.ended.then(() => ({ reason: 'ended', text: '' }));
  return Promise.race([peer.channel.violation, ended, failed]);
}

test('the session as it was is let through whole', async () => {
  const peer = askedPeer();
  const end = await play(peer, Buffer.concat(session.frames), new Random(SEED));
  expect([end.reason, peer.heard.length]).toEqual([
    'ended',
    session.said.filter(({ message }) => Object.hasOwn(message, 'method')).length - 1,
  ]);
  peer.channel.close();
});

test(`${STREAMS} malformed streams end the guest and harm nothing (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const ends: Record<string, number> = {};
  const survivors: Record<string, number> = {};
  const texts = new Set<string>();
  const held = await heldBytes();
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const kind = MUTATION_KINDS[stream % MUTATION_KINDS.length] ?? 'header';
    const { before, tail } = malformed(random, kind, random.below(DEPTH), session);
    const bytes = Buffer.concat([...session.frames.slice(0, before), tail]);
    const where = () =>
      `seed ${SEED}, stream ${stream} (${kind}): ${JSON.stringify(tail.toString('latin1').slice(0, 400))}`;
    const peer = askedPeer(DEPTH + 2);
    const { reason, text } = await play(peer, bytes, random);
    peer.channel.close();
    ends[reason] = (ends[reason] ?? 0) + 1;
    if (reason !== 'ended') texts.add(text);
    if (reason === 'ended') {
      survivors[kind] = (survivors[kind] ?? 0) + 1;
      if (!looksLikeMessages(bytes)) expect.fail(`${where()} was let through`);
    } else if (reason === 'failure') expect.fail(`${where()}: ${text}`);
    if (peer.heard.length > before + 6) expect.fail(`${where()} was heard as ${peer.heard.length} messages`);
  }
  expect(({} as { polluted?: number }).polluted).toBe(undefined);
  expect((await heldBytes()) - held).toBeLessThan(MEMORY_BYTES);
  expect([...texts].sort()).toEqual(SENTENCES);
  expect(ends).toEqual({
    ...{
      json: 27_687,
      message: 17_536,
      header: 13_032,
      id: 12_769,
      method: 9_140,
      utf8: 5_362,
      nesting: 5_263,
    },
    ...{ 'frame-size': 720, order: 459, ended: 8_032 },
  });
  // What is well-formed still: another order of messages, a stream that stops, a value within its schema.
  expect(survivors).toEqual({
    ...{ 'out of order': 3_627, truncated: 2_080, 'wrong length': 874, repeated: 646, 'wrong number': 458 },
    ...{
      'bit flips': 167,
      'wrong params': 97,
      'wrong id': 31,
      spliced: 27,
      'duplicate keys': 22,
      'no JSON': 3,
    },
  });
});

test('a stream of megabytes without an end is dropped at the first broken rule', async () => {
  const peer = askedPeer();
  peer.stdout.write(
    Buffer.concat([...session.frames.slice(0, 2), Buffer.from('Content-Length: 9999999\r\n\r\n')]),
  );
  const { reason } = await peer.channel.violation;
  const before = await heldBytes();
  for (let part = 0; part < 64; part += 1) {
    peer.stdout.write(Buffer.alloc(LIMITS.frameBytes, 0x20));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(reason).toBe('frame-size');
  expect((await heldBytes()) - before).toBeLessThan(MEMORY_BYTES);
  peer.channel.close();
});
