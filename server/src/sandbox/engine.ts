/** The connection to a container engine: who it is, what it can do, and one clear error per reason it cannot be used. */
import * as http from 'node:http';
import * as https from 'node:https';
import Docker from 'dockerode';
import { type DiscoveryInput, type Endpoint, findEndpoint, processDiscovery } from './endpoint.ts';
import { NothingRan } from './nothingRan.ts';

export type EngineProblem =
  | 'absent'
  | 'permission'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'not-an-engine'
  | 'too-old'
  | 'not-linux';

export class EngineUnavailable extends NothingRan {
  readonly problem: EngineProblem;

  constructor(problem: EngineProblem, message: string, options?: ErrorOptions) {
    super('engine', message, options);
    this.name = 'EngineUnavailable';
    this.problem = problem;
  }
}

export interface EngineFacts {
  /** Stable id of this engine's installation; empty where it gives none. */
  id: string;
  name: 'Docker' | 'Podman';
  version: string;
  apiVersion: string;
  /** URL as docker writes it. */
  endpoint: string;
  /** True: the engine's socket is on this machine, so its host's users are ours. */
  local: boolean;
  operatingSystem: string;
  architecture: string;
  kernelVersion: string;
  cgroupVersion: '1' | '2' | 'unknown';
  /** Registered runtimes by name, with what the engine starts for each. */
  runtimes: { name: string; path: string; args: string[] }[];
  defaultRuntime: string;
  rootless: boolean;
  userNamespaces: boolean;
  seccomp: boolean;
  cpus: number;
  memoryBytes: number;
  /** Engine clock minus ours, in ms, at the time of connecting (half of the round trip is its error). */
  clockSkewMs: number;
}

export interface Engine {
  readonly docker: Docker;
  readonly endpoint: Endpoint;
  readonly facts: EngineFacts;
  /** The engine's time in ms since 1970, reckoned from the time of connecting. */
  now(): number;
  /** Closes idle connections; attached streams end by themselves. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Docker 19.03, the first with everything that a container of ours needs. */
const MINIMUM_API = [1, 40] as const;

/** Finds the engine and asks it who it is. Throws EngineUnavailable. */
export async function connectEngine(
  options: { host?: string; discovery?: DiscoveryInput; timeoutMs?: number; patience?: Patience } = {},
): Promise<Engine> {
  const endpoint = findEndpoint(options.discovery ?? processDiscovery(options.host));
  const agent = endpoint.tls
    ? new https.Agent({ keepAlive: true, rejectUnauthorized: endpoint.tls.verify })
    : new http.Agent({ keepAlive: true });
  const docker = openClient(endpoint, agent);
  limitWaiting(docker, options.patience ?? PATIENCE);
  const deadline = new Deadline(options.timeoutMs ?? CONNECT_TIMEOUT_MS);
  try {
    const version: unknown = await deadline.race(docker.version());
    const asked = Date.now();
    const info: unknown = await deadline.race(docker.info());
    const facts = readFacts(endpoint, version, info, (asked + Date.now()) / 2);
    return { docker, endpoint, facts, now: engineClock(facts.clockSkewMs), close: () => agent.destroy() };
  } catch (error) {
    agent.destroy();
    throw error instanceof NothingRan ? error : explain(error, endpoint, deadline.passed);
  } finally {
    deadline.clear();
  }
}

/** Wall time within which an engine has to answer, ms, by what ends a request's path; the last is for all others. */
export type Patience = readonly (readonly [path: RegExp, ms: number])[];

/** A stream (build, pull, attach, wait) has been answered when it begins: how long it lasts is its reader's concern. */
const PATIENCE: Patience = [
  [/\/(build|commit|archive|images\/create)$/, 5 * 60_000],
  [/\/containers\/(create|[^/]+(\/start)?)$/, 60_000],
  [/./, 30_000],
];

/** Every request of the client goes through one function; here it ends as a lost connection when it is not answered. */
function limitWaiting({ modem }: Docker, patience: Patience): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    const path = request.path.split('?')[0] ?? '';
    const ms = patience.find(([ending]) => ending.test(path))?.[1] ?? CONNECT_TIMEOUT_MS;
    const abort = new AbortController();
    let answer = callback;
    const timer = setTimeout(() => {
      const words = `it did not answer ${request.method} ${path} within ${ms / 1000} seconds`;
      answer?.(Object.assign(new Error(words), { code: 'ETIMEDOUT' }), null);
      answer = undefined;
      abort.abort();
    }, ms);
    dial({ ...request, abortSignal: abort.signal }, (error, result) => {
      clearTimeout(timer);
      answer?.(error, result);
      answer = undefined;
    });
  };
}

