import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenFrame, Demux } from '../../../server/src/sandbox/demux.ts';

function frame(stream: number, payload: Buffer | string, declared?: number): Buffer {
  const header = Buffer.alloc(8);
  const bytes = Buffer.from(payload);
  header[0] = stream;
  header.writeUInt32BE(declared ?? bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function collect(demux: Demux) {
  const seen = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  for (const name of ['stdout', 'stderr'] as const) {
    demux[name].on('data', (chunk: Buffer) => {
      seen[name] = Buffer.concat([seen[name], chunk]);
    });
  }
  return seen;
}

const ended = (demux: Demux) =>
  Promise.all(
    [demux.stdout, demux.stderr].map((stream) => new Promise((resolve) => stream.once('end', resolve))),
  );

describe('the split of an attached stream', () => {
  it('is the same however the bytes arrive', async () => {
    const frames = fc.array(fc.tuple(fc.constantFrom(0, 1, 2), fc.uint8Array({ maxLength: 40 })), {
      maxLength: 20,
    });
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(frames, cuts, async (parts, sizes) => {
        const all = Buffer.concat(parts.map(([stream, payload]) => frame(stream, Buffer.from(payload))));
        const demux = new Demux();
        const seen = collect(demux);
        const end = ended(demux);
        for (let at = 0, n = 0; at < all.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          demux.write(all.subarray(at, at + size));
          at += size;
        }
        demux.end();
        await end;
        const of = (stream: number) =>
          Buffer.concat(parts.filter(([s]) => s === stream).map(([, p]) => Buffer.from(p)));
        expect(seen).toEqual({ stdout: of(1), stderr: of(2) });
      }),
      { numRuns: 200 },
    );
  });

  it('waits for no whole frame, however much one declares', async () => {
    const demux = new Demux();
    const seen = collect(demux);
    demux.write(frame(1, 'first', 0xffff_ffff));
    demux.write(Buffer.from(' second'));
    await new Promise(setImmediate);
    expect(String(seen.stdout)).toBe('first second');
  });

  it('holds the engine back while stdout is not read, and goes on when it is', async () => {
    const demux = new Demux();
    const written: number[] = [];
    const block = frame(1, Buffer.alloc(64 * 1024));
    for (let n = 0; n < 64; n++) demux.write(block, () => written.push(n));
    await new Promise(setImmediate);
    // 256 KiB are buffered; the write that filled the buffer is not done.
    expect(written).toEqual([0, 1, 2]);
    let bytes = 0;
    demux.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    const end = new Promise((resolve) => demux.stdout.once('end', resolve));
    demux.end();
    await end;
    expect(bytes).toBe(64 * 64 * 1024);
  });

  it('drops and counts the log past its buffer, and goes on with stdout', async () => {
    const demux = new Demux();
    const log = frame(2, Buffer.alloc(100 * 1024));
    for (let n = 0; n < 5; n++) demux.write(log);
    const out: string[] = [];
    demux.stdout.on('data', (chunk) => out.push(String(chunk)));
    demux.write(frame(1, 'still here'));
    await new Promise(setImmediate);
    expect([demux.stderr.readableLength, demux.droppedLogBytes]).toEqual([200 * 1024, 300 * 1024]);
    expect(out).toEqual(['still here']);
  });

  it('goes on for the log when the reader of stdout is gone', async () => {
    const demux = new Demux();
    for (let n = 0; n < 8; n++) demux.write(frame(1, Buffer.alloc(64 * 1024)));
    demux.write(frame(2, 'last words'));
    demux.stdout.destroy();
    const log = await new Promise((resolve) => demux.stderr.once('data', (chunk) => resolve(String(chunk))));
    expect(log).toBe('last words');
  });

  it('ends with an error at a frame of no stream', async () => {
    const demux = new Demux();
    const end = ended(demux);
    const error = new Promise((resolve) => demux.once('error', resolve));
    collect(demux);
    demux.write(frame(9, 'x'));
    expect(await error).toBeInstanceOf(BrokenFrame);
    expect(String(await error)).toBe(
      'BrokenFrame: The engine sent a frame of stream 9 on an attached container.',
    );
    await end;
  });
});
