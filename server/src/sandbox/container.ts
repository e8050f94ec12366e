/** One throw-away container: created, attached and started with the sandbox's flags, and removed by force. */
import type { Duplex, Readable } from 'node:stream';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import { Demux } from './demux.ts';
import { type Engine, EngineUnavailable, engineWords, isConnectionLost, statusOf } from './engine.ts';
import { GUEST_PATH } from './image.ts';
import { containerLabels } from './labels.ts';
import type { SandboxLimits } from './limits.ts';
import { cancelled, NothingRan, throwIfCancelled } from './nothingRan.ts';

export interface ContainerSpec {
  imageId: string;
  /** Name of a runtime registered with the engine. */
  runtime: string;
  runId: string;
  owner: string;
  limits: SandboxLimits;
  /** Engine time, ms since 1970. */
  expiresAt: number;
  /** Same number for uid and gid. */
  user: number;
  /** Our seccomp profile as the engine takes it (text; Podman: path), or null where runtime or engine use their own. */
  seccomp: string | null;
  /** True: Podman, which does some of it in another way than Docker. */
  podman?: boolean;
  /** Arguments of node; default: the guest script. */
  nodeArguments?: string[];
  environment?: string[];
}

export interface GuestExit {
  /** null: not known (the container was removed before it was asked). */
  code: number | null;
  /** Whether its memory ran out; null: it was killed, and a Podman that has not been told why cannot say. */
  oomKilled: boolean | null;
}

export interface GuestContainer {
  readonly id: string;
  /** Bytes written after the guest's end are dropped; `exited` tells of that. */
  readonly stdin: Writable;
  /** Slows the guest down where it is not read. */
  readonly stdout: Readable;
  /** Never slows the guest down; see droppedLogBytes. */
  readonly stderr: Readable;
  /** Rejects with EngineUnavailable when the connection to the engine is lost. */
  readonly exited: Promise<GuestExit>;
  /** Bytes of stderr that were not read in time. */
  droppedLogBytes(): number;
  /** Removes the container by force. Idempotent; a container that is gone already, or an engine, is no error. */
  kill(): Promise<void>;
}

/** Arguments of node in a container of ours. */
export const NODE_ARGUMENTS = [
  '--max-old-space-size=128',
  '--disallow-code-generation-from-strings',
  GUEST_PATH,
];

const NOTHING_THERE = 'ro,noexec,nosuid,nodev,size=4096,mode=755';
/** Podman makes these writable where the root is not, unless something is mounted there. */
const PODMAN_FOLDERS = { '/run': NOTHING_THERE, '/var/tmp': NOTHING_THERE };
/**
 * Podman raises this one where it is not named, which a host may forbid. It counts over all containers of ours on the
 * host, which share a user; each has its own limit of processes beside it.
 */
const PODMAN_PROCESSES = { Name: 'nproc', Soft: 4096, Hard: 4096 };

/** What is asked of the engine; exported because preflight reads the same values back. */
export function creationOptions(spec: ContainerSpec): Docker.ContainerCreateOptions {
  const { limits, user } = spec;
  const security = ['no-new-privileges'];
  if (spec.seccomp !== null) security.push(`seccomp=${spec.seccomp}`);
  // Podman takes no owner of a tmpfs.
  const access = spec.podman ? 'mode=1777' : `mode=700,uid=${user},gid=${user}`;
  return {
    Image: spec.imageId,
    Entrypoint: ['node'],
    Cmd: spec.nodeArguments ?? NODE_ARGUMENTS,
    Env: ['TZ=UTC', 'HOME=/tmp', 'NODE_OPTIONS=', ...(spec.environment ?? [])],
    User: `${user}:${user}`,
    WorkingDir: '/',
    // An engine that stops or restarts must not wait for a guest.
    StopSignal: 'SIGKILL',
    Hostname: 'sandbox',
    Labels: containerLabels(spec.owner, spec.runId, spec.expiresAt),
    Healthcheck: { Test: ['NONE'] },
    NetworkDisabled: true,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      Runtime: spec.runtime,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: security,
      PidsLimit: limits.pids,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      IpcMode: 'none',
      Tmpfs: {
        '/tmp': `rw,noexec,nosuid,nodev,size=${limits.tmpBytes},${access}`,
        ...(spec.podman ? PODMAN_FOLDERS : {}),
      },
      Ulimits: [
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'cpu', Soft: limits.cpuSeconds, Hard: limits.cpuSeconds },
        // /dev/mqueue is mounted by the engine and open to everybody; without queue memory nothing can be kept there.
        { Name: 'msgqueue', Soft: 0, Hard: 0 },
        ...(spec.podman ? [PODMAN_PROCESSES] : []),
      ],
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
    },
  };
}

