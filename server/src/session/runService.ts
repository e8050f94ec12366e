/** Runs of the server: one after another, each cancellable and each with an end that is told. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HAND_INS, MOST_SEEDS, SEEDS } from '../../../shared/src/exam.ts';
import type {
  ExploreCommandParams,
  GradeCommandParams,
  QualifyCommandParams,
  RunParams,
  RunStarted,
  UriParams,
} from '../../../shared/src/protocol.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import { oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { handedIn, NotGradable } from '../runs/exam.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { SignerProcess } from '../runs/signerProcess.ts';
import { KEPT_FILE } from '../workspace/kept.ts';
import { usableProject } from '../workspace/usable.ts';
import { askGrade } from './gradeRun.ts';
import type { OpenProject } from './openProject.ts';
import { type Ask, askExplore, askProbe, type Telling } from './otherRuns.ts';
import { qualifyRun, type Target } from './qualifyRun.ts';
import { type QueuedRun, RunQueue } from './runQueue.ts';

export type { Target } from './qualifyRun.ts';

/** What is asked for cannot be done; the message says what to do. */
export class CannotRun extends Error {}

/** Work-done progress of one run in the editor. */
export interface RunProgress {
  report(text: string, percentage: number): void;
  done(): void;
  onCancel(listener: () => void): void;
}

export interface RunServiceParts {
  /** Folder of the bundles `runner.js` and `signer.js`. */
  scripts: string;
  trusted(): boolean;
  /** Of a resource; without one, of the workspace. */
  settings(uri?: string): Promise<Settings>;
  notify(params: RunParams): void;
  progress(title: string): Promise<RunProgress>;
  /** Engine and tier as a run of that adapter has shown them, or what is wrong with them. */
  engine(uri: string, text: string): void;
  log(text: string): void;
}

type About = Omit<RunParams, 'run' | 'state'>;

/** A runner that nobody needs holds memory and warm containers: it ends after so long. */
const IDLE_MS = 5 * 60_000;
const TITLES: Record<RunParams['kind'], string> = {
  qualify: 'Loadline: qualification',
  explore: 'Loadline: exploration',
  probe: 'Loadline: probe',
  exam: 'Loadline: exam',
};
const UNTRUSTED = 'This workspace is not trusted, so nothing of it is run. Trust it to qualify adapters.';

export class RunService {
  readonly #parts: RunServiceParts;
  readonly #runner: RunnerProcess;
  readonly #queue: RunQueue;

  constructor(parts: RunServiceParts) {
    this.#parts = parts;
    this.#runner = new RunnerProcess(join(parts.scripts, 'runner.js'));
    this.#queue = new RunQueue({ idle: () => this.#runner.stop(), idleMs: IDLE_MS });
  }