class Deadline {
  passed = false;
  readonly #passing: Promise<never>;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#passing = new Promise((_resolve, reject) => {
      this.#timer = setTimeout(() => {
        this.passed = true;
        reject(new Error('timed out'));
      }, ms);
    });
    this.#passing.catch(() => undefined);
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#passing]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Wall time of the engine. A clock set back or a machine that slept must not make an expiry look past, so the later of
 * the monotonic and the wall reckoning counts.
 */
function engineClock(skewMs: number): () => number {
  const start = Date.now() + skewMs;
  const monotonic = performance.now();
  return () => Math.max(Date.now() + skewMs, start + (performance.now() - monotonic));
}

function openClient(endpoint: Endpoint, agent: http.Agent): Docker {
  // The client reads DOCKER_* variables itself and would mix them with what discovery decided.
  const saved = process.env.DOCKER_HOST;
  delete process.env.DOCKER_HOST;
  try {
    return new Docker(clientOptions(endpoint, agent));
  } finally {
    if (saved !== undefined) process.env.DOCKER_HOST = saved;
  }
}

function clientOptions(endpoint: Endpoint, agent: http.Agent): Docker.DockerOptions {
  if (endpoint.kind === 'unix' || endpoint.kind === 'npipe') {
    const agentOption = { agent };
    return { socketPath: endpoint.socketPath, ...agentOption };
  }
  if (endpoint.kind === 'ssh') {
    const sshAgent = process.env.SSH_AUTH_SOCK;
    return {
      protocol: 'ssh',
      host: endpoint.host,
      port: endpoint.port,
      username: endpoint.user,
      ...(sshAgent === undefined ? {} : { sshOptions: { agent: sshAgent } }),
    };
  }
  const { ca, cert, key } = endpoint.tls ?? {};
  const tcp = {
    protocol: endpoint.tls ? ('https' as const) : ('http' as const),
    host: endpoint.host,
    port: endpoint.port,
    agent,
  };
  return {
    ...tcp,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

type Fields = ReadonlyMap<string, unknown>;

function fields(value: unknown): Fields {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function text(of: Fields, key: string): string {
  const value = of.get(key);
  return typeof value === 'string' ? value : '';
}

function count(of: Fields, key: string): number {
  const value = of.get(key);
  return typeof value === 'number' ? value : 0;
}

/** Exported for tests: facts from the answers of `/version` and `/info`; `asked` is our time of asking, ms. */
export function readFacts(
  endpoint: Endpoint,
  versionAnswer: unknown,
  infoAnswer: unknown,
  asked: number,
): EngineFacts {
  const version = fields(versionAnswer);
  const info = fields(infoAnswer);
  const apiVersion = text(version, 'ApiVersion');
  const systemTime = Date.parse(text(info, 'SystemTime'));
  if (!/^\d+\.\d+$/.test(apiVersion) || text(info, 'OSType') === '' || Number.isNaN(systemTime)) {
    throw notAnEngine(endpoint);
  }
  const [major = 0, minor = 0] = apiVersion.split('.').map(Number);
  if (major < MINIMUM_API[0] || (major === MINIMUM_API[0] && minor < MINIMUM_API[1])) {
    throw new EngineUnavailable(
      'too-old',
      `The engine at ${endpoint.url} speaks API ${apiVersion}; Loadline needs ${MINIMUM_API.join('.')} (Docker 19.03) or newer.`,
    );
  }
  if (text(info, 'OSType') !== 'linux') {
    throw new EngineUnavailable(
      'not-linux',
      `The engine at ${endpoint.url} runs ${text(info, 'OSType')} containers; switch it to Linux containers.`,
    );
  }
  const components = version.get('Components');
  const podman =
    Array.isArray(components) && components.some((part) => text(fields(part), 'Name') === 'Podman Engine');
  const security = info.get('SecurityOptions');
  const has = (name: string) =>
    Array.isArray(security) && security.some((option) => String(option).split(',').includes(`name=${name}`));
  const cgroup = text(info, 'CgroupVersion');
  return {
    id: text(info, 'ID'),
    name: podman ? 'Podman' : 'Docker',
    version: text(version, 'Version'),
    apiVersion,
    endpoint: endpoint.url,
    local: endpoint.kind === 'unix',
    operatingSystem: text(info, 'OperatingSystem'),
    architecture: text(info, 'Architecture'),
    kernelVersion: text(info, 'KernelVersion'),
    cgroupVersion: cgroup === '1' || cgroup === '2' ? cgroup : 'unknown',
    runtimes: readRuntimes(info.get('Runtimes')),
    defaultRuntime: text(info, 'DefaultRuntime'),
    rootless: has('rootless'),
    userNamespaces: has('userns'),
    seccomp: has('seccomp'),
    cpus: count(info, 'NCPU'),
    memoryBytes: count(info, 'MemTotal'),
    clockSkewMs: Math.round(systemTime - asked),
  };
}

function readRuntimes(value: unknown): EngineFacts['runtimes'] {
  return [...fields(value)]
    .map(([name, runtime]) => {
      const args = fields(runtime).get('runtimeArgs');
      return { name, path: text(fields(runtime), 'path'), args: Array.isArray(args) ? args.map(String) : [] };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function notAnEngine(endpoint: Endpoint, cause?: unknown): EngineUnavailable {
  return new EngineUnavailable(
    'not-an-engine',
    `What answers at ${endpoint.url} (from ${endpoint.source}) is not a container engine; check that address.`,
    { cause },
  );
}

/** True when the error says that the connection to the engine is gone, not that the engine refused something. */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error);
  return (
    ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
      code,
    ) ||
    (error instanceof Error && /socket hang up|aborted/.test(error.message))
  );
}

function errorCode(error: unknown): string {
  return text(fields(error instanceof Error ? { ...error } : error), 'code');
}

/** HTTP status of an engine's refusal, or 0. */
export function statusOf(error: unknown): number {
  return count(fields(error instanceof Error ? { ...error } : error), 'statusCode');
}

/** The engine's own words of a refusal, on one line. */
export function engineWords(error: unknown): string {
  const json = fields(fields(error instanceof Error ? { ...error } : error).get('json'));
  const words = text(json, 'message') || (error instanceof Error ? error.message : String(error));
  return words
    .replace(/^\(HTTP code \d+\) .*? - /, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const TLS_CODE = /^(ERR_(TLS|SSL|OSSL)_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH)/;

function explain(error: unknown, endpoint: Endpoint, timedOut: boolean): EngineUnavailable {
  const code = errorCode(error);
  const at = `${endpoint.url} (from ${endpoint.source})`;
  const fail = (problem: EngineProblem, message: string) =>
    new EngineUnavailable(problem, message, { cause: error });
  if (timedOut)
    return fail('timeout', `The engine at ${at} does not answer; restart it, or name another host.`);
  if (TLS_CODE.test(code) || /HTTP request to an HTTPS server/.test(engineWords(error))) {
    return fail(
      'tls',
      `The TLS connection to ${at} failed (${code || 'it wants TLS'}); check DOCKER_TLS_VERIFY and the certificates.`,
    );
  }
  switch (code) {
    case 'ENOENT':
      return fail(
        'absent',
        `No container engine: there is no socket at ${at}. Install and start Docker, or set DOCKER_HOST.`,
      );
    case 'EACCES':
    case 'EPERM':
      return fail(
        'permission',
        `No permission to use ${at}. Add your user to the group that owns the socket (usually \`sudo usermod -aG docker $USER\`, then log in again), or use rootless Docker.`,
      );
    case 'ECONNREFUSED':
      return fail(
        'refused',
        `Nothing listens at ${at}: the engine is not running. Start it (\`sudo systemctl start docker\` or Docker Desktop).`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return fail(
        'unreachable',
        `The host of the engine at ${at} cannot be reached (${code}); check the address and the network.`,
      );
    case 'ENOTSOCK':
      return notAnEngine(endpoint, error);
  }
  if (code.startsWith('HPE_') || statusOf(error) > 0) return notAnEngine(endpoint, error);
  if (endpoint.kind === 'ssh') {
    return fail(
      'unreachable',
      `The SSH connection to ${at} failed (${engineWords(error)}); check that \`ssh\` reaches it with your agent's keys.`,
    );
  }
  return fail(
    'unreachable',
    `The engine at ${at} could not be asked (${engineWords(error)}); check that it runs.`,
  );
}
