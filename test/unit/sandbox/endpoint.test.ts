import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DiscoveryInput, findEndpoint } from '../../../server/src/sandbox/endpoint.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'loadline-endpoint-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function find(change: Partial<DiscoveryInput> = {}) {
  return findEndpoint({ env: {}, home, platform: 'linux', uid: 1000, ...change });
}

function write(file: string, text: string) {
  const full = path.join(home, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
}

function defineContext(name: string, endpoint: object, tls: Record<string, string> = {}) {
  const id = createHash('sha256').update(name).digest('hex');
  write(
    `.docker/contexts/meta/${id}/meta.json`,
    JSON.stringify({ Name: name, Endpoints: { docker: endpoint } }),
  );
  for (const [file, text] of Object.entries(tls)) write(`.docker/contexts/tls/${id}/docker/${file}`, text);
}

describe('the order in which an engine is looked for', () => {
  it('an explicit host, DOCKER_HOST, DOCKER_CONTEXT, the current context, a default socket', () => {
    write('.docker/config.json', '{"currentContext": "current"}');
    defineContext('current', { Host: 'tcp://current:1' });
    defineContext('named', { Host: 'tcp://named:1' });
    const env = { DOCKER_HOST: 'tcp://env:1', DOCKER_CONTEXT: 'named' };
    expect(find({ host: 'tcp://explicit:1', env }).host).toBe('explicit');
    expect(find({ env }).host).toBe('env');
    expect(find({ env: { DOCKER_CONTEXT: 'named' } }).host).toBe('named');
    expect(find()).toMatchObject({ host: 'current', source: 'the docker context "current"' });
    expect(find({ env: { DOCKER_CONTEXT: 'default', XDG_RUNTIME_DIR: home } }).source).toBe(
      'the default socket',
    );
  });

  it('reads the configuration from DOCKER_CONFIG where it is set', () => {
    write('elsewhere/config.json', '{"currentContext": "gone"}');
    expect(() => find({ env: { DOCKER_CONFIG: path.join(home, 'elsewhere') } })).toThrow(
      'The docker context "gone" is selected but not defined; run `docker context use default` or define it.',
    );
  });

  it('says which file is broken', () => {
    write('.docker/config.json', '{"currentContext":');
    expect(() => find()).toThrow(
      `Docker's configuration ${path.join(home, '.docker/config.json')} is not valid JSON; correct or remove it.`,
    );
  });

  it('is not misled by names of the prototype', () => {
    write('.docker/config.json', '{"__proto__": {"currentContext": "evil"}}');
    expect(find({ env: { XDG_RUNTIME_DIR: home } }).source).toBe('the default socket');
  });

  it('on Windows the pipe', () => {
    expect(find({ platform: 'win32' })).toMatchObject({
      kind: 'npipe',
      socketPath: '//./pipe/docker_engine',
    });
  });
});

describe('the forms of an endpoint', () => {
  const read = (host: string, env: DiscoveryInput['env'] = {}) => {
    const { kind, socketPath, host: name, port, user, tls } = find({ host, env });
    return [kind, socketPath || `${user}@${name}:${port}`, tls?.verify];
  };

  it.each([
    ['unix:///run/x.sock', ['unix', '/run/x.sock', undefined]],
    ['unix://', ['unix', '/var/run/docker.sock', undefined]],
    ['/run/x.sock', ['unix', '/run/x.sock', undefined]],
    ['npipe:////./pipe/docker_engine', ['npipe', '//./pipe/docker_engine', undefined]],
    ['tcp://h', ['tcp', '@h:2375', undefined]],
    ['tcp://h:80', ['tcp', '@h:80', undefined]],
    ['tcp://[::1]:2375', ['tcp', '@::1:2375', undefined]],
    ['http://h:2375', ['tcp', '@h:2375', undefined]],
    ['https://h', ['tcp', '@h:2376', true]],
    ['h:2375', ['tcp', '@h:2375', undefined]],
    ['ssh://me@h', ['ssh', 'me@h:22', undefined]],
    ['ssh://me@h:2222', ['ssh', 'me@h:2222', undefined]],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('with TLS where DOCKER_TLS_VERIFY or DOCKER_TLS asks for it', () => {
    write('certs/ca.pem', 'CA');
    const env = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: path.join(home, 'certs') };
    expect(find({ host: 'tcp://h', env })).toMatchObject({ port: 2376, tls: { ca: 'CA', verify: true } });
    expect(read('tcp://h', { DOCKER_TLS: '1' })).toEqual(['tcp', '@h:2376', false]);
    expect(read('tcp://h', { DOCKER_TLS_VERIFY: '' })).toEqual(['tcp', '@h:2375', undefined]);
  });

  it('with the TLS files of a context', () => {
    defineContext(
      'c',
      { Host: 'tcp://h:1', SkipTLSVerify: true },
      { 'ca.pem': 'A', 'cert.pem': 'B', 'key.pem': 'C' },
    );
    expect(find({ env: { DOCKER_CONTEXT: 'c' } }).tls).toEqual({
      ca: 'A',
      cert: 'B',
      key: 'C',
      verify: false,
    });
  });

  it('by the name of a docker context, where one has it', () => {
    defineContext('far', { Host: 'ssh://me@h' });
    const env = { DOCKER_HOST: 'tcp://env:1', DOCKER_CONTEXT: 'other' };
    expect(find({ host: 'far', env })).toMatchObject({
      ...{ kind: 'ssh', host: 'h', user: 'me', source: 'the docker context "far"' },
    });
    expect(find({ host: 'near', env })).toMatchObject({ kind: 'tcp', host: 'near', port: 2375 });
    expect(find({ host: 'far:2375', env })).toMatchObject({ kind: 'tcp', host: 'far', port: 2375 });
  });

  it.each(['tcp://', 'ftp://h', 'tcp://h:port', '://'])('but not %s', (text) => {
    expect(() => find({ host: text })).toThrow(
      `The engine address "${text}" (from the configured host) cannot be read; use unix://, tcp://, ssh:// or npipe://.`,
    );
  });
});
