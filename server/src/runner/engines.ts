/**
 * The engines that share the runs of one request. Each has so many places; a run takes one on the engine that has most
 * room, and leaves an engine that is lost.
 */
import { availableParallelism } from 'node:os';
import type { EngineFacts } from '../../../shared/src/results.ts';
import type { AdapterParams, SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { GuestContainer, Sandbox } from '../sandbox/sandbox.ts';

/** What runs use of a sandbox. */
export interface RunSandbox
  extends Pick<Sandbox, 'engineFacts' | 'tier' | 'start' | 'expect' | 'discard' | 'idle'> {
  /** Containers that it has room for at once. */
  readonly places: number;
}

export interface EnginesParts {
  /** Opens the sandbox of one engine. Throws NothingRan. */
  sandbox(options: SandboxOptions): Promise<Sandbox>;
  /** Told what is wrong with an engine that the request goes on without. */
  trouble(text: string): void;
}

/**
 * Opens the sandbox of every engine. One that cannot be used, or differs from the first one that can, is left out and
 * said. Throws NothingRan where none is left.
 */
export async function openEngines(
  { hosts = [], sandbox, jobs }: Pick<AdapterParams, 'hosts' | 'sandbox' | 'jobs'>,
  { sandbox: open, trouble }: EnginesParts,
): Promise<Engines> {
  const [only, ...others] = new Set(hosts);
  const options = (host: string | undefined) => ({ ...sandbox, ...(host === undefined ? {} : { host }) });
  if (others.length === 0) return new Engines([await open(options(only))], jobs, trouble);
  const named = [only, ...others].filter((host) => host !== undefined);
  const opened = await Promise.allSettled(named.map((host) => open(options(host))));
  const usable = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const refusals = opened.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const [first] = usable;
  if (first === undefined) throw allRefused(refusals);
  for (const [index, each] of opened.entries())
    if (each.status === 'rejected')
      trouble(`The engine ${named[index]} is left out. ${wordsOf(each.reason)}`);
  const alike = usable.filter(({ engineFacts }) => {
    const other = difference(first.engineFacts, engineFacts);
    if (other !== null)
      trouble(
        `The engine ${engineFacts.endpoint} is left out: its ${other} is not that of ${first.engineFacts.endpoint}, and one verdict file holds runs of one environment. Make them alike, or name the other ones in a qualification of their own.`,
      );
    return other === null;
  });
  return new Engines(alike, jobs, trouble);
}

function allRefused(refusals: readonly unknown[]): unknown {
  const [first] = refusals;
  if (!(first instanceof NothingRan)) return first;
  return new NothingRan(first.reason, refusals.map(wordsOf).join(' '), { cause: first });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What every line of a verdict file says of the engine, in the words of people. */
const STATED: readonly [keyof EngineFacts, string][] = [
  ['guestDigest', 'guest script'],
  ['baseId', 'base image'],
  ['name', 'kind'],
  ['version', 'version'],
  ['runtime', 'runtime'],
  ['tier', 'tier'],
  ['limits', 'limits'],
  ['cannot', 'list of what it cannot do'],
];

/** The first of what is stated that differs, or null. */
function difference(a: EngineFacts, b: EngineFacts): string | null {
  return STATED.find(([name]) => !sameJson(a[name], b[name]))?.[1] ?? null;
}

interface OneEngine {
  readonly sandbox: Sandbox;
  readonly places: number;
  taken: number;
  /** Why it takes no more runs of this request. */
  lost?: NothingRan;
}

/** As a sandbox it is for those that need a container and do not mind on which engine. */
export class Engines implements RunSandbox {
  readonly #engines: readonly OneEngine[];
  readonly #first: Sandbox;
  readonly #trouble: (text: string) => void;
  readonly #holders = new Map<GuestContainer, Place>();
  #waiting: (() => void)[] = [];

  /**
   * @param sandboxes at least one, each of an engine of its own
   * @param jobs places of each; absent: one for each of its cores
   */
  constructor(sandboxes: readonly Sandbox[], jobs: number | undefined, trouble: (text: string) => void) {
    const [first] = sandboxes;
    if (first === undefined) throw new TypeError('There is no engine.');
    this.#first = first;
    this.#engines = sandboxes.map((sandbox) => ({ sandbox, places: placesOf(sandbox, jobs), taken: 0 }));
    this.#trouble = trouble;
  }

  /** Whether there is more than one, lost ones among them. */
  get several(): boolean {
    return this.#engines.length > 1;
  }

  get places(): number {
    return this.#engines.reduce((sum, { places }) => sum + places, 0);
  }

  /** All of them state the same, their addresses and image ids apart. */
  get engineFacts(): EngineFacts {
    return this.#first.engineFacts;
  }

  get tier(): Sandbox['tier'] {
    return this.#first.tier;
  }

  /** A place on the engine that has most room, once there is one; first come, first served. */
  async place(): Promise<Place> {
    return new Place(await this.take(), this);
  }

  /** Where most room is, and where there is none too: who starts here counts its containers itself. Throws NothingRan. */
  async start(runId: string, signal?: AbortSignal, lanes?: number): Promise<GuestContainer> {
    const place = new Place(this.#takeMost(), this);
    try {
      const container = await this.#startIn(place, runId, signal, lanes);
      this.#holders.set(container, place);
      return container;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  discard(container: GuestContainer | undefined): void {
    if (container === undefined) return;
    const place = this.#holders.get(container);
    this.#holders.delete(container);
    place?.discard(container);
    place?.leave();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#engines.map(({ sandbox }) => sandbox.idle()));
  }

  async #startIn(place: Place, ...start: Parameters<Sandbox['start']>): Promise<GuestContainer> {
    try {
      return await place.start(...start);
    } catch (error) {
      if (!(await place.move())) throw error;
      return place.start(...start);
    }
  }

  /** Spread over the engines by the places that each has. */
  expect(starts: number): void {
    for (const { sandbox, places } of this.#engines)
      sandbox.expect(Math.ceil((starts * places) / this.places));
  }

  /** For places. Where every engine is lost, one of them: its starts say why. */
  async take(): Promise<OneEngine> {
    while (this.hasUsable() && roomOf(this.#most()) <= 0)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#takeMost();
  }

  #takeMost(): OneEngine {
    const most = this.#most();
    most.taken += 1;
    return most;
  }

  /** Of the engines that are not lost, or of all where all are, the one with most room. */
  #most(): OneEngine {
    const left = this.#engines.filter(({ lost }) => lost === undefined);
    const among = left.length > 0 ? left : this.#engines;
    return among.reduce((most, each) => (roomOf(each) > roomOf(most) ? each : most));
  }

  /** For places. */
  giveBack(engine: OneEngine): void {
    engine.taken -= 1;
    this.#wake();
  }

  /** For places: no run of this request starts there any more. */
  lose(engine: OneEngine, why: NothingRan): void {
    if (engine.lost !== undefined) return;
    engine.lost = why;
    if (this.hasUsable())
      this.#trouble(`The engine ${engine.sandbox.engineFacts.endpoint} takes no more runs. ${why.message}`);
    this.#wake();
  }

  hasUsable(): boolean {
    return this.#engines.some(({ lost }) => lost === undefined);
  }

  /** Those who wait look again, in the order in which they came. */
  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const look of waiting) look();
  }
}

function placesOf({ facts }: Sandbox, jobs: number | undefined): number {
  return Math.max(1, jobs ?? (facts.local ? availableParallelism() : facts.cpus));
}

function roomOf({ places, taken }: OneEngine): number {
  return places - taken;
}

/** Where one run takes place: room for a container on one engine, and once on another where the first is lost. */
export class Place implements RunSandbox {
  readonly places = 1;
  readonly #engines: Engines;
  #engine: OneEngine;
  #moved = false;

  constructor(engine: OneEngine, engines: Engines) {
    this.#engine = engine;
    this.#engines = engines;
  }

  get engineFacts(): EngineFacts {
    return this.#engine.sandbox.engineFacts;
  }

  get tier(): Sandbox['tier'] {
    return this.#engine.sandbox.tier;
  }

  /** An engine that refuses a container is asked for no other. Throws NothingRan. */
  async start(runId: string, signal?: AbortSignal, lanes?: number): Promise<GuestContainer> {
    const engine = this.#engine;
    if (engine.lost !== undefined) throw engine.lost;
    const lose = (error: unknown) => {
      if (error instanceof NothingRan && error.reason !== 'cancelled') this.#engines.lose(engine, error);
    };
    try {
      const container = await engine.sandbox.start(runId, signal, lanes);
      container.exited.catch(lose);
      return container;
    } catch (error) {
      lose(error);
      throw error;
    }
  }

  expect(starts: number): void {
    this.#engine.sandbox.expect(starts);
  }

  discard(container: GuestContainer | undefined): void {
    this.#engine.sandbox.discard(container);
  }

  idle(): Promise<void> {
    return this.#engine.sandbox.idle();
  }

  /** To another engine, once, where this one is lost and another is not: false where that cannot be. */
  async move(): Promise<boolean> {
    if (this.#moved || this.#engine.lost === undefined || !this.#engines.hasUsable()) return false;
    this.#moved = true;
    this.leave();
    this.#engine = await this.#engines.take();
    return true;
  }

  /** Gives the room back, once. */
  leave(): void {
    this.#engines.giveBack(this.#engine);
  }
}
