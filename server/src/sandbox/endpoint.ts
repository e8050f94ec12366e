/**
 * Where the container engine listens, found in the order docker's own client uses: an explicit host, DOCKER_HOST,
 * DOCKER_CONTEXT, the current context of config.json, then the sockets that engines create by default.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { NothingRan } from './nothingRan.ts';

export interface TlsFiles {
  /** PEM texts; absent where the endpoint has none. */
  ca?: string;
  cert?: string;
  key?: string;
  /** False: the server's certificate is not checked (a context can say so). */
  verify: boolean;
}

export interface Endpoint {
  kind: 'unix' | 'npipe' | 'tcp' | 'ssh';
  /** As docker writes it: `unix:///var/run/docker.sock`, `tcp://host:2376`, `ssh://user@host`. */
  url: string;
  /** Socket or pipe path; empty for tcp and ssh. */
  socketPath: string;
  /** Host and port of tcp and ssh; empty and 0 else. */
  host: string;
  port: number;
  user: string;
  /** What named it, for messages. */
  source: string;
  /** Present: TLS is used. */
  tls?: TlsFiles;
}

/** What discovery looks at; tests give their own. */
export interface DiscoveryInput {
  /** Setting or option; wins over everything. */
  host?: string;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: NodeJS.Platform;
  uid: number;
}

export function processDiscovery(host?: string): DiscoveryInput {
  return {
    ...(host === undefined ? {} : { host }),
    env: process.env,
    home: os.homedir(),
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
  };
}

/** Throws NothingRan('engine') when what is configured cannot be read as an endpoint. */
export function findEndpoint(input: DiscoveryInput): Endpoint {
  if (input.host) return namedEndpoint(input.host, input);
  const fromEnv = input.env.DOCKER_HOST;
  if (fromEnv) return parseEndpoint(fromEnv, 'DOCKER_HOST', input, envTls(input));
  const context = input.env.DOCKER_CONTEXT || currentContext(input);
  if (context && context !== 'default') return contextEndpoint(context, input);
  const url = defaultUrl(input);
  return parseEndpoint(url, 'the default socket', input, undefined);
}

/** An address, or the name of a docker context: that a context has that name decides. */
function namedEndpoint(host: string, input: DiscoveryInput): Endpoint {
  const isAddress = /[:/]/.test(host);
  if (!isAddress && contextMeta(host, input) !== undefined) return contextEndpoint(host, input);
  return parseEndpoint(host, 'the configured host', input, envTls(input));
}

function configFolder(input: DiscoveryInput): string {
  return input.env.DOCKER_CONFIG || path.join(input.home, '.docker');
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function readObject(file: string): object | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    throw new NothingRan('engine', `Docker's configuration ${file} is not valid JSON; correct or remove it.`);
  }
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

function currentContext(input: DiscoveryInput): string | undefined {
  const name = own(readObject(path.join(configFolder(input), 'config.json')), 'currentContext');
  return typeof name === 'string' ? name : undefined;
}

function contextsFolder(input: DiscoveryInput): string {
  return path.join(configFolder(input), 'contexts');
}

