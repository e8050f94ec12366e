/** A socket in front of an engine's, at which what passes can be stopped at an exact moment. */
import { existsSync, rmSync } from 'node:fs';
import * as net from 'node:net';

export interface Moment {
  /** `up`: to the engine. */
  direction: 'up' | 'down';
  /** Line of the request that the connection is about. */
  request: RegExp;
  /** In the bytes themselves; absent: whatever they are. */
  text?: RegExp;
  /** Which of those that match, from 1; absent: the first. */
  nth?: number;
}

interface Hold {
  moment: Moment;
  seen: number;
  reached(): void;
  /** Resolves with whether what was held passes on. */
  released: Promise<boolean>;
}

export interface Held {
  /** Resolves when the moment has come; the bytes wait from then on. */
  reached: Promise<void>;
  /** Lets them pass, or drops them: what was under way when one of the two ends died. */
  release(pass: boolean): void;
}

const REQUEST = /^(?:GET|HEAD|POST|PUT|DELETE) \S+/;

export class EngineGate {
  readonly host: string;
  readonly #path: string;
  readonly #server = net.createServer({ allowHalfOpen: true });
  readonly #sockets = new Set<net.Socket>();
  #hold: Hold | undefined;

  constructor(path: string) {
    this.#path = path;
    this.host = `unix://${path}`;
  }

  /** `engine`: path of the engine's socket. */
  async open(engine: string): Promise<void> {
    this.#server.on('connection', (client) =>
      this.#join(client, net.connect({ path: engine, allowHalfOpen: true })),
    );
    await new Promise<void>((resolve) => this.#server.listen(this.#path, resolve));
  }

  /** Stops the first bytes of that moment. One at a time. */
  holdAt(moment: Moment): Held {
    let reached: () => void = () => undefined;
    let release: (pass: boolean) => void = () => undefined;
    const held: Held = {
      reached: new Promise<void>((resolve) => {
        reached = () => resolve();
      }),
      release: (pass) => release(pass),
    };
    const released = new Promise<boolean>((resolve) => {
      release = resolve;
    });
    this.#hold = { moment, seen: 0, reached, released };
    return held;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (existsSync(this.#path)) rmSync(this.#path);
  }

  #join(client: net.Socket, engine: net.Socket): void {
    const about = { request: '' };
    for (const [socket, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    void this.#pass('up', client, engine, about);
    void this.#pass('down', engine, client, about);
  }

  async #pass(
    direction: Moment['direction'],
    from: net.Socket,
    to: net.Socket,
    about: { request: string },
  ): Promise<void> {
    try {
      for await (const chunk of from.iterator({ destroyOnReturn: false })) {
        const text = (chunk as Buffer).toString('latin1');
        if (direction === 'up') about.request = REQUEST.exec(text)?.[0] ?? about.request;
        if (await this.#passes(direction, about.request, text)) to.write(chunk);
      }
      to.end();
    } catch {
      to.destroy();
    }
  }

  async #passes(direction: Moment['direction'], request: string, text: string): Promise<boolean> {
    const hold = this.#hold;
    if (hold === undefined) return true;
    const { moment } = hold;
    const isIt =
      moment.direction === direction && moment.request.test(request) && (moment.text?.test(text) ?? true);
    if (!isIt) return true;
    hold.seen += 1;
    if (hold.seen < (moment.nth ?? 1)) return true;
    this.#hold = undefined;
    hold.reached();
    return hold.released;
  }
}
