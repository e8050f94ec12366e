/** The sandbox as a run sees it: an engine, an image, a tier, and fresh containers. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { lanesArgument } from '../../../shared/src/lanes.ts';
import type { EngineFacts as ResultEngineFacts, Tier } from '../../../shared/src/results.ts';
import { defaultCacheFolder } from './cacheFile.ts';
import { type ContainerSpec, type GuestContainer, NODE_ARGUMENTS, startGuest } from './container.ts';
import { connectEngine, type Engine, type EngineFacts } from './engine.ts';
import { ensureGuestImage, type GuestImage } from './image.ts';
import { defaultOwner } from './labels.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { NothingRan, throwIfCancelled } from './nothingRan.ts';
import { cannotOf, type PreflightRecord, preflight } from './preflight.ts';
import { sweep } from './sweep.ts';
import { chooseRuntime, looksLikeGvisor, requireTier } from './tier.ts';
import { sandboxUser } from './user.ts';
import { WarmPool } from './warmPool.ts';

export type { GuestContainer, GuestExit } from './container.ts';

export interface SandboxOptions {
  /** Engine endpoint; absent: found as docker's own client finds it. */
  host?: string;
  /** Runtime registered with the engine; absent: its default. */
  runtime?: string;
  minimumTier?: Tier;
  /** Reference of the base image; absent: `node:22-slim`, or one that our scripts assembled. */
  baseImage?: string;
  /** True: the user agreed to a pull of the base image. */
  mayPull?: boolean;
  /** Bytes of the bundled guest. */
  guestScript: Buffer;
  /** Programs beside it; the probe's image has one. */
  programs?: { name: string; bytes: Buffer }[];
  /** Folder with `Dockerfile` and `seccomp.json`. */
  imagesFolder: string;
  /** Where preflight remembers; absent: the user's cache folder. */
  cacheDir?: string;
  /** Label of our containers; absent: this user on this machine. */
  owner?: string;
  /** After the first run one container that nobody used yet waits for the next. */
  keepWarm?: boolean;
  /** What is being set up, for people. Not called where nothing is. */
  onProgress?: (text: string) => void;
  signal?: AbortSignal;
}

export interface Sandbox {
  readonly facts: EngineFacts;
  /** The same as results state it. */
  readonly engineFacts: ResultEngineFacts;
  readonly tier: Tier;
  readonly image: GuestImage;
  readonly preflight: PreflightRecord;
  /** A fresh, attached, started container; with `lanes`, its guest opens so many. Throws NothingRan. */
  start(runId: string, signal?: AbortSignal, lanes?: number): Promise<GuestContainer>;
  /** So many more starts are to come soon: some of them are begun ahead. 0: none, and what waits is removed. */
  expect(starts: number): void;
  /** Removes a container off the caller's path; `idle` waits for it. */
  discard(container: GuestContainer | undefined): void;
  /** Resolves when no removal or check is under way. */
  idle(): Promise<void>;
  /** Cancels starts, removes every container that is left, closes the connection. */
  close(): Promise<void>;
}

/** A run's container may be swept this long after its start. No run is that long. */
const LIFETIME_MS = 15 * 60 * 1000;
/** One that was started ahead waits at most so long. */
const WARM_MS = 5 * 60 * 1000;
/** Containers that wait while more runs are known to come, and at other times. */
const AHEAD = 2;
const KEPT_WARM = 1;

/** Connects, finds or builds the image, proves the tier. Throws NothingRan. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const engine = await connectEngine(options.host === undefined ? {} : { host: options.host });
  try {
    const runtime = chooseRuntime(engine.facts, options);
    const image = await ensureGuestImage(engine, {
      ...options,
      dockerfile: readFileSync(path.join(options.imagesFolder, 'Dockerfile'), 'utf8'),
    });
    const spec = {
      imageId: image.id,
      runtime,
      owner: options.owner ?? defaultOwner(),
      limits: SANDBOX_LIMITS,
      user: sandboxUser(engine.facts.local),
      seccomp: profileFor(engine.facts, runtime, options.imagesFolder),
      podman: engine.facts.name === 'Podman',
    };
    const { record, refresh } = await preflight(
      engine,
      { ...spec, expiresAt: engine.now() + LIFETIME_MS },
      { ...options, cacheDir: options.cacheDir ?? defaultCacheFolder() },
    );
    requireTier(record.tier, options.minimumTier, runtime);
    const kept = options.keepWarm ? KEPT_WARM : 0;
    return new EngineSandbox(engine, { image, record, spec, kept, refresh });
  } catch (error) {
    engine.close();
    throw error;
  }
}

/**
 * What is asked for as the filter of system calls: our profile's text. gVisor filters with its own kernel. Podman takes
 * no text, but the path of a file that it reads itself, so only one on this machine can have it.
 */
