/**
 * Trials: many runs of one adapter over few containers. A container takes one after another, each in a fresh realm, and
 * is replaced after one that did not end as it should: what a trial left behind is nobody's next world.
 */
import { randomUUID } from 'node:crypto';
import type { RunEnd } from '../../../shared/src/evidence/evidence.ts';
import type { TrialResult, TrialsAnswer, TrialsParams } from '../../../shared/src/runnerProtocol.ts';
import type { GuestHandlers } from '../sandbox/guestChannel.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import { prepare, type RunnerParts } from './prepare.ts';
import {
  clearScene,
  conductIn,
  discardGuest,
  evidenceOf,
  type Guest,
  judged,
  notRun,
  type PlannedRun,
  plannedRun,
  type RunParts,
  type Scene,
  setScene,
  startGuest,
  type Verdict,
} from './scene.ts';

/** After so many trials, or so long, a container is replaced: well before it expires and may be swept away. */
const TRIALS_PER_CONTAINER = 200;
const CONTAINER_MS = 5 * 60_000;
/** An adapter's leftovers may keep the guest busy when it is to unload; then the container is replaced. */
const UNLOAD_MS = 5_000;

export interface TrialsParts extends RunnerParts {
  ended(trial: { index: number; verdict: TrialResult['verdict'] }): void;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function trials(params: TrialsParams, runner: TrialsParts): Promise<TrialsAnswer> {
  const prepared = await prepare(params, runner);
  if (!prepared.ok) {
    const why = { ...prepared.refusal, mayHaveRun: false };
    const all = params.trials.map(
      ({ scenario, seed }): TrialResult => ({ scenario, seed, verdict: 'not_run', broken: [], ...why }),
    );
    return { engine: null, sha256: '', containers: 0, trials: all };
  }
  const { parts } = prepared;
  const { contract, sandbox, adapter } = parts;
  const plans = params.trials.map(({ scenario, seed }) => plannedRun.bind(null, contract, scenario, seed));
  const results: TrialResult[] = [];
  const containers = await runTrials(parts, plans, {
    jobs: sandbox.places,
    ended(index, { verdict, rules, evidence, ...why }) {
      const broken = rules.filter((rule) => !rule.held).map((rule) => rule.id);
      const { scenario = '', seed = 0 } = params.trials[index] ?? {};
      const kept = params.evidence && evidence ? { evidence } : {};
      results[index] = { scenario, seed, verdict, broken, ...why, ...kept };
      runner.ended({ index, verdict });
    },
  });
  return { engine: sandbox.engineFacts, sha256: adapter.sha256, containers, trials: results };
}

/**
 * Runs every plan, each made when its turn has come, over `jobs` containers at once; `ended` is told of each. Resolves
 * with the number of containers that were started, once all of them are removed.
 */
export async function runTrials(
  parts: RunParts,
  plans: readonly (() => PlannedRun)[],
  options: { jobs: number; ended(index: number, verdict: Verdict): void },
): Promise<number> {
  const left = plans.entries();
  const shared: Shared = { containers: 0 };
  const worker = async () => {
    const seat = new Seat(parts, shared);
    // One iterator for all: each takes the next plan that nobody has taken.
    for (const [index, plan] of left) options.ended(index, await runTrial(parts, plan, seat, shared));
    seat.leave();
  };
  await Promise.all(Array.from({ length: options.jobs }, worker));
  await parts.sandbox.idle();
  return shared.containers;
}

/** What the workers tell each other. */
interface Shared {
  containers: number;
  /** Why no container could be started: no other is tried. */
  refusal?: NothingRan;
  /** The adapter does not load: every trial ends so. */
  knownEnd?: RunEnd;
}

async function runTrial(
  parts: RunParts,
  plan: () => PlannedRun,
  seat: Seat,
  shared: Shared,
): Promise<Verdict> {
  let scene: Scene | undefined;
  try {
    if (shared.refusal) throw shared.refusal;
    scene = await setScene(parts, plan(), randomUUID());
    const end = shared.knownEnd ?? (await seat.run(scene));
    return judged(await evidenceOf(parts.contract, scene, end));
  } catch (error) {
    return notRun(error);
  } finally {
    clearScene(scene);
  }
}

/** Where one worker's trials run: a container at a time. */
class Seat {
  readonly #parts: RunParts;
  readonly #shared: Shared;
  #guest: Guest | undefined;
  /** Whether the guest has unloaded the trial before. */
  #unloaded = Promise.resolve(false);
  #taken = 0;
  #since = 0;

  constructor(parts: RunParts, shared: Shared) {
    this.#parts = parts;
    this.#shared = shared;
  }

  /** Throws NothingRan and Interrupted. */
  async run(scene: Scene): Promise<RunEnd> {
    const guest = await this.#guestFor(scene);
    this.#taken += 1;
    let end: RunEnd | undefined;
    try {
      end = await conductIn(guest, scene, this.#parts, () => undefined);
    } finally {
      if (end?.kind === 'complete') this.#unloaded = unload(guest);
      else this.leave();
    }
    if (end.kind === 'broken' && (end.reason === 'load' || end.reason === 'exports'))
      this.#shared.knownEnd = end;
    return end;
  }

  leave(): void {
    discardGuest(this.#parts, this.#guest);
    this.#guest = undefined;
  }

  async #guestFor(scene: Scene): Promise<Guest> {
    const { handlers } = scene.conductor;
    if (this.#guest && (await this.#isFit(this.#guest, handlers))) return this.#guest;
    this.leave();
    this.#taken = 0;
    this.#since = performance.now();
    try {
      this.#guest = await startGuest(this.#parts, scene, randomUUID());
    } catch (error) {
      if (error instanceof NothingRan) this.#shared.refusal = error;
      throw error;
    }
    this.#shared.containers += 1;
    return this.#guest;
  }

  async #isFit(guest: Guest, handlers: GuestHandlers): Promise<boolean> {
    if (!(await this.#unloaded) || this.#parts.signal.aborted) return false;
    if (this.#taken >= TRIALS_PER_CONTAINER || performance.now() - this.#since > CONTAINER_MS) return false;
    if (!guest.channel.hasRoom()) return false;
    guest.channel.begin(handlers);
    return true;
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
