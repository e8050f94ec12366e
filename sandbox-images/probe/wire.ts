/** The guest protocol spoken by hand: what a guest that has been taken over could write, true or forged. */
import { writeSync } from 'node:fs';
import { encodeFrame, START_MARKER } from '../../shared/src/guestProtocol.ts';
import type { Json, JsonObject } from '../../shared/src/json.ts';

export interface Asked {
  id: number;
  method: string;
  params: JsonObject;
}

const HEADER_END = Buffer.from('\r\n\r\n');

export class Wire {
  /** Every byte that the host ever wrote. */
  history = Buffer.alloc(0);
  readonly #waiting = new Map<number, (result: Json) => void>();
  #asked: (request: Asked) => void = () => undefined;
  #read = 0;
  #id = 0;

  /** Greets once the start marker was read, then hands over the host's requests. */
  listen(asked: (request: Asked) => void): void {
    this.#asked = asked;
    let greeted = false;
    process.stdin.on('data', (chunk: Buffer) => {
      this.history = Buffer.concat([this.history, chunk]);
      if (!greeted) {
        const at = this.history.indexOf(START_MARKER);
        if (at < 0) return;
        greeted = true;
        this.#read = at + Buffer.byteLength(START_MARKER);
        this.send({ method: 'hello', params: { protocol: 1, node: process.version } });
      }
      this.#readFrames();
    });
    process.stdin.on('end', () => process.exit(0));
  }

  send(message: JsonObject): void {
    this.write(encodeFrame({ jsonrpc: '2.0', ...message }));
  }

  /** Writes all of it before it returns: a half frame is meant to be half. */
  write(bytes: Uint8Array | string): void {
    const all = Buffer.from(bytes as Uint8Array);
    for (let at = 0; at < all.length; ) {
      try {
        at += writeSync(1, all, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      }
    }
  }

  request(method: string, params: JsonObject): Promise<Json> {
    this.#id += 1;
    const id = this.#id;
    this.send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  answer(id: number, result: Json): void {
    this.send({ id, result });
  }

  #readFrames(): void {
    for (;;) {
      const end = this.history.indexOf(HEADER_END, this.#read);
      if (end < 0) return;
      const size = Number(
        /Content-Length: (\d+)/.exec(this.history.toString('latin1', this.#read, end))?.[1],
      );
      const from = end + HEADER_END.length;
      if (this.history.length < from + size) return;
      this.#read = from + size;
      this.#take(JSON.parse(this.history.toString('utf8', from, from + size)));
    }
  }

  #take(message: JsonObject): void {
    const { id, method, params = {}, result = null } = message;
    if (typeof method === 'string') this.#asked({ id: Number(id), method, params: params as JsonObject });
    else this.#waiting.get(Number(id))?.(result);
  }
}
