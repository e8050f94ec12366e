/** The guest image: a base that carries Node 22 plus the guest script, built once per digest of its inputs. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as tar from 'tar-stream';
import { type Engine, EngineUnavailable, engineWords, isConnectionLost, statusOf } from './engine.ts';
import { containerLabels, defaultOwner } from './labels.ts';
import { NothingRan, throwIfCancelled, unlessCancelled } from './nothingRan.ts';

const DEFAULT_BASE = 'node:22-slim';
/** Set by scripts/base-image.mjs on the bases that it assembles. */
const BASE_LABEL = 'loadline.base.recipe';
/** Podman says which registry a name without one stands for, though nothing came from there. */
const BASE_TAG = /^(docker\.io\/|localhost\/)?loadline\/base:/;
const REPOSITORY = 'loadline/guest';
const FOLDER = '/loadline/';
export const GUEST_PATH = `${FOLDER}guest.js`;

export interface GuestImage {
  /** Image id, `sha256:<hex>`. Runs use this, never the tag. */
  id: string;
  /** sha256 of the guest script's bytes, hex. */
  guestDigest: string;
  /** Id of the base image. */
  baseId: string;
}

export interface GuestImageOptions {
  /** Reference of the base; default `node:22-slim`. */
  baseImage?: string;
  guestScript: Buffer;
  /** Text of sandbox-images/Dockerfile. */
  dockerfile: string;
  /** Programs that lie beside the guest script, executable by everybody; the probe's image has one. */
  programs?: { name: string; bytes: Buffer }[];
  /** True: the user agreed to a pull of the base. */
  mayPull?: boolean;
  /** Label of the container that is committed where the builder is refused; absent: this user on this machine. */
  owner?: string;
  onProgress?: (text: string) => void;
  signal?: AbortSignal;
}

/** Finds or builds the guest image. Throws NothingRan: `image`, `engine` or `cancelled`. */
export async function ensureGuestImage(engine: Engine, options: GuestImageOptions): Promise<GuestImage> {
  const progress = options.onProgress ?? (() => undefined);
  const baseId = await findBase(engine, options);
  throwIfCancelled(options.signal);
  const guestDigest = createHash('sha256').update(options.guestScript).digest('hex');
  const hash = createHash('sha256').update(`${baseId}\n${guestDigest}\n${options.dockerfile}`);
  for (const { name, bytes } of options.programs ?? [])
    hash.update(`\n${name} ${bytes.length}\n`).update(bytes);
  const digest = hash.digest('hex');
  const tag = `${REPOSITORY}:${digest.slice(0, 16)}`;
  const known = await inspectImage(engine, tag);
  if (known !== undefined) return { id: known, guestDigest, baseId };
  progress('Building the guest image');
  const context = await guestContext(options);
  await build(engine, context, { tag, baseId, digest }, options.signal).catch((refused: unknown) => {
    throwIfCancelled(options.signal);
    if (isConnectionLost(refused)) throw lost(engine, refused);
    return commit(engine, options, { tag, baseId, digest }).catch((error: unknown) => {
      throwIfCancelled(options.signal);
      throw new NothingRan(
        'image',
        `The guest image could not be built (${engineWords(refused)}) nor committed (${engineWords(error)}); check the engine's disk space and log.`,
        { cause: error },
      );
    });
  });
  throwIfCancelled(options.signal);
  const id = await inspectImage(engine, tag);
  if (id === undefined) {
    throw new NothingRan(
      'image',
      `The engine built ${tag} and then did not have it; check the engine's log.`,
    );
  }
  return { id, guestDigest, baseId };
}

function lost(engine: Engine, cause: unknown): EngineUnavailable {
  return new EngineUnavailable(
    'unreachable',
    `The connection to the engine at ${engine.endpoint.url} was lost (${engineWords(cause)}); check that it runs.`,
    { cause },
  );
}

