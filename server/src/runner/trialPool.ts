/**
 * Containers that trials share. Several trials are under way in one at once, each on a lane of its own, and one after
 * another on each lane, every one in a fresh realm. A trial that did not end as it should may have disturbed those beside
 * it: the container is removed, and each of them that broke is tried again alone, so what counts is its own doing.
 */
import { randomUUID } from 'node:crypto';
import type { BrokenReason, RunEnd } from '../../../shared/src/evidence/evidence.ts';
import { openGuestChannel } from '../sandbox/guestChannel.ts';
import { type Lane, openLanes } from '../sandbox/lanes.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { GuestContainer } from '../sandbox/sandbox.ts';
import { Interrupted } from './conductor.ts';
import {
  clearScene,
  conductIn,
  evidenceOf,
  type Guest,
  judged,
  notRun,
  type PlannedRun,
  type RunParts,
  type Scene,
  setScene,
  type Verdict,
} from './scene.ts';

/** Trials under way at once in one container: what they say at about the same time travels as one write. */
export const LANES = 32;
/** After so many trials, or so long, a container is replaced: well before it expires and may be swept away. */
const TRIALS_PER_CONTAINER = 400;
const CONTAINER_MS = 5 * 60_000;
/** An adapter's leftovers may keep the guest busy when it is to unload; then the container is replaced. */
const UNLOAD_MS = 5_000;
/** The host's own ends: the guest answers as before, and what it still holds goes with its realm. */
const HARMLESS: ReadonlySet<BrokenReason> = new Set([
  'hang',
  'timer-budget',
  'virtual-budget',
  'call-budget',
]);

/** What the workers tell each other. */
interface Shared {
  containers: number;
  /** Why no container could be started: no other is tried. */
  refusal?: NothingRan;
  /** The adapter does not load: every trial ends so. */
  knownEnd?: RunEnd;
}

/** Told of each trial, by its place among the plans. */
export type Ended = (index: number, verdict: Verdict) => void;

export class TrialPool {
  readonly #parts: RunParts;
  readonly #houses: House[];
  readonly #lanes: number;
  readonly #shared: Shared = { containers: 0 };
  /** Once a trial alone has ended its container, there is one at a time in each: the next may do the same. */
  #isWary = false;

  /** `jobs`: containers at once; `lanes`: trials at once in each. */
  constructor(parts: RunParts, { jobs, lanes }: { jobs: number; lanes: number }) {
    this.#parts = parts;
    this.#lanes = lanes;
    this.#houses = Array.from({ length: jobs }, () => new House(parts, lanes, this.#shared));
  }

  /** Containers that were started. */
  get containers(): number {
    return this.#shared.containers;
  }

