/**
 * A list of attempts, each a step of its own: its report is here before the next begins. Where a container ends before
 * the list does, what is left is tried in a fresh one, so no attempt can hide those that come after it.
 */
import type { Json } from '../../../shared/src/json.ts';
import { Interrupted } from './conductor.ts';
import type { ProbeRunOutcome, ProbeWalk } from './probeRun.ts';

/** Containers for one list. */
const MOST_CONTAINERS = 8;

export interface AttemptList {
  /** What the container is asked for the names; null: `ids` are known. */
  naming: Json[] | null;
  /** Known names, or those in the answer to `naming`. */
  ids(answer: Json | undefined): string[];
  /** What the container is asked for one attempt. */
  ask(id: string): Json[];
  /** One container. */
  run(walk: ProbeWalk): Promise<ProbeRunOutcome>;
}

export interface ListOutcome {
  /** What the container answered to the naming. */
  named: Json | undefined;
  /** What each attempt returned. */
  made: Map<string, Json>;
  /** Attempts that a container of their own ended at, too, and how it ended. */
  ended: Map<string, string>;
  /** What was left, and why; null: nothing was. */
  left: { ids: string[]; why: string } | null;
  outcomes: ProbeRunOutcome[];
  /** What each container was asked to try, in the order of its steps where it was not asked for names. */
  asked: string[][];
}

/** Throws Interrupted where no container could be started, or none gave the names. */
export async function tryList(list: AttemptList): Promise<ListOutcome> {
  const trial = new ListTrial(list);
  for (let n = 0; n < MOST_CONTAINERS && !trial.over; n++) await trial.next();
  return trial.outcome();
}

class ListTrial {
  readonly #list: AttemptList;
  readonly #made = new Map<string, Json>();
  readonly #ended = new Map<string, string>();
  /** Attempts that are tried again, each in a container of its own. */
  readonly #again = new Set<string>();
  readonly #lost = new Set<string>();
  readonly #outcomes: ProbeRunOutcome[] = [];
  readonly #asked: string[][] = [];
  #named: Json | undefined;
  #ids: string[] | null;
  #why = '';

  constructor(list: AttemptList) {
    this.#list = list;
    this.#ids = list.naming === null ? list.ids(undefined) : null;
  }

  get over(): boolean {
    return this.#ids !== null && this.#open(this.#ids).length === 0 && this.#again.size === 0;
  }

  /** One container: with all that is open, then with one of those that a container ended at. */
  async next(): Promise<void> {
    const [alone] = this.#again;
    const fresh = this.#ids === null ? [] : this.#open(this.#ids);
    const single = fresh.length === 0 ? alone : undefined;
    let queue = single === undefined ? fresh : [single];
    let naming = this.#ids === null ? 'due' : 'done';
    let under: string | undefined;
    const asked: string[] = [];
    this.#asked.push(asked);
    const outcome = await this.#list.run((answer) => {
      if (naming === 'due') {
        naming = 'asked';
        return this.#list.naming;
      }
      if (naming === 'asked') {
        naming = 'done';
        if (answer === undefined) return null;
        this.#named = answer;
        this.#ids = this.#list.ids(answer);
        queue = [...this.#ids];
      } else if (under !== undefined && answer !== undefined) this.#made.set(under, answer);
      under = queue.shift();
      if (under === undefined) return null;
      asked.push(under);
      return this.#list.ask(under);
    });
    this.#outcomes.push(outcome);
    this.#why = whyEnded(outcome);
    if (outcome.end.kind === 'complete') under = undefined;
    if (single !== undefined) this.#again.delete(single);
    if (under === undefined || this.#made.has(under)) return;
    if (single === undefined) this.#again.add(under);
    else if (died(outcome) && begun(outcome, under)) this.#ended.set(under, whyEnded(outcome));
    else this.#lost.add(under);
  }

  outcome(): ListOutcome {
    if (this.#ids === null) throw new Interrupted('runner', this.#silence(), true);
    const ids = [...this.#lost, ...this.#again, ...this.#open(this.#ids)];
    return {
      ...{ named: this.#named, made: this.#made, ended: this.#ended, outcomes: this.#outcomes },
      asked: this.#asked,
      left: ids.length === 0 ? null : { ids, why: `not everything was tried: ${this.#why}` },
    };
  }

  #open(ids: string[]): string[] {
    return ids.filter(
      (id) => ![this.#made, this.#ended, this.#again, this.#lost].some((seen) => seen.has(id)),
    );
  }

  #silence(): string {
    return `No container of the probe said what it would try: ${this.#why}`;
  }
}

function whyEnded({ end, exit, log }: ProbeRunOutcome): string {
  if (exit !== null && exit.code !== null) return `the container ended (exit code ${exit.code})`;
  const why = end.kind === 'broken' ? end.text : 'the container returned nothing.';
  return `${why} ${log.trim().slice(-200)}`.trim();
}

function died({ end, exit }: ProbeRunOutcome): boolean {
  return end.kind === 'broken' && (end.reason === 'guest-died' || end.reason === 'memory') && exit !== null;
}

/** Every attempt begins with its name on the container's log. */
function begun({ log }: ProbeRunOutcome, id: string): boolean {
  return log.split('\n').some((line) => line.trim() === id);
}