  /** @throws CannotRun */
  async qualify(
    target: Target,
    { scenarios = [], draft = false }: QualifyCommandParams,
  ): Promise<RunStarted> {
    const known = target.project.contract?.scenarios.map(({ id }) => id) ?? [];
    const unknown = scenarios.find((id) => !known.includes(id));
    if (unknown !== undefined) throw new CannotRun(`The contract has no scenario ${unknown}.`);
    const asked = scenarios.length > 0 ? known.filter((id) => scenarios.includes(id)) : known;
    const about = { kind: 'qualify', adapter: target.uri, draft, scenarios: asked } satisfies About;
    return this.#start(about, async (run, tell) => {
      const parts = {
        runner: this.#runner,
        signer: join(this.#parts.scripts, 'signer.js'),
        settings: await this.#parts.settings(target.uri),
        progress: () => this.#progress(run, `Loadline: ${target.file}`),
        tell,
        engine: (text: string) => this.#parts.engine(target.uri, text),
        log: (text: string) => this.#parts.log(text),
      };
      await qualifyRun(parts, run, target, { scenarios, draft });
    });
  }

  /** Every adapter in turn; the id is the first one's, the others follow with their own. @throws CannotRun */
  async qualifyAll(targets: readonly Target[]): Promise<RunStarted> {
    this.#requireTrust();
    const started = await Promise.all(targets.map((target) => this.qualify(target, { uri: target.uri })));
    const [first] = started;
    if (first === undefined) throw new CannotRun('No loadline.json of this workspace names an adapter.');
    return first;
  }

  /** @throws CannotRun */
  async probe({ uri }: UriParams, project: OpenProject): Promise<RunStarted> {
    const about = { kind: 'probe', adapter: uri, draft: false, scenarios: [] } satisfies About;
    return this.#start(about, (run, tell) => this.#other(run, tell, about, project, askProbe(this.#runner)));
  }

  /** Fault schedules that nobody wrote down, or those that were found before. @throws CannotRun */
  async explore(target: Target, { found, ...params }: ExploreCommandParams): Promise<RunStarted> {
    const scenarios = found === undefined ? undefined : keptOnes(target, found);
    const about = {
      kind: 'explore',
      adapter: target.uri,
      draft: false,
      scenarios: scenarios ?? [],
    } satisfies About;
    const again = scenarios === undefined ? {} : { found: scenarios };
    const ask = askExplore(this.#runner, target, { ...params, ...again });
    return this.#start(about, (run, tell) => this.#other(run, tell, about, target.project, ask));
  }

  /** @throws CannotRun */
  async grade(
    { uri, handIns = HAND_INS, seeds = SEEDS }: GradeCommandParams,
    folder: string,
    project: OpenProject,
  ): Promise<RunStarted> {
    this.#requireTrust();
    if (!isCount(handIns) || !isCount(seeds) || seeds > MOST_SEEDS)
      throw new CannotRun(
        `Hand-ins and seeds are whole numbers from 1; of seeds there are at most ${MOST_SEEDS}.`,
      );
    const handed = await handedIn(folder, handIns).catch((error: unknown) => {
      throw error instanceof NotGradable ? new CannotRun(error.message) : error;
    });
    const about = { kind: 'exam', adapter: uri, draft: false, scenarios: [] } satisfies About;
    const parts = {
      runner: this.#runner,
      signer: join(this.#parts.scripts, 'signer.js'),
      log: (text: string) => this.#parts.log(text),
    };
    const { contract } = project;
    if (contract === null) throw new CannotRun('There is no exam here: loadline.json has errors.');
    const ask = askGrade(parts, { contract, handedIn: handed, limit: handIns, seeds });
    return this.#start(about, (run, tell) => this.#other(run, tell, about, project, ask));
  }

  /** Asks the signer, in a process that ends with the answer. @throws CannotRun, NotSigned */
  async keys<Answer>(work: (signer: SignerProcess) => Promise<Answer>): Promise<Answer> {
    this.#requireTrust();
    const { signingKey } = await this.#parts.settings();
    const signer = new SignerProcess(join(this.#parts.scripts, 'signer.js'), signingKey);
    try {
      return await work(signer);
    } finally {
      await signer.stop();
    }
  }

  /** Key ids of one's own. None where there is no key yet: asking makes none. */
  async ownKeys(): Promise<string[]> {
    if (!this.#parts.trusted()) return [];
    return this.keys(async (signer) =>
      existsSync(await signer.keyPath()) ? (await signer.exportKeys()).keys.map(({ kid }) => kid) : [],
    );
  }

  cancel(run: string): void {
    this.#queue.cancel(run);
  }

  /** Ends everything that runs, and the runner with it. */
  async stop(): Promise<void> {
    await this.#queue.stop();
    await this.#runner.stop();
  }

  #requireTrust(): void {
    if (!this.#parts.trusted()) throw new CannotRun(UNTRUSTED);
  }

  /** @throws CannotRun */
  #start(
    about: About,
    work: (run: QueuedRun, tell: (change: Partial<RunParams>) => void) => Promise<void>,
  ): RunStarted {
    this.#requireTrust();
    const tellOf =
      ({ id }: QueuedRun) =>
      (change: Partial<RunParams>) =>
        this.#parts.notify({ ...about, run: id, state: 'queued', ...change });
    const end = (run: QueuedRun, text: string) =>
      tellOf(run)({ state: 'ended', verdict: 'not_run', problem: { text } });
    const run = this.#queue.add({
      work: async (queued) =>
        // Trust may have been taken back while it waited.
        this.#parts.trusted() ? work(queued, tellOf(queued)) : end(queued, UNTRUSTED),
      dropped: (queued) => end(queued, 'The run was cancelled.'),
      failed: (queued, error) => {
        const text = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
        this.#parts.log(text);
        end(queued, text);
      },
    });
    tellOf(run)({ state: 'queued' });
    return { run: run.id };
  }

  async #progress(run: QueuedRun, title: string): Promise<RunProgress> {
    const progress = await this.#parts.progress(title);
    progress.onCancel(() => this.cancel(run.id));
    return progress;
  }

  /** A run that is no qualification: told alike, cancelled alike. */
  async #other(
    { id, signal }: QueuedRun,
    tell: (change: Partial<RunParams>) => void,
    { kind, adapter }: Pick<RunParams, 'kind' | 'adapter'>,
    project: OpenProject,
    ask: Ask,
  ): Promise<void> {
    await project.refresh();
    const usable = usableProject(project.project);
    const settings = await this.#parts.settings(adapter);
    if (!usable.ok || signal.aborted) {
      const text = usable.ok ? 'The run was cancelled.' : `Nothing was run: ${usable.message}`;
      tell({ state: 'ended', verdict: 'not_run', problem: { text } });
      return;
    }
    const progress = await this.#progress({ id, signal }, TITLES[kind]);
    const cancel = () => this.#runner.cancel(id);
    tell({ state: 'running' });
    try {
      const telling = {
        progress(text: string) {
          progress.report(text, 0);
          tell({ state: 'running', text });
        },
        scenario({ evidence: _, ...result }: RunResult) {
          tell({ state: 'scenario', scenario: result.scenario, result });
        },
      } satisfies Telling;
      const asked = ask(id, usable.project, settings, telling, signal);
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel);
      tell({ ...(await asked), state: 'ended' });
    } catch (error) {
      if (!(error instanceof RunnerDied)) throw error;
      tell({ state: 'ended', verdict: 'not_run', problem: { text: error.message } });
    } finally {
      signal.removeEventListener('abort', cancel);
      progress.done();
    }
  }
}

/** Those that were asked for; none: all. @throws CannotRun */
function keptOnes({ results, file }: Target, asked: readonly string[]): string[] {
  const all = results.found(file).map(({ id }) => id);
  const unknown = asked.find((id) => !all.includes(id));
  if (unknown !== undefined)
    throw new CannotRun(`${KEPT_FILE} does not keep "${oneLine(unknown, SUMMARY_LENGTH)}" any more.`);
  if (all.length === 0) throw new CannotRun(`Nothing was found in ${file} yet; explore it first.`);
  return asked.length === 0 ? all : all.filter((id) => asked.includes(id));
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