/**
 * Creates, attaches, starts. Whatever ends it early (an error, `signal`) leaves no container: a creation under way is
 * awaited and then removed. Throws NothingRan.
 */
export async function startGuest(
  engine: Engine,
  spec: ContainerSpec,
  signal?: AbortSignal,
): Promise<GuestContainer> {
  throwIfCancelled(signal);
  const creation = create(engine, creationOptions(spec));
  const ending = startEnding(engine, signal);
  let stream: Duplex | undefined;
  try {
    const { container, warnings } = await ending.race(creation);
    refuseWarnings(warnings);
    const attach = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
    stream = (await ending.race(container.attach(attach))) as Duplex;
    const attached = joinStreams(stream);
    await ending.race(container.start());
    return guestContainer(engine, container, attached);
  } catch (error) {
    stream?.destroy();
    const removal = creation.then(({ container }) => remove(container)).catch(() => undefined);
    // What an engine that hangs does later is left to the sweep.
    await Promise.race([removal, pause(REMOVE_WAIT_MS)]);
    throw error instanceof NothingRan ? error : explainStart(engine, error);
  } finally {
    ending.stop();
  }
}

interface Created {
  container: Docker.Container;
  warnings: string[];
}

/** dockerode's own createContainer drops the engine's warnings and repeats the whole body in the URL. */
function create(engine: Engine, options: Docker.ContainerCreateOptions): Promise<Created> {
  const request = {
    path: '/containers/create?',
    method: 'POST',
    options: { _query: {}, _body: options },
    statusCodes: {
      201: true,
      400: 'bad parameter',
      404: 'no such image',
      409: 'conflict',
      500: 'server error',
    },
  };
  return new Promise((resolve, reject) => {
    engine.docker.modem.dial(request, (error, answer) => {
      if (error) return reject(error);
      const { Id, Warnings } = answer as { Id: string; Warnings: string[] | null };
      resolve({ container: engine.docker.getContainer(Id), warnings: Warnings ?? [] });
    });
  });
}

/** An engine that cannot keep a limit says so in a warning at creation and goes on; we do not. */
function refuseWarnings(warnings: string[]): void {
  if (warnings.length === 0) return;
  throw new NothingRan(
    'preflight',
    `The engine cannot keep the sandbox's limits (${warnings.join(' ')}); enable them, or use another engine.`,
  );
}

interface StartEnding {
  /** The result of `work`, or a rejection as soon as the start is cancelled or late; `work` itself goes on. */
  race<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

const START_WAIT_MS = 60_000;
const REMOVE_WAIT_MS = 10_000;

function startEnding(engine: Engine, signal: AbortSignal | undefined): StartEnding {
  let reject: (error: unknown) => void = () => undefined;
  const ended = new Promise<never>((_resolve, rejectEnded) => {
    reject = rejectEnded;
  });
  ended.catch(() => undefined);
  const abort = () => reject(cancelled(signal));
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    const words = `did not start a container within ${START_WAIT_MS / 1000} seconds`;
    reject(
      new EngineUnavailable(
        'timeout',
        `The engine at ${engine.endpoint.url} ${words}; check its load and its log.`,
      ),
    );
  }, START_WAIT_MS);
  return {
    race(work) {
      work.catch(() => undefined);
      return Promise.race([work, ended]);
    },
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Attached {
  stream: Duplex;
  demux: Demux;
  stdin: Writable;
}

/** The attached stream as three. Its errors end stdout and stderr; what they mean is told by `exited`. */
function joinStreams(stream: Duplex): Attached {
  const demux = new Demux();
  stream.on('error', () => demux.destroy());
  stream.on('close', () => demux.end());
  demux.on('error', () => stream.destroy());
  stream.pipe(demux);
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (stream.writable) stream.write(chunk, () => done());
      else done();
    },
    final(done) {
      if (stream.writable) stream.end();
      done();
    },
  });
  return { stream, demux, stdin };
}

