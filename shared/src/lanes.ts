/**
 * Lanes: several channels over one container's stdin and stdout, so that several trials can be under way in it at once.
 * What goes through is cut into packets: one byte that names the lane, four for the length (big-endian), the bytes. Each
 * lane carries the guest protocol from its start marker on. The limits of the protocol hold per lane; a packet has none.
 */

/** Argument by which a guest is told to open `count` lanes. */
export function lanesArgument(count: number): string {
  return `--lanes=${count}`;
}

/** Lanes asked for by the arguments of a guest; 0: none, the protocol is spoken on stdin and stdout themselves. */
export function lanesAsked(args: readonly string[]): number {
  return Number(args.map((arg) => /^--lanes=(\d{1,2})$/.exec(arg)?.[1]).find(Boolean) ?? 0);
}

const HEADER_BYTES = 5;

/** Packets that wait to go out together: one write for what several lanes say at about the same time. */
export class LaneOutbox {
  readonly #send: (packets: Uint8Array, sent: () => void) => void;
  readonly #later: (work: () => void) => unknown;
  #parts: Uint8Array[] = [];
  #waiting: (() => void)[] = [];

  /** `send` writes and says when that is done; `later` calls back once what is under way now has been done. */
  constructor(send: (packets: Uint8Array, sent: () => void) => void, later: (work: () => void) => unknown) {
    this.#send = send;
    this.#later = later;
  }

  /** `sent` is called when the bytes have been written. */
  add(lane: number, bytes: Uint8Array, sent: () => void = () => undefined): void {
    if (this.#parts.length === 0) this.#later(() => this.#flush());
    const header = new Uint8Array(HEADER_BYTES);
    header[0] = lane;
    new DataView(header.buffer).setUint32(1, bytes.length);
    this.#parts.push(header, bytes);
    this.#waiting.push(sent);
  }

  #flush(): void {
    const waiting = this.#waiting;
    const packets = joined(this.#parts);
    this.#parts = [];
    this.#waiting = [];
    this.#send(packets, () => {
      for (const sent of waiting) sent();
    });
  }
}

/** Takes packets apart as they arrive, in pieces of any size; keeps a header at most. */
export class LaneReader {
  readonly #count: number;
  readonly #take: (lane: number, bytes: Uint8Array) => void;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerBytes = 0;
  #left = 0;
  #broken = false;

  /** `take` is given the bytes of a lane, as many as have arrived. */
  constructor(count: number, take: (lane: number, bytes: Uint8Array) => void) {
    this.#count = count;
    this.#take = take;
  }

  /** False, from then on, when a packet names a lane that there is not. */
  push(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length && !this.#broken; ) {
      at += this.#left > 0 ? this.#body(chunk.subarray(at)) : this.#head(chunk[at] ?? 0);
    }
    return !this.#broken;
  }

  #head(byte: number): number {
    this.#header[this.#headerBytes] = byte;
    this.#headerBytes += 1;
    if (this.#headerBytes === HEADER_BYTES) {
      this.#headerBytes = 0;
      this.#left = new DataView(this.#header.buffer).getUint32(1);
      this.#broken = (this.#header[0] ?? 0) >= this.#count;
    }
    return 1;
  }

  #body(rest: Uint8Array): number {
    const bytes = rest.subarray(0, this.#left);
    this.#left -= bytes.length;
    this.#take(this.#header[0] ?? 0, bytes);
    return bytes.length;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
