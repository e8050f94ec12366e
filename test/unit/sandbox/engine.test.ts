import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../server/src/sandbox/endpoint.ts';
import {
  connectEngine,
  EngineUnavailable,
  engineWords,
  readFacts,
} from '../../../server/src/sandbox/engine.ts';
import { NothingRan } from '../../../server/src/sandbox/nothingRan.ts';

const endpoint: Endpoint = {
  ...{ kind: 'unix', url: 'unix:///e.sock', socketPath: '/e.sock', host: '', port: 0, user: '' },
  source: 'the default socket',
};
const version = { Version: '24.0.7', ApiVersion: '1.43', Components: [{ Name: 'Engine' }] };
const info = {
  ...{ ID: 'id', OSType: 'linux', OperatingSystem: 'Debian', Architecture: 'x86_64', KernelVersion: '6.1' },
  ...{
    CgroupVersion: '2',
    DefaultRuntime: 'runc',
    NCPU: 2,
    MemTotal: 1000,
    SystemTime: '2026-01-01T00:00:10.5Z',
  },
  Runtimes: { runsc: { path: '/usr/bin/runsc', runtimeArgs: ['--a'] }, runc: { path: 'runc' } },
  SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'],
};
const asked = Date.parse('2026-01-01T00:00:00Z');

describe('the facts of an engine', () => {
  it('are read from its own answers', () => {
    expect(readFacts(endpoint, version, info, asked)).toEqual({
      ...{
        id: 'id',
        name: 'Docker',
        version: '24.0.7',
        apiVersion: '1.43',
        endpoint: 'unix:///e.sock',
        local: true,
      },
      ...{ operatingSystem: 'Debian', architecture: 'x86_64', kernelVersion: '6.1', cgroupVersion: '2' },
      runtimes: [
        { name: 'runc', path: 'runc', args: [] },
        { name: 'runsc', path: '/usr/bin/runsc', args: ['--a'] },
      ],
      ...{ defaultRuntime: 'runc', rootless: true, userNamespaces: false, seccomp: true },
      ...{ cpus: 2, memoryBytes: 1000, clockSkewMs: 10_500 },
    });
  });

  it('name Podman where it is Podman', () => {
    const podman = { ...version, Components: [{ Name: 'Podman Engine' }, { Name: 'Conmon' }] };
    expect(readFacts(endpoint, podman, info, asked).name).toBe('Podman');
  });

  it.each([
    ['an engine of Windows containers', version, { ...info, OSType: 'windows' }, 'not-linux'],
    ['an engine that is too old', { ...version, ApiVersion: '1.39' }, info, 'too-old'],
    ['what has no API version', {}, info, 'not-an-engine'],
    ['what answers with text', 'hello', 'hello', 'not-an-engine'],
    ['what has no clock', version, { ...info, SystemTime: '' }, 'not-an-engine'],
  ])('refuse %s', (_name, versionAnswer, infoAnswer, problem) => {
    const read = () => readFacts(endpoint, versionAnswer, infoAnswer, asked);
    expect(read).toThrow(EngineUnavailable);
    expect(read).toThrow(expect.objectContaining({ reason: 'engine', problem }));
  });
});

describe('an engine that cannot be used is named with its reason', () => {
  let folder: string;
  let socket: string;
  const servers: net.Server[] = [];
  const connections = new Set<net.Socket>();

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'loadline-engine-'));
    socket = path.join(folder, 'e.sock');
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.destroy();
      await closed;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(server: net.Server, at: string | number = socket): Promise<number> {
    servers.push(server);
    server.on('connection', (connection) => connections.add(connection));
    await new Promise<void>((resolve) =>
      typeof at === 'number' ? server.listen(at, '127.0.0.1', resolve) : server.listen(at, resolve),
    );
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  const connect = (host = `unix://${socket}`, timeoutMs = 5000) =>
    connectEngine({ host, timeoutMs }).then(
      () => 'connected',
      (error: unknown) => error,
    );

  it('no socket', async () => {
    expect(await connect()).toMatchObject({
      problem: 'absent',
      message: `No container engine: there is no socket at unix://${socket} (from the configured host). Install and start Docker, or set DOCKER_HOST.`,
    });
  });

  it('a socket that nobody listens on', async () => {
    // A listener that died leaves its socket file behind.
    const stale = path.join(folder, 'stale.sock');
    const die = `require('net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`;
    try {
      execFileSync(process.execPath, ['-e', die], { stdio: 'ignore' });
    } catch {
      // Killed by its own signal.
    }
    expect(await connect(`unix://${stale}`)).toMatchObject({
      problem: 'refused',
      message: `Nothing listens at unix://${stale} (from the configured host): the engine is not running. Start it (\`sudo systemctl start docker\` or Docker Desktop).`,
    });
  });

  it('a plain file', async () => {
    writeFileSync(socket, '');
    expect(await connect()).toMatchObject({ reason: 'engine' });
  });

  it.each([
    ['another web server', (_request: unknown, response: http.ServerResponse) => response.end('<html>')],
    [
      'one that knows no such path',
      (_request: unknown, response: http.ServerResponse) => response.writeHead(404).end(),
    ],
    ['one with other JSON', (_request: unknown, response: http.ServerResponse) => response.end('{"a": 1}')],
  ])('%s', async (_name, handler) => {
    await serve(http.createServer(handler));
    expect(await connect()).toMatchObject({
      problem: 'not-an-engine',
      message: `What answers at unix://${socket} (from the configured host) is not a container engine; check that address.`,
    });
  });

  it('what does not speak HTTP', async () => {
    await serve(net.createServer((connection) => connection.end('SSH-2.0-OpenSSH\r\n')));
    expect(await connect()).toMatchObject({ problem: 'not-an-engine' });
  });

  it('one that does not answer', async () => {
    await serve(net.createServer(() => undefined));
    expect(await connect(undefined, 50)).toMatchObject({
      problem: 'timeout',
      message: `The engine at unix://${socket} (from the configured host) does not answer; restart it, or name another host.`,
    });
  });

  it('TLS where there is none', async () => {
    const port = await serve(http.createServer(), 0);
    expect(await connect(`https://127.0.0.1:${port}`)).toMatchObject({ problem: 'tls', reason: 'engine' });
  });

  it('a name that does not resolve', async () => {
    expect(await connect('tcp://no-such-host.invalid:1')).toMatchObject({ problem: 'unreachable' });
  });

  it('and DOCKER_HOST does not leak into another host', async () => {
    const saved = process.env.DOCKER_HOST;
    process.env.DOCKER_HOST = 'tcp://no-such-host.invalid:1';
    const error = await connect();
    expect(process.env.DOCKER_HOST).toBe('tcp://no-such-host.invalid:1');
    if (saved === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = saved;
    expect(error).toMatchObject({ problem: 'absent' });
    expect(error).toBeInstanceOf(NothingRan);
  });
});

it("an engine's words are the sentence it gave", () => {
  const withBody = Object.assign(new Error('(HTTP code 500) server error - x '), {
    json: { message: 'no\n space' },
  });
  expect(engineWords(withBody)).toBe('no space');
  expect(engineWords(new Error('(HTTP code 500) server error - gone '))).toBe('gone');
  expect(engineWords('plain')).toBe('plain');
});