  /** Runs every plan, each made when its turn has come; `ended` is told of each. One call at a time. */
  async run(plans: Iterable<() => PlannedRun>, ended: Ended): Promise<void> {
    const left = numbered(plans);
    const worker = async (house: House, lane: number) => {
      while (lane === 0 || !this.#isWary) {
        // One iterator for all: each takes the next plan that nobody has taken.
        const { value } = left.next();
        if (value === undefined) return;
        ended(value[0], await this.#trial(value[1], house, lane));
      }
    };
    const lanes = Array.from({ length: this.#lanes }, (_, lane) => lane);
    await Promise.all(lanes.flatMap((lane) => this.#houses.map((house) => worker(house, lane))));
  }

  /** The same, each in a container of its own. */
  async runFresh(plans: Iterable<() => PlannedRun>, ended: Ended): Promise<void> {
    const left = numbered(plans);
    const worker = async () => {
      for (const [index, plan] of left) ended(index, await this.#alone(plan));
    };
    await Promise.all(this.#houses.map(worker));
  }

  /** Resolves once every container is removed. The pool can be used again. */
  async close(): Promise<void> {
    for (const house of this.#houses) house.leave();
    await this.#parts.sandbox.idle();
  }

  async #trial(plan: () => PlannedRun, house: House, lane: number): Promise<Verdict> {
    const isShared = this.#lanes > 1 && !this.#isWary;
    const verdict = await this.#trialIn(plan, (scene) => house.run(lane, scene));
    if (!isShared || !isDisturbing(verdict) || this.#parts.signal.aborted) return verdict;
    const again = await this.#alone(plan);
    if (isDisturbing(again)) this.#isWary = true;
    return again;
  }

  async #alone(plan: () => PlannedRun): Promise<Verdict> {
    const house = new House(this.#parts, 1, this.#shared);
    try {
      return await this.#trialIn(plan, (scene) => house.run(0, scene));
    } finally {
      house.leave();
    }
  }

  async #trialIn(plan: () => PlannedRun, run: (scene: Scene) => Promise<RunEnd>): Promise<Verdict> {
    let scene: Scene | undefined;
    try {
      if (this.#shared.refusal) throw this.#shared.refusal;
      scene = await setScene(this.#parts, plan(), randomUUID());
      const end = this.#shared.knownEnd ?? (await run(scene));
      return judged(await evidenceOf(this.#parts.contract, scene, end));
    } catch (error) {
      return notRun(error);
    } finally {
      clearScene(scene);
    }
  }
}

/** Whether it ended its container, its own or that of others, or was ended with it. */
function isDisturbing({ evidence, reason }: Verdict): boolean {
  const end = evidence?.end;
  return reason === 'engine' || (end !== undefined && !isHarmless(end) && !isUnloadable(end));
}

function isHarmless(end: RunEnd): boolean {
  return end.kind === 'complete' || HARMLESS.has(end.reason);
}

function isUnloadable(end: RunEnd): boolean {
  return end.kind === 'broken' && (end.reason === 'load' || end.reason === 'exports');
}

/** A container at a time, and what runs on its lanes. */
class House {
  readonly #parts: RunParts;
  readonly #lanes: number;
  readonly #shared: Shared;
  #tenancy: Promise<Tenancy> | undefined;
  /** All that were started: one that takes no more may still be at work. */
  readonly #tenancies: Tenancy[] = [];

  constructor(parts: RunParts, lanes: number, shared: Shared) {
    this.#parts = parts;
    this.#lanes = lanes;
    this.#shared = shared;
  }

  /** Throws NothingRan and Interrupted. */
  async run(lane: number, scene: Scene): Promise<RunEnd> {
    const tenancy = await this.#enter(lane);
    let end: RunEnd | undefined;
    try {
      end = await conductIn(tenancy.guest(lane, scene), scene, this.#parts, () => undefined);
    } finally {
      if (end !== undefined && isHarmless(end)) tenancy.vacate(lane);
      else tenancy.end();
    }
    if (isUnloadable(end)) this.#shared.knownEnd = end;
    return end;
  }

  /** Removes its containers; it can be used again. */
  leave(): void {
    this.#tenancy = undefined;
    for (const tenancy of this.#tenancies.splice(0)) tenancy.end();
  }

  /** The container that the next trial of a lane runs in; one that takes no more is left to its other lanes. */
  async #enter(lane: number): Promise<Tenancy> {
    for (;;) {
      const current = this.#tenancy ?? this.#start();
      const tenancy = await current;
      if (await tenancy.admits(lane)) return tenancy;
      if (this.#tenancy === current) this.#tenancy = undefined;
      tenancy.giveUp(lane);
    }
  }

  #start(): Promise<Tenancy> {
    const starting = this.#startContainer();
    this.#tenancy = starting;
    starting.then(
      (tenancy) => this.#tenancies.push(tenancy),
      () => undefined,
    );
    return starting;
  }

  async #startContainer(): Promise<Tenancy> {
    const { sandbox, signal } = this.#parts;
    try {
      const container = await sandbox.start(randomUUID(), signal, this.#lanes);
      this.#shared.containers += 1;
      return new Tenancy(container, this.#lanes, this.#parts);
    } catch (error) {
      if (error instanceof NothingRan) this.#shared.refusal = error;
      throw error;
    }
  }
}

/** One container and the channels of its lanes. */
class Tenancy {
  readonly #container: GuestContainer;
  readonly #parts: RunParts;
  readonly #lanes: Lane[];
  readonly #guests = new Map<number, Guest>();
  /** By lane: whether its guest has unloaded the trial before. */
  readonly #unloaded = new Map<number, Promise<boolean>>();
  readonly #givenUp = new Set<number>();
  readonly #since = performance.now();
  #taken = 0;
  isOver = false;

  constructor(container: GuestContainer, lanes: number, parts: RunParts) {
    this.#container = container;
    this.#parts = parts;
    this.#lanes = openLanes(container, lanes);
  }

  /** Whether a lane can take another trial. */
  async admits(lane: number): Promise<boolean> {
    const isWorn = this.#taken >= TRIALS_PER_CONTAINER || performance.now() - this.#since > CONTAINER_MS;
    if (this.isOver || isWorn || this.#givenUp.has(lane)) return false;
    if (!(await (this.#unloaded.get(lane) ?? true))) {
      this.end();
      return false;
    }
    return !this.isOver && (this.#guests.get(lane)?.channel.hasRoom() ?? true);
  }

  guest(lane: number, scene: Scene): Guest {
    this.#taken += 1;
    const { handlers } = scene.conductor;
    const known = this.#guests.get(lane);
    if (known) {
      known.channel.begin(handlers);
      return known;
    }
    const streams = this.#lanes[lane];
    if (streams === undefined || this.isOver)
      throw new Interrupted('engine', 'The container of this trial was removed.', false);
    const guest = { container: this.#container, channel: openGuestChannel({ ...streams, handlers }) };
    this.#guests.set(lane, guest);
    return guest;
  }

  vacate(lane: number): void {
    const guest = this.#guests.get(lane);
    if (guest && !this.isOver) this.#unloaded.set(lane, unload(guest));
  }

  /** When no lane needs it any more, the container is removed. */
  giveUp(lane: number): void {
    this.#givenUp.add(lane);
    if (this.#givenUp.size === this.#lanes.length) this.end();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const { channel } of this.#guests.values()) channel.close();
    this.#parts.sandbox.discard(this.#container);
  }
}

/** False where the guest ended, broke a rule of the protocol or was too busy to answer. */
async function unload({ channel, container }: Guest): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const done = await Promise.race([
    channel.unload().then(
      () => true,
      () => false,
    ),
    channel.violation.then(() => false),
    container.exited.then(
      () => false,
      () => false,
    ),
    new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), UNLOAD_MS);
    }),
  ]);
  clearTimeout(timer);
  return done;
}

function* numbered<Item>(items: Iterable<Item>): Generator<[number, Item]> {
  let number = 0;
  for (const item of items) {
    yield [number, item];
    number += 1;
  }
}
