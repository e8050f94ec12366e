/** A guest played by the test: it writes what it is told to and reads what the host writes, over the real channel. */
import { PassThrough } from 'node:stream';
import {
  type GuestChannel,
  type GuestHandlers,
  openGuestChannel,
} from '../../../server/src/sandbox/guestChannel.ts';
import {
  type AdvanceParams,
  type CallParams,
  type CallResult,
  encodeFrame,
  type LIMITS,
  type SettledParams,
  START_MARKER,
} from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';

export const HELLO = { jsonrpc: '2.0', method: 'hello', params: { protocol: 1, node: 'v22.0.0' } };
export const OK: CallResult = { ok: true, status: 200, body: null };

export const callMessage = (id: Json, params: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'call' },
  params: { method: 'GET', target: '/robots', headers: {}, at: 0, ...params },
});

export const settledMessage = (result: unknown, step = 0) => ({
  ...{ jsonrpc: '2.0', method: 'settled' },
  params: { step, invocation: 0, at: 0, result },
});

export interface Peer {
  channel: GuestChannel;
  stdin: PassThrough;
  stdout: PassThrough;
  stderr: PassThrough;
  /** What the handlers were given, in order. */
  heard: unknown[];
  say(...messages: unknown[]): void;
  /** Messages the host has written so far. */
  read(): { id?: number; method?: string; result?: CallResult; params?: Json }[];
  /** Lets everything that was said be handled. */
  quiet(): Promise<void>;
}

export function openPeer(
  handlers: Partial<GuestHandlers> = {},
  limits: Partial<Record<keyof typeof LIMITS, number>> = {},
): Peer {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const heard: unknown[] = [];
  const written: Buffer[] = [];
  stdin.on('data', (chunk: Buffer) => written.push(chunk));
  const channel = openGuestChannel({
    ...{ stdin, stdout, stderr, limits },
    handlers: {
      call(params: CallParams) {
        heard.push(['call', params.target]);
        return handlers.call?.(params) ?? Promise.resolve(OK);
      },
      advance(params: AdvanceParams) {
        heard.push(['advance', params.timer]);
        return handlers.advance?.(params) ?? Promise.resolve({ now: 1, until: 2 });
      },
      settled(params: SettledParams) {
        heard.push(['settled', params.result]);
        handlers.settled?.(params);
      },
    },
  });
  return {
    ...{ channel, stdin, stdout, stderr, heard },
    say(...messages) {
      stdout.write(Buffer.concat(messages.map(encodeFrame)));
    },
    read() {
      const text = Buffer.concat(written).toString('utf8');
      if (!text.startsWith(START_MARKER)) throw new Error('The start marker is missing.');
      return text
        .split(/Content-Length: \d+\r\n\r\n/)
        .slice(1)
        .map((body) => JSON.parse(body));
    },
    async quiet() {
      for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
