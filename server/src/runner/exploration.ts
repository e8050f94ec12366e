/**
 * An exploration: fault schedules made by the contract, tried in shared containers, judged by the same rules. What breaks
 * is made as small as it goes and seen again in a fresh container before it is reported.
 */
import type { Contract, Schedule } from '../../../shared/src/contracts/contract.ts';
import type { Evidence } from '../../../shared/src/evidence/evidence.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import type {
  ExploreAnswer,
  ExploredRun,
  ExploreFinding,
  ExploreParams,
  KeptSchedule,
} from '../../../shared/src/runnerProtocol.ts';
import { prepare, type RunnerParts } from './prepare.ts';
import type { PlannedRun, RunParts, Verdict } from './scene.ts';
import { runNumbers } from './seeds.ts';
import { LANES, TrialPool } from './trialPool.ts';

export interface ExplorationParts extends RunnerParts {
  progress(text: string): void;
}

/** Trials between two lines about how far it is. */
const TOLD = 40;
/** Schedules of one finding that are tried to make it smaller. */
const SHRINKS = 20;
const TRIAL = 'trial';
const NOT_SEEN: Verdict = { verdict: 'not_run', rules: [] };

/** Never throws: why nothing could be tried stands in the answer. */
export async function explore(params: ExploreParams, runner: ExplorationParts): Promise<ExploreAnswer> {
  const prepared = await prepare(params, runner);
  if (!prepared.ok) {
    const empty = {
      engine: null,
      sha256: '',
      seed: params.seed ?? 0,
      trials: 0,
      containers: 0,
      covered: [],
      findings: [],
    };
    return { ...empty, problem: prepared.refusal };
  }
  const { parts } = prepared;
  const { sandbox, adapter, contract } = parts;
  const seed = params.seed ?? (await seedOf(adapter.sha256, contract.version));
  const exploration = new Explorer(parts, params, runner, seed);
  await exploration.run();
  await exploration.close();
  return { engine: sandbox.engineFacts, sha256: adapter.sha256, seed, ...exploration.answer() };
}

interface Seen {
  schedule: Schedule;
  rules: string[];
  verdict: Verdict;
}

class Explorer {
  readonly #params: ExploreParams;
  readonly #runner: ExplorationParts;
  readonly #seed: number;
  readonly #contract: Contract;
  readonly #until: number;
  /** By kind, operation and rules: the first and so the smallest counts. */
  readonly #seen = new Map<string, Seen>();
  readonly #covered: string[] = [];
  readonly #findings: ExploreFinding[] = [];
  readonly #runs: ExploredRun[] = [];
  readonly #pool: TrialPool;
  #problem: ExploreAnswer['problem'];
  /** Schedules begun, and those that were over. */
  #taken = 0;
  #trials = 0;

  constructor(parts: RunParts, params: ExploreParams, runner: ExplorationParts, seed: number) {
    this.#params = params;
    this.#runner = runner;
    this.#seed = seed;
    this.#contract = parts.contract;
    this.#until = performance.now() + params.budgetMs;
    this.#pool = new TrialPool(parts, { jobs: parts.sandbox.places, lanes: LANES });
  }

  answer(): Omit<ExploreAnswer, 'engine' | 'sha256' | 'seed'> {
    const trials = this.#trials;
    const problem = this.#problem ? { problem: this.#problem } : {};
    const runs = this.#params.evidence ? { runs: this.#runs } : {};
    return {
      trials,
      containers: this.#pool.containers,
      covered: this.#covered,
      findings: this.#findings,
      ...runs,
      ...problem,
    };
  }