/** Image id of a reference that the engine has, else undefined. Nothing is pulled. */
async function inspectImage(engine: Engine, reference: string): Promise<string | undefined> {
  try {
    return (await engine.docker.getImage(reference).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    if (isConnectionLost(error)) throw lost(engine, error);
    throw new NothingRan('image', `The image ${reference} cannot be looked up: ${engineWords(error)}.`, {
      cause: error,
    });
  }
}

async function findBase(engine: Engine, options: GuestImageOptions): Promise<string> {
  const reference = options.baseImage ?? DEFAULT_BASE;
  const present = (await inspectImage(engine, reference)) ?? (await assembledBase(engine, reference));
  if (present !== undefined) return present;
  if (options.mayPull) return pullBase(engine, reference, options);
  const assemble =
    reference === DEFAULT_BASE
      ? ', or on Linux without a registry assemble one with `node scripts/base-image.mjs` in a checkout of Loadline'
      : ' or change loadline.sandbox.baseImage';
  throw new NothingRan(
    'image',
    `The base image ${reference} is not on the engine at ${engine.endpoint.url}; fetch it with \`docker pull ${reference}\`${assemble}.`,
  );
}

/** The newest base that our scripts assembled; it stands in for the default base only. */
async function assembledBase(engine: Engine, reference: string): Promise<string | undefined> {
  if (reference !== DEFAULT_BASE) return undefined;
  const images = await engine.docker.listImages({ filters: { label: [BASE_LABEL], dangling: ['false'] } });
  const bases = images.filter((image) => image.RepoTags?.some((tag) => BASE_TAG.test(tag)));
  return bases.sort((a, b) => b.Created - a.Created)[0]?.Id;
}

async function pullBase(engine: Engine, reference: string, options: GuestImageOptions): Promise<string> {
  options.onProgress?.(`Pulling the base image ${reference}`);
  try {
    const pulling = engine.docker.pull(reference);
    await finished(engine, await unlessCancelled(pulling, options.signal), options.signal);
  } catch (error) {
    throwIfCancelled(options.signal);
    throw new NothingRan('image', `The base image ${reference} could not be pulled: ${engineWords(error)}.`, {
      cause: error,
    });
  }
  const id = await inspectImage(engine, reference);
  if (id !== undefined) return id;
  throw new NothingRan(
    'image',
    `The base image ${reference} was pulled and then not found; check its platform.`,
  );
}

/** An engine that says nothing for so long, in the middle of a build or a pull, hangs. */
const SILENCE_MS = 5 * 60_000;

/** Follows what the engine tells of its work; one that is cancelled, or hangs, is no longer listened to and gives up. */
async function finished(
  engine: Engine,
  stream: NodeJS.ReadableStream,
  signal: AbortSignal | undefined,
): Promise<void> {
  let silence: NodeJS.Timeout | undefined;
  const told = new Promise<void>((resolve, reject) => {
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => reject(new Error('the engine said nothing for five minutes')), SILENCE_MS);
    };
    heard();
    engine.docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), heard);
  });
  try {
    await unlessCancelled(told, signal);
  } finally {
    clearTimeout(silence);
    (stream as Readable).destroy();
  }
}

/** Owners and times are fixed, so equal inputs give equal layers. */
const ENTRY = { mode: 0o444, mtime: new Date(0), uid: 0, gid: 0 };

const PROGRAM = { ...ENTRY, mode: 0o555 };

function guestContext({ dockerfile, guestScript, programs = [] }: GuestImageOptions): Promise<Buffer> {
  const pack = tar.pack();
  const copies = programs.map(({ name }) => `COPY ${name} ${FOLDER}${name}\n`).join('');
  pack.entry({ ...ENTRY, name: 'Dockerfile' }, dockerfile + copies);
  pack.entry({ ...ENTRY, name: 'guest.js' }, guestScript);
  for (const { name, bytes } of programs) pack.entry({ ...PROGRAM, name }, bytes);
  pack.finalize();
  return buffer(pack);
}

interface Target {
  tag: string;
  baseId: string;
  digest: string;
}

/** The classic builder: no BuildKit session, no registry, no network. */
async function build(
  engine: Engine,
  context: Buffer,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = {
    t: target.tag,
    buildargs: { BASE: target.baseId },
    labels: { 'loadline.guest': target.digest },
    networkmode: 'none',
    forcerm: true,
    version: '1' as const,
  };
  // The client sends a Buffer as it is; its types know only streams and files.
  const building = engine.docker.buildImage(context as unknown as NodeJS.ReadableStream, options);
  await finished(engine, await unlessCancelled(building, signal), signal);
}

/** What is left of a commit may be swept away after so long. */
const COMMIT_MS = 15 * 60_000;

/** Where the builder is refused or absent: a container that is never started, one file put into it, a commit. */
async function commit(engine: Engine, options: GuestImageOptions, target: Target): Promise<void> {
  const { owner = defaultOwner(), signal } = options;
  throwIfCancelled(signal);
  const container = await engine.docker.createContainer({
    Image: target.baseId,
    Cmd: ['node'],
    HostConfig: { NetworkMode: 'none' },
    // The image gets them too; every container of ours says its own.
    Labels: containerLabels(owner, 'image', engine.now() + COMMIT_MS),
  });
  try {
    const pack = tar.pack();
    pack.entry({ ...ENTRY, name: 'loadline/', type: 'directory', mode: 0o755 }, '');
    pack.entry({ ...ENTRY, name: GUEST_PATH.slice(1) }, options.guestScript);
    for (const { name, bytes } of options.programs ?? [])
      pack.entry({ ...PROGRAM, name: `${FOLDER}${name}`.slice(1) }, bytes);
    pack.finalize();
    throwIfCancelled(signal);
    await container.putArchive(await buffer(pack), { path: '/' });
    throwIfCancelled(signal);
    const [repo, tag] = target.tag.split(':');
    await container.commit({ repo, tag, changes: `LABEL loadline.guest=${target.digest}` });
  } finally {
    await container.remove({ force: true, v: true });
  }
}
