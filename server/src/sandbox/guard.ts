/**
 * The frame guard: what a guest writes on stdout is cut into frames byte by byte before any parser sees it, within
 * fixed limits. It keeps one frame at most, and of that only bytes which have arrived, whatever length was declared.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../../shared/src/guestProtocol.ts';

export type ViolationReason =
  /** Of the frame: */
  | 'header'
  | 'frame-size'
  | 'nesting'
  | 'frames'
  | 'bytes'
  | 'utf8'
  /** Of the message in it: */
  | 'json'
  | 'message'
  | 'method'
  | 'id'
  | 'order'
  /** Of what it was sent: */
  | 'unread';

/** What ended the guest's right to speak. `text` is a sentence of ours; it holds nothing that the guest wrote. */
export interface Violation {
  reason: ViolationReason;
  text: string;
}

export type FrameLimits = Pick<
  Record<keyof typeof LIMITS, number>,
  'headerBytes' | 'frameBytes' | 'nesting' | 'frames' | 'totalBytes'
>;

const HEADER = Buffer.from('Content-Length: ');
const HEADER_END = Buffer.from('\r\n\r\n');
const FIRST_BUFFER = 64 * 1024;

const BYTE = {
  zero: 0x30,
  nine: 0x39,
  quote: 0x22,
  backslash: 0x5c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

export class FrameGuard {
  readonly #limits: FrameLimits;
  #violation: Violation | null = null;
  #bytes = 0;
  #frames = 0;
  /** Of the header: bytes seen, digits and bytes of its end among them. */
  #headerBytes = 0;
  #digits = 0;
  #ended = 0;
  #length = 0;
  /** Of the body; null while a header is read. */
  #body: Buffer | null = null;
  #filled = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: FrameLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Set once, at the first broken rule; nothing is passed on after it. */
  get violation(): Violation | null {
    return this.#violation;
  }

  /** Counts frames and bytes from nothing again: what comes next belongs to another run. */
  beginRun(): void {
    this.#bytes = 0;
    this.#frames = 0;
  }

  /** Takes what arrived, in pieces of any size; returns the bodies of the frames that it completed. */
  push(chunk: Uint8Array): Buffer[] {
    const room = Math.max(0, this.#limits.totalBytes - this.#bytes);
    this.#bytes += chunk.length;
    const bodies = this.#read(chunk.subarray(0, room));
    if (chunk.length > room && this.#violation === null) {
      this.#break('bytes', `The guest wrote more than ${this.#limits.totalBytes} bytes.`);
    }
    return bodies;
  }

  #read(chunk: Uint8Array): Buffer[] {
    const bodies: Buffer[] = [];
    let at = 0;
    while (at < chunk.length && this.#violation === null) {
      if (this.#body === null) {
        this.#readHeaderByte(chunk[at] ?? 0);
        at += 1;
      } else {
        at += this.#readBody(chunk.subarray(at));
      }
      if (this.#body !== null && this.#filled === this.#length) {
        const body = this.#finish(this.#body);
        if (body) bodies.push(body);
      }
    }
    return bodies;
  }

  /** The one header there is: `Content-Length: <digits>`, no leading zero, an empty line. */
  #readHeaderByte(byte: number): void {
    const index = this.#headerBytes;
    this.#headerBytes += 1;
    const isDigit = byte >= BYTE.zero && byte <= BYTE.nine;
    if (index >= this.#limits.headerBytes) this.#breakHeader();
    else if (index < HEADER.length) this.#expectByte(byte, HEADER[index]);
    else if (isDigit && this.#ended === 0) this.#readDigit(byte - BYTE.zero);
    else this.#readHeaderEnd(byte);
  }

  #expectByte(byte: number, expected: number | undefined): void {
    if (byte !== expected) this.#breakHeader();
  }

  #readDigit(digit: number): void {
    this.#digits += 1;
    this.#length = this.#length * 10 + digit;
    if (this.#length === 0) this.#breakHeader();
    else if (this.#length > this.#limits.frameBytes) {
      this.#break(
        'frame-size',
        `The guest declared a message of more than ${this.#limits.frameBytes} bytes.`,
      );
    }
  }

  #readHeaderEnd(byte: number): void {
    if (this.#digits === 0) this.#breakHeader();
    else this.#expectByte(byte, HEADER_END[this.#ended]);
    this.#ended += 1;
    if (this.#ended === HEADER_END.length && this.#violation === null) this.#beginBody();
  }

  #beginBody(): void {
    this.#frames += 1;
    if (this.#frames > this.#limits.frames) {
      this.#break('frames', `The guest sent more than ${this.#limits.frames} messages.`);
      return;
    }
    this.#body = Buffer.allocUnsafe(Math.min(this.#length, FIRST_BUFFER));
    this.#filled = 0;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** Returns the number of bytes taken. */
  #readBody(chunk: Uint8Array): number {
    const part = chunk.subarray(0, this.#length - this.#filled);
    if (!this.#nestsWithin(part)) {
      this.#break('nesting', `The guest sent a message nested deeper than ${this.#limits.nesting} levels.`);
      return part.length;
    }
    const body = this.#grow(this.#filled + part.length);
    body.set(part, this.#filled);
    this.#filled += part.length;
    return part.length;
  }

  #grow(size: number): Buffer {
    const body = this.#body ?? Buffer.alloc(0);
    if (body.length >= size) return body;
    const larger = Buffer.allocUnsafe(Math.min(this.#length, Math.max(size, body.length * 2)));
    larger.set(body.subarray(0, this.#filled));
    this.#body = larger;
    return larger;
  }

  #nestsWithin(part: Uint8Array): boolean {
    for (const byte of part) {
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BYTE.backslash) this.#escaped = true;
        else if (byte === BYTE.quote) this.#inString = false;
      } else if (byte === BYTE.quote) {
        this.#inString = true;
      } else if (byte === BYTE.openObject || byte === BYTE.openArray) {
        this.#depth += 1;
        if (this.#depth > this.#limits.nesting) return false;
      } else if (byte === BYTE.closeObject || byte === BYTE.closeArray) {
        this.#depth -= 1;
      }
    }
    return true;
  }

  #finish(body: Buffer): Buffer | null {
    this.#body = null;
    this.#headerBytes = 0;
    this.#digits = 0;
    this.#ended = 0;
    this.#length = 0;
    if (isUtf8(body)) return body;
    this.#break('utf8', 'The guest sent a message that is not valid UTF-8.');
    return null;
  }

  #breakHeader(): void {
    this.#break('header', 'The guest wrote something other than messages on its output.');
  }

  #break(reason: ViolationReason, text: string): void {
    this.#violation = { reason, text };
    this.#body = null;
  }
}