  async run(): Promise<void> {
    const { kept } = this.#params;
    await (kept === undefined ? this.#explore() : this.#runKept(kept));
  }

  /** What was found before: each that still breaks a rule is a finding again. */
  async #runKept(kept: readonly KeptSchedule[]): Promise<void> {
    const all = kept.map(
      ({ fault, schedule }): Seen => ({
        schedule: { ...schedule, parts: [], text: fault },
        rules: [],
        verdict: NOT_SEEN,
      }),
    );
    await this.#confirm(all, (seen, again) => {
      if (again.verdict === 'failed')
        this.#findings.push(findingOf({ ...seen, rules: brokenOf(again), verdict: again }, again));
    });
    this.#covered.push(`all ${kept.length} kept schedules, each in a container of its own`);
  }

  async #explore(): Promise<void> {
    const { exploration } = this.#contract;
    const nominal: Schedule = {
      kind: 'nothing',
      parts: [],
      operation: '',
      text: 'nothing unusual happens',
      plan: exploration.baseline(this.#seed),
    };
    let baseline: Evidence | undefined;
    await this.#try(
      [nominal],
      () => nominal.text,
      (_schedule, { evidence }) => {
        baseline = evidence;
      },
    );
    if (this.#problem || baseline === undefined) return;
    const shown = new Map<Schedule, Evidence>();
    await this.#level('single faults', exploration.singles(baseline), shown);
    await this.#level('world events with a fault of a create', exploration.worlds(baseline));
    await this.#level('faults of two to five calls in a row', exploration.bursts(baseline));
    if (this.#params.faults === 2) {
      const pairs = [...shown].flatMap(([schedule, evidence]) => exploration.pairs(schedule, evidence));
      await this.#level('pairs of faults within a step', pairs);
      await this.#atChance(baseline);
    }
    await this.#settle([...this.#seen.values()]);
  }

  /** Resolves once every container is removed. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** One kind of schedule, as far as the time goes; says how much of it was covered. */
  async #level(name: string, schedules: readonly Schedule[], shown?: Map<Schedule, Evidence>): Promise<void> {
    const of = `of ${schedules.length}`;
    const done = await this.#try(
      schedules,
      (tried) => `${name}: ${tried} ${of}`,
      (schedule, { evidence }) => {
        if (shown && evidence) shown.set(schedule, evidence);
      },
    );
    const reason = this.#problem ? 'the engine did not go on' : 'time or trials were spent';
    this.#covered.push(
      done === schedules.length ? `all ${done} ${name}` : `${done} ${of} ${name}: ${reason}`,
    );
  }

  async #atChance(baseline: Evidence): Promise<void> {
    const { exploration } = this.#contract;
    function* schedules() {
      for (let number = 0; ; number += 1) yield exploration.random(baseline, number);
    }
    const tried = await this.#try(schedules(), (count) => `schedules at chance: ${count}`);
    this.#covered.push(`${tried} schedules at chance, of two to four faults`);
  }

  #goesOn(): boolean {
    const { trials = Number.POSITIVE_INFINITY } = this.#params;
    return (
      this.#taken < trials &&
      !this.#problem &&
      !this.#runner.signal.aborted &&
      performance.now() < this.#until
    );
  }

  /**
   * Tries schedules while there is time, and notes what broke, in their order whichever ended first. Returns how many
   * were tried.
   */
  async #try(
    schedules: Iterable<Schedule>,
    told: (tried: number) => string,
    look: (schedule: Schedule, verdict: Verdict) => void = () => undefined,
  ): Promise<number> {
    const taken: Schedule[] = [];
    const verdicts = new Map<number, Verdict>();
    let next = 0;
    const timely = this.#timely(schedules, taken);
    await this.#pool.run(timely, (index, verdict) => {
      verdicts.set(index, verdict);
      for (let due = verdicts.get(next); due !== undefined; due = verdicts.get(next)) {
        verdicts.delete(next);
        const schedule = taken[next];
        next += 1;
        if (schedule === undefined) continue;
        look(schedule, due);
        this.#take(schedule, due);
        if (next % TOLD === 0)
          this.#runner.progress(`${told(next)} tried, ${this.#seen.size} kinds of findings`);
      }
    });
    this.#trials += next;
    return next;
  }

  *#timely(schedules: Iterable<Schedule>, taken: Schedule[]): Generator<() => PlannedRun> {
    for (const schedule of schedules) {
      if (!this.#goesOn()) return;
      taken.push(schedule);
      this.#taken += 1;
      yield planned(schedule);
    }
  }

  #take(schedule: Schedule, verdict: Verdict): void {
    if (verdict.verdict === 'failed') this.#note(schedule, verdict);
    this.#takeProblem(verdict);
  }

  #takeProblem({ verdict, reason, message }: Verdict): void {
    if (verdict === 'not_run' && reason !== undefined && reason !== 'judge')
      this.#problem ??= { reason, message: message ?? 'A trial did not run.' };
  }

  #note(schedule: Schedule, verdict: Verdict): void {
    const rules = brokenOf(verdict);
    const key = `${schedule.kind} ${schedule.operation} ${rules.join()}`;
    if (!this.#seen.has(key) && !this.#isExplained(schedule, rules))
      this.#seen.set(key, { schedule, rules, verdict });
  }

  /** Whether its parts alone, or the same at another call, broke as much: then it says nothing new. */
  #isExplained({ kind, operation, parts }: Schedule, rules: readonly string[]): boolean {
    const isKnown = (other: Schedule): boolean =>
      parts.includes(other.kind) || (other.kind === kind && other.operation === operation);
    const alone = [...this.#seen.values()].filter(({ schedule }) => isKnown(schedule));
    return rules.every((rule) => alone.some((each) => each.rules.includes(rule)));
  }

  /** As small as they go, then each in a container that ran nothing else. */
  async #settle(all: readonly Seen[]): Promise<void> {
    const smallest: Seen[] = [];
    for (const seen of all) smallest.push(await this.#shrink(seen));
    // Two that came to the same small schedule are one.
    const distinct = smallest.filter(
      ({ schedule }, index) => smallest.findIndex((other) => other.schedule.text === schedule.text) === index,
    );
    await this.#confirm(distinct, (seen, again) => this.#findings.push(findingOf(seen, again)));
  }

  /** Runs each again in a container that ran nothing else; `told` of each in their order. */
  async #confirm(all: readonly Seen[], told: (seen: Seen, again: Verdict) => void): Promise<void> {
    const again: Verdict[] = [];
    await this.#pool.runFresh(
      all.map(({ schedule }) => planned(schedule)),
      (index, verdict) => {
        again[index] = verdict;
      },
    );
    this.#trials += all.length;
    for (const [index, seen] of all.entries()) {
      const verdict = again[index];
      if (verdict === undefined) continue;
      this.#takeProblem(verdict);
      this.#runs.push({ fault: seen.schedule.text, run: verdict });
      told(seen, verdict);
    }
  }

  async #shrink(seen: Seen): Promise<Seen> {
    let smallest = seen;
    for (let left = SHRINKS; left > 0 && !this.#runner.signal.aborted; ) {
      const candidates = this.#contract.exploration.smaller(smallest.schedule).slice(0, left);
      if (candidates.length === 0) break;
      left -= candidates.length;
      const verdicts: Verdict[] = [];
      await this.#pool.run(candidates.map(planned), (index, verdict) => {
        verdicts[index] = verdict;
      });
      this.#trials += candidates.length;
      const at = verdicts.findIndex(
        (verdict) => verdict.verdict === 'failed' && sharesRule(smallest.rules, brokenOf(verdict)),
      );
      const [schedule, verdict] = [candidates[at], verdicts[at]];
      if (schedule === undefined || verdict === undefined) break;
      smallest = { schedule, rules: brokenOf(verdict), verdict };
    }
    return smallest;
  }
}

function planned({ plan }: Schedule): () => PlannedRun {
  return () => ({ plan, numbers: runNumbers(plan.seed, TRIAL) });
}

function findingOf({ schedule, rules, verdict }: Seen, again: Verdict): ExploreFinding {
  const { kind, operation, text, plan } = schedule;
  return {
    rules,
    fault: text,
    schedule: { kind, operation, seed: plan.seed, plan },
    confirmed: sharesRule(rules, brokenOf(again)),
    texts: verdict.rules.filter(({ held }) => !held).map((rule) => rule.text),
  };
}

function brokenOf({ rules }: Verdict): string[] {
  return rules.filter(({ held }) => !held).map(({ id }) => id);
}

function sharesRule(a: readonly string[], b: readonly string[]): boolean {
  return a.some((id) => b.includes(id));
}
