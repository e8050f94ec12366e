/** The guest's end of lanes: one serving of the protocol per lane, over one stdin and one stdout. */
import { PassThrough, type Readable } from 'node:stream';
import { LaneOutbox, LaneReader } from '../../shared/src/lanes.ts';

/** Where one serving of the protocol reads and writes. */
export interface Streams {
  input: Readable;
  write(frame: Uint8Array): void;
}

export function openLanes(count: number, stdin: Readable, stdout: NodeJS.WritableStream): Streams[] {
  const outbox = new LaneOutbox((packets) => stdout.write(packets), setImmediate);
  const inputs = Array.from({ length: count }, () => new PassThrough());
  const reader = new LaneReader(count, (lane, bytes) => inputs[lane]?.write(bytes));
  stdin.on('data', (chunk: Buffer) => {
    if (!reader.push(chunk)) process.exit(1);
  });
  return inputs.map((input, lane) => ({ input, write: (frame) => outbox.add(lane, frame) }));
}
