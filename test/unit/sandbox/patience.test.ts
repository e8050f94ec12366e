/** An engine that takes a request and never answers it. */
import { mkdtempSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine, type Engine, isConnectionLost } from '../../../server/src/sandbox/engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-patience-'));
const host = `unix://${join(folder, 'engine.sock')}`;
/** Requests that wait for an answer, by path. */
const waiting = new Map<string, http.ServerResponse>();
let engine: Engine;

const server = http.createServer((request, response) => {
  const path = request.url?.split('?')[0] ?? '';
  const answer = (body: object) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  if (path === '/version') answer({ ApiVersion: '1.45', Version: '26.0.0' });
  else if (path === '/info') answer({ OSType: 'linux', SystemTime: new Date().toISOString() });
  else if (path.endsWith('/wait')) response.write('{"StatusCode":');
  else waiting.set(path, response);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
  engine = await connectEngine({
    host,
    patience: [
      [/\/slow\/json$/, 2000],
      [/./, 200],
    ],
  });
});
afterAll(() => {
  engine.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test('every request ends as a lost connection, and its connection is closed', async () => {
  const container = engine.docker.getContainer('one');
  const requests = {
    '/containers/json': () => engine.docker.listContainers(),
    '/containers/create': () => engine.docker.createContainer({ Image: 'x' }),
    '/containers/one/start': () => container.start(),
    '/containers/one': () => container.remove(),
    '/images/x/json': () => engine.docker.getImage('x').inspect(),
    '/build': () => engine.docker.buildImage(Buffer.alloc(0) as unknown as NodeJS.ReadableStream),
    '/containers/one/attach': () => container.attach({ stream: true, hijack: true, stdin: true }),
  };
  for (const [path, ask] of Object.entries(requests)) {
    const error: unknown = await ask().then(
      () => 'answered',
      (refused: unknown) => refused,
    );
    expect([path, isConnectionLost(error)]).toEqual([path, true]);
    expect(String(error)).toMatch(
      new RegExp(`^Error: it did not answer (GET|POST|DELETE) ${path} within 0.2 seconds$`),
    );
    const response = waiting.get(path);
    if (response?.destroyed === false) await new Promise((resolve) => response.once('close', resolve));
  }
});

test('each kind of request has its own time', async () => {
  const inspected = engine.docker.getContainer('slow').inspect();
  const other = engine.docker.getContainer('quick').inspect();
  await expect(other).rejects.toThrow('it did not answer GET /containers/quick/json within 0.2 seconds');
  waiting.get('/containers/slow/json')?.end('{"Id":"slow"}');
  expect(await inspected).toMatchObject({ Id: 'slow' });
});

test('an answer that has begun may take its time', async () => {
  const waited = new Promise((resolve, reject) => {
    const request = {
      path: '/containers/one/wait?',
      method: 'POST',
      isStream: true,
      statusCodes: { 200: true },
    };
    engine.docker.modem.dial(request, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  const stream = (await waited) as http.IncomingMessage;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([stream.destroyed, stream.readableEnded]).toEqual([false, false]);
  stream.destroy();
});
