/**
 * An exploration: fault schedules made by the contract, tried in shared containers, judged by the same rules. What breaks
 * is made as small as it goes and seen again in a fresh container before it is reported.
 */
import type { Contract, Schedule } from '../../../shared/src/contracts/contract.ts';
import type { Evidence } from '../../../shared/src/evidence/evidence.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import type { ExploreAnswer, ExploreFinding, ExploreParams } from '../../../shared/src/runnerProtocol.ts';
import { prepare, type RunnerParts } from './prepare.ts';
import type { PlannedRun, RunParts, Verdict } from './scene.ts';
import { runNumbers } from './seeds.ts';
import { runTrials } from './trials.ts';

export interface ExplorationParts extends RunnerParts {
  progress(text: string): void;
}

/** Trials between two looks at the time that is left. */
const CHUNK = 40;
/** Schedules of one finding that are tried to make it smaller. */
const SHRINKS = 20;
const TRIAL = 'trial';

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
  return { engine: sandbox.engineFacts, sha256: adapter.sha256, seed, ...exploration.answer() };
}

interface Seen {
  schedule: Schedule;
  rules: string[];
  verdict: Verdict;
}

class Explorer {
  readonly #parts: RunParts;
  readonly #params: ExploreParams;
  readonly #runner: ExplorationParts;
  readonly #seed: number;
  readonly #contract: Contract;
  readonly #until: number;
  /** By kind, operation and rules: the first and so the smallest counts. */
  readonly #seen = new Map<string, Seen>();
  readonly #covered: string[] = [];
  readonly #findings: ExploreFinding[] = [];
  #problem: ExploreAnswer['problem'];
  #trials = 0;
  #containers = 0;

  constructor(parts: RunParts, params: ExploreParams, runner: ExplorationParts, seed: number) {
    this.#parts = parts;
    this.#params = params;
    this.#runner = runner;
    this.#seed = seed;
    this.#contract = parts.contract;
    this.#until = performance.now() + params.budgetMs;
  }

  answer(): Omit<ExploreAnswer, 'engine' | 'sha256' | 'seed'> {
    const trials = this.#trials;
    const problem = this.#problem ? { problem: this.#problem } : {};
    return {
      trials,
      containers: this.#containers,
      covered: this.#covered,
      findings: this.#findings,
      ...problem,
    };
  }

  async run(): Promise<void> {
    const { exploration } = this.#contract;
    const nominal: Schedule = {
      kind: 'nothing',
      parts: [],
      operation: '',
      text: 'nothing unusual happens',
      plan: exploration.baseline(this.#seed),
    };
    const [first] = await this.#try([nominal]);
    const baseline = first?.evidence;
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
    for (const seen of [...this.#seen.values()]) await this.#settle(seen);
  }

  /** One kind of schedule, as far as the time goes; says how much of it was covered. */
  async #level(name: string, schedules: readonly Schedule[], shown?: Map<Schedule, Evidence>): Promise<void> {
    let done = 0;
    while (done < schedules.length && this.#hasTime()) {
      const chunk = schedules.slice(done, done + CHUNK);
      const verdicts = await this.#try(chunk);
      for (const [index, { evidence }] of verdicts.entries()) {
        const schedule = chunk[index];
        if (shown && schedule && evidence) shown.set(schedule, evidence);
      }
      done += chunk.length;
      this.#runner.progress(
        `${name}: ${done} of ${schedules.length} tried, ${this.#seen.size} kinds of findings`,
      );
    }
    const rest = schedules.length - done;
    const reason = this.#problem ? 'the engine did not go on' : 'the time was over';
    this.#covered.push(
      rest === 0 ? `all ${done} ${name}` : `${done} of ${schedules.length} ${name}: ${reason}`,
    );
  }

  async #atChance(baseline: Evidence): Promise<void> {
    let number = 0;
    while (this.#hasTime()) {
      const chunk = Array.from({ length: CHUNK }, () =>
        this.#contract.exploration.random(baseline, number++),
      );
      await this.#try(chunk);
      this.#runner.progress(`schedules at chance: ${number} tried, ${this.#seen.size} kinds of findings`);
    }
    this.#covered.push(`${number} schedules at chance, of two to four faults`);
  }

  #hasTime(): boolean {
    return !this.#problem && !this.#runner.signal.aborted && performance.now() < this.#until;
  }

  /** Verdicts in the order of the schedules; what broke is noted. */
  async #try(schedules: readonly Schedule[]): Promise<Verdict[]> {
    const verdicts = await this.#trialsOf(schedules);
    for (const [index, verdict] of verdicts.entries()) {
      const schedule = schedules[index];
      if (schedule && verdict.verdict === 'failed') this.#note(schedule, verdict);
      if (verdict.verdict === 'not_run' && verdict.reason !== undefined && verdict.reason !== 'judge')
        this.#problem ??= { reason: verdict.reason, message: verdict.message ?? 'A trial did not run.' };
    }
    return verdicts;
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

  async #trialsOf(schedules: readonly Schedule[], jobs = this.#parts.sandbox.places): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    const plans = schedules.map(
      ({ plan }) =>
        (): PlannedRun => ({ plan, numbers: runNumbers(plan.seed, TRIAL) }),
    );
    this.#containers += await runTrials(this.#parts, plans, {
      jobs: Math.min(jobs, schedules.length),
      ended: (index, verdict) => {
        verdicts[index] = verdict;
      },
    });
    this.#trials += schedules.length;
    return verdicts;
  }

  /** As small as it goes, then in a container that ran nothing else. */
  async #settle(seen: Seen): Promise<void> {
    let smallest = seen;
    let left = SHRINKS;
    for (let tried = true; tried && left > 0 && !this.#runner.signal.aborted; ) {
      tried = false;
      for (const schedule of this.#contract.exploration.smaller(smallest.schedule)) {
        left -= 1;
        const [verdict] = await this.#trialsOf([schedule], 1);
        if (verdict?.verdict !== 'failed' || !sharesRule(smallest.rules, brokenOf(verdict))) continue;
        smallest = { schedule, rules: brokenOf(verdict), verdict };
        tried = true;
        break;
      }
    }
    const [again] = await this.#trialsOf([smallest.schedule], 1);
    const { kind, operation, text, plan } = smallest.schedule;
    const finding: ExploreFinding = {
      rules: smallest.rules,
      fault: text,
      schedule: { kind, operation, seed: plan.seed, plan },
      confirmed: again !== undefined && sharesRule(smallest.rules, brokenOf(again)),
      texts: smallest.verdict.rules.filter(({ held }) => !held).map((rule) => rule.text),
    };
    // Two that came to the same small schedule are one.
    if (!this.#findings.some((other) => other.fault === finding.fault)) this.#findings.push(finding);
  }
}

function brokenOf({ rules }: Verdict): string[] {
  return rules.filter(({ held }) => !held).map(({ id }) => id);
}

function sharesRule(a: readonly string[], b: readonly string[]): boolean {
  return a.some((id) => b.includes(id));
}