function contextId(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

function contextMeta(name: string, input: DiscoveryInput): object | undefined {
  return readObject(path.join(contextsFolder(input), 'meta', contextId(name), 'meta.json'));
}

function contextEndpoint(name: string, input: DiscoveryInput): Endpoint {
  const docker = own(own(contextMeta(name, input), 'Endpoints'), 'docker');
  const host = own(docker, 'Host');
  if (typeof host !== 'string' || host === '') {
    throw new NothingRan(
      'engine',
      `The docker context "${name}" is selected but not defined; run \`docker context use default\` or define it.`,
    );
  }
  const tlsFolder = path.join(contextsFolder(input), 'tls', contextId(name), 'docker');
  const files = pemFiles(tlsFolder);
  const skip = own(docker, 'SkipTLSVerify') === true;
  const tls = files === undefined && !skip ? undefined : { ...files, verify: !skip };
  return parseEndpoint(host, `the docker context "${name}"`, input, tls);
}

function pemFiles(folder: string): Omit<TlsFiles, 'verify'> | undefined {
  const ca = readText(path.join(folder, 'ca.pem'));
  const cert = readText(path.join(folder, 'cert.pem'));
  const key = readText(path.join(folder, 'key.pem'));
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** TLS as DOCKER_TLS_VERIFY, DOCKER_TLS and DOCKER_CERT_PATH ask for it. */
function envTls(input: DiscoveryInput): TlsFiles | undefined {
  const verify = Boolean(input.env.DOCKER_TLS_VERIFY);
  if (!verify && !input.env.DOCKER_TLS) return undefined;
  return { ...pemFiles(input.env.DOCKER_CERT_PATH || configFolder(input)), verify };
}

/** Sockets that engines create, most usual first. The first usable one is taken, else the first that exists. */
function defaultUrl(input: DiscoveryInput): string {
  if (input.platform === 'win32') return 'npipe:////./pipe/docker_engine';
  const runtime = input.env.XDG_RUNTIME_DIR || (input.uid > 0 ? `/run/user/${input.uid}` : undefined);
  const candidates = [
    '/var/run/docker.sock',
    path.join(input.home, '.docker/run/docker.sock'),
    ...(runtime === undefined ? [] : [`${runtime}/docker.sock`, `${runtime}/podman/podman.sock`]),
    ...(input.uid === 0 ? ['/run/podman/podman.sock'] : []),
  ];
  const usable = (file: string, mode: number) => {
    try {
      fs.accessSync(file, mode);
      return true;
    } catch {
      return false;
    }
  };
  const found =
    candidates.find((file) => usable(file, fs.constants.R_OK | fs.constants.W_OK)) ??
    candidates.find((file) => usable(file, fs.constants.F_OK)) ??
    '/var/run/docker.sock';
  return `unix://${found}`;
}

/** Reads one endpoint URL. `source` says in messages where it came from. */
function parseEndpoint(
  text: string,
  source: string,
  input: DiscoveryInput,
  tls: TlsFiles | undefined,
): Endpoint {
  const blank = { url: text, socketPath: '', host: '', port: 0, user: '', source };
  if (text.startsWith('unix://')) {
    return { ...blank, kind: 'unix', socketPath: text.slice('unix://'.length) || '/var/run/docker.sock' };
  }
  if (text.startsWith('npipe://')) {
    return { ...blank, kind: 'npipe', socketPath: text.slice('npipe://'.length) || '//./pipe/docker_engine' };
  }
  // A bare path is how people write a socket in a setting; a bare host:port is how docker reads `-H host:port`.
  if (text.startsWith('/')) return parseEndpoint(`unix://${text}`, source, input, undefined);
  const withScheme = text.includes('://') ? text : `tcp://${text}`;
  let url: URL;
  try {
    url = new URL(withScheme.replace(/^tcp:/, 'http:'));
  } catch {
    throw badEndpoint(text, source);
  }
  if (url.hostname === '') throw badEndpoint(text, source);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'ssh:') {
    const user = decodeURIComponent(url.username) || input.env.USER || '';
    return { ...blank, kind: 'ssh', host, port: Number(url.port || 22), user };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badEndpoint(text, source);
  const secure = tls ?? (url.protocol === 'https:' ? { verify: true } : undefined);
  // The URL parser drops a port that is the scheme's own, so an explicit `:80` reads as ''.
  const port = Number(url.port) || (/:80(\/|$)/.test(text) ? 80 : secure === undefined ? 2375 : 2376);
  return {
    ...blank,
    url: withScheme,
    kind: 'tcp',
    host,
    port,
    ...(secure === undefined ? {} : { tls: secure }),
  };
}

function badEndpoint(text: string, source: string): NothingRan {
  return new NothingRan(
    'engine',
    `The engine address "${text}" (from ${source}) cannot be read; use unix://, tcp://, ssh:// or npipe://.`,
  );
}
