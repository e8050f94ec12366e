/** What the sandbox tests share: an owner of their own, a stand-in guest, and a proxy in front of the engine's socket. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Readable } from 'node:stream';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { ensureGuestImage } from '../../../server/src/sandbox/image.ts';
import { SANDBOX_LIMITS } from '../../../server/src/sandbox/limits.ts';
import { sandboxUser } from '../../../server/src/sandbox/user.ts';

export const IMAGES_FOLDER = path.resolve(import.meta.dirname, '../../../sandbox-images');
export const RUNTIMES = ['runc', 'runsc'] as const;

/** Says hello on both outputs, echoes stdin, ends with it. */
export const ECHO_GUEST = Buffer.from(`
process.stdout.write('hello\\n');
process.stderr.write('log\\n');
process.stdin.on('data', (data) => process.stdout.write(data));
process.stdin.on('end', () => process.exit(7));
`);

export function temporaryFolder(): { path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'loadline-sandbox-'));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function testOwner(): string {
  return `test-${randomUUID()}`;
}

export async function specFor(engine: Engine, runtime: string, owner: string, guestScript = ECHO_GUEST) {
  const image = await ensureGuestImage(engine, {
    guestScript,
    dockerfile: readFileSync(path.join(IMAGES_FOLDER, 'Dockerfile'), 'utf8'),
  });
  return {
    imageId: image.id,
    runtime,
    runId: 'run-1',
    owner,
    limits: SANDBOX_LIMITS,
    expiresAt: engine.now() + 60_000,
    user: sandboxUser(true),
    seccomp: runtime === 'runsc' ? null : readFileSync(path.join(IMAGES_FOLDER, 'seccomp.json'), 'utf8'),
  };
}

/** Arguments of node that run one of our own scripts in place of the guest. */
export function script(text: string): string[] {
  return ['--max-old-space-size=128', '-e', text];
}

/** Reads until `text` is in it. */
export async function readUntil(stream: Readable, text: string): Promise<string> {
  let seen = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    seen += String(chunk);
    if (seen.includes(text)) return seen;
  }
  throw new Error(`The stream ended after ${JSON.stringify(seen)}`);
}

export interface ProxiedRequest {
  method: string;
  /** Without the query. */
  path: string;
}

export interface EngineProxy {
  /** `unix://...` */
  host: string;
  requests: ProxiedRequest[];
  /** Called before a request is passed on; an answer given here is sent in place of the engine's. */
  before: (request: ProxiedRequest) => { status: number; body: object } | undefined;
  /** Called with the engine's JSON answer before it is passed back. */
  after: (request: ProxiedRequest, body: Buffer) => Buffer;
  /** Cuts every connection and takes no new one. */
  cut(): void;
  close(): Promise<void>;
}

const ENGINE_SOCKET = '/var/run/docker.sock';

export async function engineProxy(folder: string): Promise<EngineProxy> {
  const sockets = new Set<net.Socket>();
  const server = http.createServer();
  const listen = path.join(folder, `proxy-${randomUUID().slice(0, 8)}.sock`);
  const proxy: EngineProxy = {
    host: `unix://${listen}`,
    requests: [],
    before: () => undefined,
    after: (_request, body) => body,
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  const note = (incoming: http.IncomingMessage): ProxiedRequest => {
    const request = { method: incoming.method ?? '', path: (incoming.url ?? '').split('?')[0] ?? '' };
    proxy.requests.push(request);
    return request;
  };
  const track = (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  server.on('connection', track);
  server.on('request', (incoming, outgoing) => {
    const request = note(incoming);
    const answer = proxy.before(request);
    if (answer !== undefined) {
      incoming.resume();
      outgoing
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body));
      return;
    }
    const { method, url, headers } = incoming;
    const upstream = http.request(
      { socketPath: ENGINE_SOCKET, method, path: url, headers, agent: false },
      (from) => {
        const chunks: Buffer[] = [];
        from.on('data', (chunk) => chunks.push(chunk));
        from.on('end', () => {
          const body = proxy.after(request, Buffer.concat(chunks));
          const status = from.statusCode ?? 500;
          outgoing
            .writeHead(status, { 'content-type': from.headers['content-type'] ?? 'text/plain' })
            .end(body);
        });
      },
    );
    upstream.on('socket', track);
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  server.on('upgrade', (incoming, socket: net.Socket, head: Buffer) => {
    proxy.before(note(incoming));
    const upstream = net.connect(ENGINE_SOCKET);
    track(upstream);
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let n = 0; n < incoming.rawHeaders.length; n += 2) {
      lines.push(`${incoming.rawHeaders[n]}: ${incoming.rawHeaders[n + 1]}`);
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(listen, resolve));
  return proxy;
}

export { connectEngine };
