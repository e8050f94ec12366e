/**
 * Splits an engine's attached stream into stdout and stderr while holding a bounded number of bytes, whatever a frame
 * declares: payload is passed on as it comes. stdout slows the guest down when it is not read; stderr never does, its
 * bytes past the buffer are dropped and counted.
 */
import { Readable, Writable } from 'node:stream';

/** Frame: stream number, three zero bytes, big-endian payload length (as the engine API documents it). */
const HEADER_BYTES = 8;
const BUFFER_BYTES = 256 * 1024;

export class BrokenFrame extends Error {
  constructor(stream: number) {
    super(`The engine sent a frame of stream ${stream} on an attached container.`);
    this.name = 'BrokenFrame';
  }
}

export class Demux extends Writable {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Bytes of stderr that nobody read in time. */
  droppedLogBytes = 0;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerLength = 0;
  #payloadLeft = 0;
  #resume: (() => void) | undefined;

  constructor() {
    super({ decodeStrings: true });
    const read = () => {
      const resume = this.#resume;
      this.#resume = undefined;
      resume?.();
    };
    this.stdout = new Readable({ highWaterMark: BUFFER_BYTES, read });
    this.stdout.once('close', read);
    this.stderr = new Readable({ highWaterMark: BUFFER_BYTES, read: () => undefined });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let wanted = true;
    let at = 0;
    while (at < chunk.length) {
      if (this.#payloadLeft === 0) {
        const taken = chunk.copy(
          this.#header,
          this.#headerLength,
          at,
          at + HEADER_BYTES - this.#headerLength,
        );
        this.#headerLength += taken;
        at += taken;
        if (this.#headerLength < HEADER_BYTES) break;
        this.#headerLength = 0;
        this.#payloadLeft = this.#header.readUInt32BE(4);
        const stream = this.#header[0] ?? 255;
        if (stream > 2) {
          done(new BrokenFrame(stream));
          return;
        }
        continue;
      }
      const payload = chunk.subarray(at, at + this.#payloadLeft);
      at += payload.length;
      this.#payloadLeft -= payload.length;
      // A few bytes must not keep the whole chunk that they came in.
      wanted = this.#deliver(payload.length * 4 < chunk.length ? Buffer.from(payload) : payload) && wanted;
    }
    if (wanted || this.stdout.destroyed) done();
    else this.#resume = done;
  }

  /** False: stdout's buffer is full. */
  #deliver(payload: Buffer): boolean {
    const stream = this.#header[0];
    if (stream === 1) return this.stdout.destroyed || this.stdout.push(payload);
    if (stream === 2) this.#log(payload);
    return true;
  }

  #log(payload: Buffer): void {
    if (this.stderr.destroyed || this.stderr.readableLength + payload.length > BUFFER_BYTES) {
      this.droppedLogBytes += payload.length;
    } else {
      this.stderr.push(payload);
    }
  }

  override _final(done: () => void): void {
    this.#end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end();
    done(error);
  }

  #end(): void {
    this.#resume = undefined;
    for (const stream of [this.stdout, this.stderr]) {
      if (!stream.readableEnded && !stream.destroyed) stream.push(null);
    }
  }
}