function profileFor(facts: EngineFacts, runtime: string, imagesFolder: string): string | null {
  if (looksLikeGvisor(facts, runtime)) return null;
  const file = path.resolve(imagesFolder, 'seccomp.json');
  if (facts.name !== 'Podman') return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
  return facts.local && process.platform === 'linux' ? file : null;
}

type RunSpec = Omit<ContainerSpec, 'runId' | 'expiresAt'>;

interface Opened {
  image: GuestImage;
  record: PreflightRecord;
  spec: RunSpec;
  /** Containers that wait between runs. */
  kept: number;
  refresh: (() => Promise<PreflightRecord>) | undefined;
}

class EngineSandbox implements Sandbox {
  readonly facts: EngineFacts;
  readonly image: GuestImage;
  readonly preflight: PreflightRecord;
  readonly engineFacts: ResultEngineFacts;
  readonly #engine: Engine;
  readonly #spec: RunSpec;
  readonly #closing = new AbortController();
  readonly #containers = new Set<GuestContainer>();
  readonly #background = new Set<Promise<unknown>>();
  readonly #kept: number;
  readonly #warm = new WarmPool({
    start: () => this.#startGuest(randomUUID(), this.#closing.signal, { waitMs: WARM_MS }),
    discard: (container) => this.discard(container),
    waitMs: WARM_MS,
  });
  #expected = 0;
  #refused: NothingRan | undefined;

  constructor(engine: Engine, { image, record, spec, kept, refresh }: Opened) {
    this.#engine = engine;
    this.#spec = spec;
    this.#kept = kept;
    this.image = image;
    this.preflight = record;
    this.facts = engine.facts;
    const { name, version, endpoint } = engine.facts;
    this.engineFacts = {
      ...{ name, version, endpoint, runtime: spec.runtime, tier: record.tier },
      ...{ imageId: image.id, baseId: image.baseId, guestDigest: image.guestDigest },
      ...{ limits: { ...spec.limits }, cannot: cannotOf(record) },
    };
    this.#inBackground(sweep(engine, spec.owner));
    if (refresh !== undefined) this.#inBackground(this.#refresh(refresh));
  }

  get tier(): Tier {
    return this.preflight.tier;
  }

  async start(runId: string, signal?: AbortSignal, lanes = 0): Promise<GuestContainer> {
    const either =
      signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    if (lanes > 0) return this.#startGuest(runId, either, { lanes });
    throwIfCancelled(either);
    const warm = this.#refused === undefined ? await this.#warm.claim() : null;
    // What was started ahead and is not taken any more waits for the next.
    this.#expected = Math.max(0, this.#expected - 1);
    const starting = warm ?? this.#startGuest(runId, either);
    this.#fill();
    return starting;
  }

  expect(starts: number): void {
    this.#expected = starts;
    if (starts === 0 && this.#kept === 0) this.#warm.drain();
  }

  #fill(): void {
    if (this.#refused === undefined && !this.#closing.signal.aborted)
      this.#warm.fill(Math.max(this.#kept, Math.min(this.#expected, AHEAD)));
  }

  #startGuest(
    runId: string,
    signal: AbortSignal,
    { lanes = 0, waitMs = 0 }: { lanes?: number; waitMs?: number } = {},
  ): Promise<GuestContainer> {
    if (this.#refused !== undefined) return Promise.reject(this.#refused);
    const spec = {
      ...{ ...this.#spec, runId, expiresAt: this.#engine.now() + LIFETIME_MS + waitMs },
      ...(lanes === 0 ? {} : { nodeArguments: [...NODE_ARGUMENTS, lanesArgument(lanes)] }),
    };
    const starting = startGuest(this.#engine, spec, signal).then((container) => {
      this.#containers.add(container);
      return container;
    });
    this.#inBackground(starting);
    return starting;
  }

  discard(container: GuestContainer | undefined): void {
    if (container === undefined) return;
    this.#inBackground(container.kill().finally(() => this.#containers.delete(container)));
  }

  async idle(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled([...this.#background]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
    for (const container of this.#containers) this.discard(container);
    await this.idle();
    this.#engine.close();
  }

  /** Failures are told where they matter: by the start that they refuse, or by the sweep of a later process. */
  #inBackground(work: Promise<unknown>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  /** Starts are refused from the moment that the sandbox is seen not to be what its record says. */
  async #refresh(refresh: () => Promise<PreflightRecord>): Promise<void> {
    try {
      const { tier } = await refresh();
      if (tier === this.tier) return;
      this.#warm.drain();
      this.#refused = new NothingRan(
        'tier',
        `The tier of this engine changed from ${this.tier} to ${tier}; run again.`,
      );
    } catch (error) {
      if (error instanceof NothingRan && error.reason === 'preflight') this.#refused = error;
    }
  }
}