function guestContainer(engine: Engine, container: Docker.Container, attached: Attached): GuestContainer {
  const exited = waitForExit(engine, container);
  // A run that nobody watches any more must not end the process.
  exited.catch(() => undefined);
  let killing: Promise<void> | undefined;
  return {
    id: container.id,
    stdin: attached.stdin,
    stdout: attached.demux.stdout,
    stderr: attached.demux.stderr,
    exited,
    droppedLogBytes: () => attached.demux.droppedLogBytes,
    kill() {
      killing ??= remove(container).finally(() => attached.stream.destroy());
      return killing;
    },
  };
}

/** 128 + SIGKILL. */
export const SIGKILLED = 137;
const SECOND_LOOK_MS = 250;

async function waitForExit(engine: Engine, container: Docker.Container): Promise<GuestExit> {
  try {
    const { StatusCode } = await exitStatus(engine, container.id);
    let { State } = await container.inspect();
    if (StatusCode === SIGKILLED && !State.OOMKilled) {
      // That memory ran out is told apart from the end and may come after it; an engine that stops is gone by then.
      await pause(SECOND_LOOK_MS);
      ({ State } = await container.inspect());
    }
    const untold = engine.facts.name === 'Podman' && StatusCode === SIGKILLED && !State.OOMKilled;
    return { code: StatusCode, oomKilled: untold ? null : State.OOMKilled };
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return { code: null, oomKilled: false };
    throw new EngineUnavailable(
      'unreachable',
      `The engine at ${engine.endpoint.url} was lost while the guest ran (${engineWords(error)}).`,
      { cause: error },
    );
  }
}

/**
 * The engine sends the head of this answer at once and its body at the guest's end. dockerode's own wait never settles
 * when the connection is lost in between, so the answer is read as a stream.
 */
async function exitStatus(engine: Engine, id: string): Promise<{ StatusCode: number }> {
  const request = {
    path: `/containers/${id}/wait?`,
    method: 'POST',
    isStream: true,
    statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
  };
  const answer = await new Promise<Readable>((resolve, reject) => {
    engine.docker.modem.dial(request, (error, stream) =>
      error ? reject(error) : resolve(stream as Readable),
    );
  });
  return JSON.parse(await text(answer));
}

const REMOVE_ATTEMPTS = 5;
const REMOVE_PAUSE_MS = 200;

/** Removes by force. An engine can be busy with the same container for a moment, so a refusal is tried again. */
export async function remove(container: Docker.Container): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await container.remove({ force: true, v: true });
    } catch (error) {
      if (statusOf(error) === 404 || isConnectionLost(error)) return;
      if (attempt === REMOVE_ATTEMPTS) throw error;
      await pause(REMOVE_PAUSE_MS);
    }
  }
}

function explainStart(engine: Engine, error: unknown): NothingRan {
  const words = engineWords(error);
  const fail = (reason: NothingRan['reason'], message: string) =>
    new NothingRan(reason, message, { cause: error });
  if (isConnectionLost(error)) {
    return new EngineUnavailable(
      'unreachable',
      `The engine at ${engine.endpoint.url} was lost before the guest started (${words}); check that it runs.`,
      { cause: error },
    );
  }
  if (/runtime name|unknown runtime|invalid runtime/i.test(words)) {
    return fail('tier', `The engine does not have that runtime (${words}); register it, or choose another.`);
  }
  if (statusOf(error) === 404)
    return fail('image', `The guest image is gone from the engine (${words}); run again.`);
  if (
    /no space left|cannot allocate memory|resource temporarily unavailable|too many open files/i.test(words)
  ) {
    return fail(
      'capacity',
      `The engine has no room for another container (${words}); free some and run again.`,
    );
  }
  return fail('engine', `The engine could not start the sandbox: ${words}.`);
}
