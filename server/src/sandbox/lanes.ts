/** The host's end of a container's lanes: each a stdin and a stdout of its own, as a channel takes them. */
import { Readable, Writable } from 'node:stream';
import { START_MARKER } from '../../../shared/src/guestProtocol.ts';
import { LaneOutbox, LaneReader } from '../../../shared/src/lanes.ts';
import type { GuestContainer } from './container.ts';

export interface Lane {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Nothing: what a container logs is no single lane's. */
  readonly stderr: Readable;
}

/** Nothing that a guest may write: a channel that reads it ends its run as one that broke the protocol. */
const BROKEN = Buffer.from('\0');

/** Opens the lanes of a container that was started with `count` of them. */
export function openLanes(
  container: Pick<GuestContainer, 'stdin' | 'stdout' | 'stderr'>,
  count: number,
): Lane[] {
  const { stdin, stdout, stderr } = container;
  const outbox = new LaneOutbox((packets, sent) => stdin.write(packets, sent), setImmediate);
  const lanes = Array.from({ length: count }, (_, number) => openLane(outbox, number));
  const reader = new LaneReader(count, (number, bytes) => lanes[number]?.stdout.push(Buffer.from(bytes)));
  stdin.on('error', () => undefined);
  stdout.on('error', () => undefined);
  stderr.resume();
  stdin.write(START_MARKER);
  stdout.on('data', (chunk: Buffer) => {
    if (!reader.push(chunk)) for (const lane of lanes) lane.stdout.push(BROKEN);
  });
  stdout.on('close', () => {
    for (const lane of lanes) lane.stdout.push(null);
  });
  return lanes;
}

function openLane(outbox: LaneOutbox, number: number): Lane {
  return {
    stdin: new Writable({ write: (chunk: Buffer, _encoding, done) => outbox.add(number, chunk, done) }),
    // What is written here was read already: a channel always reads on, and counts what it reads.
    stdout: new Readable({ read: () => undefined }),
    stderr: Readable.from([]),
  };
}
