import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createHttpVendor,
  type HttpVendorOptions,
  vendorOrigin,
} from '../../../server/src/broker/httpVendor.ts';
import { createBrokerSession } from '../../../server/src/broker/session.ts';
import { RealClock } from '../../../server/src/runner/clock.ts';
import type { VendorRequest } from '../../../server/src/vendor/vendor.ts';
import { AUTHORIZATION, brief, fleetSurface } from './rig.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listening(server: Server | TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function httpVendor(handler: Handler, more: Partial<HttpVendorOptions> = {}) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handler(request, response, body);
  });
  return createHttpVendor({ origin: await listening(server), ...more });
}

/** A server that does as it likes with the bytes. */
async function rawVendor(
  onData: (socket: Socket, text: string) => void,
  more: Partial<HttpVendorOptions> = {},
) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => onData(socket, data.toString()));
  });
  return createHttpVendor({ origin: await listening(server), ...more });
}

function get(target = '/robots', more: Partial<VendorRequest> = {}): VendorRequest {
  return {
    method: 'GET',
    target,
    headers: { accept: 'application/json', authorization: AUTHORIZATION },
    call: 1,
    step: 0,
    ...more,
  };
}

describe('a whole answer', () => {
  test('the request arrives byte for byte; status, two headers and the parsed body come back', async () => {
    const seen: unknown[] = [];
    const vendor = await httpVendor((request, response, body) => {
      const { host, ...headers } = request.headers;
      seen.push({ method: request.method, url: request.url, headers, body });
      response.writeHead(201, {
        'content-type': 'application/vnd.x+json; charset=utf-8',
        'retry-after': '3',
        'set-cookie': 'a=b',
        location: '/x',
      });
      response.end('{"id": "ü"}');
    });
    const outcome = await vendor.handle(
      get('/robots/%C3%BC,a%2Cb/missions?k=a%20b&k=', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: AUTHORIZATION },
        body: { target: 'ü' },
      }),
      0,
    );
    expect(outcome).toEqual({
      kind: 'answer',
      status: 201,
      headers: { 'content-type': 'application/vnd.x+json; charset=utf-8', 'retry-after': '3' },
      body: { id: 'ü' },
      afterMs: 0,
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/robots/%C3%BC,a%2Cb/missions?k=a%20b&k=',
        headers: {
          'content-type': 'application/json',
          'content-length': '15',
          authorization: AUTHORIZATION,
          'accept-encoding': 'identity',
          connection: 'close',
        },
        body: '{"target":"ü"}',
      },
    ]);
  });

  test.each([
    ['no content', 204, {}, '', null],
    ['an empty body', 200, { 'content-type': 'application/json' }, '', null],
    ['text', 200, { 'content-type': 'text/plain' }, '[1]', '[1]'],
    ['no type', 200, {}, '[1]', '[1]'],
    ['JSON that is none', 500, { 'content-type': 'application/json' }, '<html>', '<html>'],
    ['a redirect, which is not followed', 302, { location: '/other' }, 'moved', 'moved'],
  ])('%s', async (_, status, headers, text, body) => {
    let calls = 0;
    const vendor = await httpVendor((__, response) => {
      calls += 1;
      response.writeHead(status, headers).end(text);
    });
    expect(await vendor.handle(get(), 0)).toMatchObject({ kind: 'answer', status, body });
    expect(calls).toBe(1);
  });

  test('a form is sent as the text it is', async () => {
    let seen = '';
    const vendor = await httpVendor((_, response, body) => {
      seen = body;
      response.end();
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await vendor.handle(get('/x', { method: 'POST', headers, body: 'a=1&b=%20' }), 0);
    expect(seen).toBe('a=1&b=%20');
  });

  test('an answer given before the request was read counts', async () => {
    let answered = false;
    const vendor = await rawVendor((socket) => {
      if (!answered) socket.write('HTTP/1.1 413 No\r\ncontent-length: 2\r\n\r\nno');
      answered = true;
    });
    const headers = { 'content-type': 'application/json' };
    const outcome = await vendor.handle(get('/x', { method: 'POST', headers, body: 'x'.repeat(900_000) }), 0);
    expect(outcome).toEqual({ kind: 'answer', status: 413, headers: {}, body: 'no', afterMs: 0 });
  });
});

describe('no whole answer', () => {
  test('nobody listens: unopened', async () => {
    const server = createTcpServer();
    const origin = await listening(server);
    await cleanups.pop()?.();
    expect(await createHttpVendor({ origin }).handle(get(), 0)).toEqual({ kind: 'unopened', afterMs: 0 });
  });

  test('TLS that fails: unopened, no request was sent', async () => {
    const seen: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        seen.push(data.toString('latin1'));
        socket.end('HTTP/1.1 400 Bad\r\n\r\n');
      });
    });
    const origin = (await listening(server)).replace('http:', 'https:');
    expect(await createHttpVendor({ origin }).handle(get(), 0)).toEqual({ kind: 'unopened', afterMs: 0 });
    expect(seen.join('')).not.toContain('secret-token');
  });

  test.each<[string, (socket: Socket, text: string) => void]>([
    ['closed after the request', (socket) => socket.end()],
    ['reset after the request', (socket) => socket.resetAndDestroy()],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20')],
    ['half a body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')],
    [
      'a reset in the body',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy()),
    ],
    [
      'a chunk that is cut',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
    ],
    [
      'chunks without an end',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n'),
    ],
    ['what is no HTTP', (socket) => socket.end('220 mail ready\r\n')],
    [
      'an encoding that was not asked for',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nab'),
    ],
  ])('%s: dropped', async (_, onData) => {
    const vendor = await rawVendor(onData);
    expect(await vendor.handle(get(), 0)).toEqual({ kind: 'dropped', afterMs: 0 });
  });

  test('an answer over 4 MiB', async () => {
    const vendor = await httpVendor((request, response) =>
      response.end('x'.repeat(4 * 1024 * 1024 + (request.url === '/more' ? 1 : 0))),
    );
    expect(await vendor.handle(get('/fits'), 0)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await vendor.handle(get('/more'), 0)).toEqual({ kind: 'dropped', afterMs: 0 });
  });

  test('an answer that takes too long, and one that never ends', async () => {
    const silent = await httpVendor(() => undefined, { answerMs: 50 });
    expect(await silent.handle(get(), 0)).toEqual({ kind: 'dropped', afterMs: 0 });
    const endless = await httpVendor((_, response) => response.write('x'), { answerMs: 50 });
    expect(await endless.handle(get(), 0)).toEqual({ kind: 'dropped', afterMs: 0 });
  });

  test('close() cuts what is under way', async () => {
    const vendor = await httpVendor(() => vendor.close());
    expect(await vendor.handle(get(), 0)).toEqual({ kind: 'dropped', afterMs: 0 });
  });

  test('no connection is used twice: one that went stale can never look like one that was not opened', async () => {
    const ports = new Set<number>();
    const vendor = await httpVendor((request, response) => {
      ports.add(request.socket.remotePort ?? 0);
      response.setHeader('connection', 'keep-alive').end();
    });
    for (let index = 0; index < 3; index += 1) await vendor.handle(get(), 0);
    expect(ports.size).toBe(3);
  });
});

describe('the address', () => {
  test.each([
    'https://vendor.example',
    'https://vendor.example:8443',
    'https://vendor.example/',
    'http://127.0.0.1:80',
    'http://127.9.9.9',
    'http://localhost:1',
    'http://[::1]:1',
  ])('%s is an origin', (address) => {
    expect(vendorOrigin(address).origin).toBe(new URL(address).origin);
  });
  const bare =
    "The vendor's address must be a bare origin (https://host:port), without a path, query or user.";
  const plain = "The vendor's address must be https; plain http is for this machine's loopback only.";
  const none = "The vendor's address is no http or https address; write it as https://host:port.";
  test.each([
    ['http://vendor.example', plain],
    ['http://10.0.0.1', plain],
    ['http://127.0.0.1.vendor.example', plain],
    ['http://localhost.vendor.example', plain],
    ['https://vendor.example/v1', bare],
    ['https://vendor.example?', bare],
    ['https://vendor.example/#', bare],
    ['https://u:p@vendor.example', bare],
    ['https://u@vendor.example', bare],
    ['ftp://vendor.example', none],
    ['file:///etc/passwd', none],
    ['vendor.example', none],
    ['', none],
  ])('%s is none', (address, message) => {
    expect(() => createHttpVendor({ origin: address })).toThrow(message);
  });
});

describe('a session on the real clock', () => {
  test('calls are under way side by side and answered as they come', async () => {
    const waiting: ServerResponse[] = [];
    const vendor = await httpVendor((request, response) => {
      if (request.url === '/robots') {
        response.setHeader('content-type', 'application/json').end('[]');
        waiting.pop()?.setHeader('content-type', 'application/json').end('{}');
      } else waiting.push(response);
    });
    const clock = new RealClock();
    const broker = createBrokerSession({
      surface: fleetSurface(),
      vendor,
      clock,
      authorization: AUTHORIZATION,
    });
    broker.setStep(0);
    const slow = broker.call({ method: 'GET', target: '/robots/r1', headers: {}, at: 0 });
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const quick = broker.call({ method: 'GET', target: '/robots', headers: {}, at: 0 });
    expect([brief(await quick.answer), brief(await slow.answer)]).toEqual(['ok 200', 'ok 200']);
    expect(broker.trace().map(({ operation, status }) => [operation, status])).toEqual([
      ['getRobot', 200],
      ['listRobots', 200],
    ]);
    broker.end();
    clock.stop();
  });

  test('a vendor that echoes its request is not passed on', async () => {
    const vendor = await httpVendor((request, response) => response.end(JSON.stringify(request.headers)));
    const clock = new RealClock();
    const broker = createBrokerSession({
      surface: fleetSurface(),
      vendor,
      clock,
      authorization: AUTHORIZATION,
    });
    broker.setStep(0);
    const { answer } = broker.call({ method: 'GET', target: '/robots', headers: {}, at: 0 });
    expect(brief(await answer)).toBe('502 broker sent:yes unknown wait:0');
    broker.end();
    clock.stop();
  });
});
