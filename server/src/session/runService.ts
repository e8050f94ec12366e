/** Runs of the server: one after another, each cancellable and each with an end that is told. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ExploreCommandParams,
  QualifyCommandParams,
  RunParams,
  RunStarted,
  UriParams,
} from '../../../shared/src/protocol.ts';
import type { AdapterResult, RunResult } from '../../../shared/src/results.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import {
  askedScenarios,
  CANCELLED,
  notRun,
  type Qualification,
  qualifyAdapter,
} from '../runs/qualification.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { SignerProcess } from '../runs/signerProcess.ts';
import { Signing } from '../runs/signing.ts';
import { type UsableProject, usableProject } from '../workspace/usable.ts';
import type { OpenProject } from './openProject.ts';
import { askExplore, askProbe, sandboxOf } from './otherRuns.ts';
import type { Results } from './results.ts';
import { type Problem, problemOf } from './runProblem.ts';

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
  settings(uri: string): Promise<Settings>;
  notify(params: RunParams): void;
  progress(title: string): Promise<RunProgress>;
  log(text: string): void;
}

/** An adapter of an open project. */
export interface Target {
  uri: string;
  project: OpenProject;
  results: Results;
  /** Relative to the project folder. */
  file: string;
}

interface Queued {
  id: string;
  cancelled: boolean;
  running: boolean;
}

export class RunService {
  readonly #parts: RunServiceParts;
  readonly #runner: RunnerProcess;
  readonly #queued = new Map<string, Queued>();
  #last: Promise<void> = Promise.resolve();

  constructor(parts: RunServiceParts) {
    this.#parts = parts;
    this.#runner = new RunnerProcess(join(parts.scripts, 'runner.js'));
  }

  /** @throws CannotRun */
  async qualify(
    target: Target,
    { scenarios = [], draft = false }: QualifyCommandParams,
  ): Promise<RunStarted> {
    this.#requireTrust();
    const known = target.project.contract?.scenarios.map(({ id }) => id) ?? [];
    const unknown = scenarios.find((id) => !known.includes(id));
    if (unknown !== undefined) throw new CannotRun(`The contract has no scenario ${unknown}.`);
    return this.#enqueue(
      (queued) => this.#qualify(queued, target, scenarios, draft),
      (id) => this.#base(id, target, draft, scenarios),
    );
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
    this.#requireTrust();
    const base = (run: string): RunParams => ({
      run,
      kind: 'probe',
      state: 'queued',
      adapter: uri,
      draft: false,
      scenarios: [],
    });
    return this.#enqueue(
      (queued) => this.#other(queued, base(queued.id), project, askProbe(this.#runner)),
      base,
    );
  }

  /** Fault schedules that nobody wrote down; what was found is told with the end. @throws CannotRun */
  async explore(target: Target, { faults = 1, budget = 60 }: ExploreCommandParams): Promise<RunStarted> {
    this.#requireTrust();
    const base = (run: string): RunParams => ({
      run,
      kind: 'explore',
      state: 'queued',
      adapter: target.uri,
      draft: false,
      scenarios: [],
    });
    const path = join(target.project.folder, target.file);
    const ask = askExplore(this.#runner, path, { faults, budget });
    return this.#enqueue((queued) => this.#other(queued, base(queued.id), target.project, ask), base);
  }

  /** Asks the signer, in a process that ends with the answer. @throws CannotRun, NotSigned */
  async keys<Answer>(work: (signer: SignerProcess) => Promise<Answer>): Promise<Answer> {
    this.#requireTrust();
    const signer = new SignerProcess(join(this.#parts.scripts, 'signer.js'));
    try {
      return await work(signer);
    } finally {
      await signer.stop();
    }
  }

  cancel(run: string): void {
    const queued = this.#queued.get(run);
    if (queued === undefined) return;
    queued.cancelled = true;
    if (queued.running) this.#runner.cancel(run);
  }

  /** Ends everything that runs, and the runner with it. */
  async stop(): Promise<void> {
    for (const id of this.#queued.keys()) this.cancel(id);
    await this.#last;
    await this.#runner.stop();
  }

  #requireTrust(): void {
    if (!this.#parts.trusted())
      throw new CannotRun(
        'This workspace is not trusted, so nothing of it is run. Trust it to qualify adapters.',
      );
  }

  #base(run: string, { uri, project }: Target, draft: boolean, scenarios: readonly string[]): RunParams {
    const all = project.contract?.scenarios.map(({ id }) => id) ?? [];
    const asked = scenarios.length > 0 ? all.filter((id) => scenarios.includes(id)) : all;
    return { run, kind: 'qualify', state: 'queued', adapter: uri, draft, scenarios: asked };
  }

  #enqueue(work: (queued: Queued) => Promise<void>, base: (id: string) => RunParams): RunStarted {
    const queued: Queued = { id: randomUUID(), cancelled: false, running: false };
    this.#queued.set(queued.id, queued);
    this.#parts.notify(base(queued.id));
    this.#last = this.#last
      .then(() => work(queued))
      .catch((error: unknown) => {
        const text = `The run failed: ${error instanceof Error ? error.message : String(error)}`;
        this.#parts.log(text);
        this.#parts.notify({ ...base(queued.id), state: 'ended', verdict: 'not_run', problem: { text } });
      })
      .finally(() => {
        this.#queued.delete(queued.id);
      });
    return { run: queued.id };
  }

  async #qualify(
    queued: Queued,
    target: Target,
    scenarios: readonly string[],
    draft: boolean,
  ): Promise<void> {
    const { project, results, file } = target;
    const tell = (change: Partial<RunParams>) =>
      this.#parts.notify({ ...this.#base(queued.id, target, draft, scenarios), ...change });
    const end = (problem: Problem): void => tell({ state: 'ended', verdict: 'not_run', problem });
    await project.refresh();
    const usable = usableProject(project.project);
    if (!usable.ok) return end({ text: `Nothing was run: ${usable.message}` });
    const unsaved = draft ? null : unsavedOf(project, file);
    if (unsaved !== null)
      return end({
        text: `Nothing was run: ${unsaved} has unsaved changes, and a signed run reads what is on disk. Save it, or run a draft.`,
        help: 'save',
      });
    const settings = await this.#parts.settings(target.uri);
    const job: Qualification = {
      run: queued.id,
      file,
      path: join(project.folder, file),
      project: usable.project,
      scenarios,
      clock: settings.clock,
      sandbox: sandboxOf(settings),
      ...(settings.jobs > 0 ? { jobs: settings.jobs } : {}),
      ...(draft ? { draft: project.textOf(file)?.getText() ?? '' } : {}),
    };
    if (queued.cancelled)
      return tell({ state: 'ended', verdict: 'not_run', problem: { text: 'The run was cancelled.' } });
    const { answer, failed } = await this.#run(queued, job, target, tell);
    await this.#finish(job, target, answer.result, draft);
    const problem = failed ?? problemOf(answer.result);
    tell({ state: 'ended', verdict: answer.result.verdict, ...(problem ? { problem } : {}) });
    results.noteEnded(file);
  }

  /** The run itself, with what the editor is told of it. */
  async #run(
    queued: Queued,
    job: Qualification,
    { results, file }: Target,
    tell: (change: Partial<RunParams>) => void,
  ) {
    const asked = askedScenarios(job);
    const progress = await this.#parts.progress(`Loadline: ${file}`);
    progress.onCancel(() => this.cancel(queued.id));
    const notSigned: { problem: Problem | null } = { problem: null };
    const signing =
      job.draft === undefined
        ? new Signing(join(this.#parts.scripts, 'signer.js'), {
            note: (text) => this.#parts.log(text),
            failed: (text) => {
              notSigned.problem = { text: `Not signed: ${text}`, help: 'key' };
            },
          })
        : null;
    queued.running = true;
    results.noteRunning(file, asked);
    tell({ state: 'running' });
    let ended = 0;
    try {
      const answer = queued.cancelled
        ? { engine: null, result: notRun(job, CANCELLED) }
        : await qualifyAdapter({ runner: this.#runner, signing }, job, {
            progress: (text) => {
              progress.report(text, (100 * ended) / asked.length);
              tell({ state: 'running', text });
            },
            scenario: ({ scenario, state, result }) => {
              if (state === 'ended') ended += 1;
              if (result) results.noteResult(file, result, results.digestOf(file));
              progress.report(`${scenario} (${ended}/${asked.length})`, (100 * ended) / asked.length);
              tell({ state: 'scenario', scenario, ...(result ? { result: withoutEvidence(result) } : {}) });
              if (ended === asked.length && signing) tell({ state: 'signing' });
            },
          });
      return { answer, failed: notSigned.problem };
    } finally {
      queued.running = false;
      progress.done();
      await signing?.stop();
    }
  }

  /** Results by the digest that ran: a text that was edited meanwhile makes them stale. */
  async #finish(
    job: Qualification,
    { results, file }: Target,
    result: AdapterResult,
    draft: boolean,
  ): Promise<void> {
    for (const run of result.runs) results.noteResult(file, run, result.sha256);
    if (!draft && result.verdictFile !== null) await results.noteSigned(file, askedScenarios(job));
  }

  /** A run that is no qualification: told alike, cancelled alike. */
  async #other(
    queued: Queued,
    base: RunParams,
    project: OpenProject,
    ask: (
      run: string,
      usable: UsableProject,
      settings: Settings,
      tell: (text: string) => void,
    ) => Promise<Partial<RunParams>>,
  ): Promise<void> {
    const tell = (change: Partial<RunParams>) => this.#parts.notify({ ...base, ...change });
    await project.refresh();
    const usable = usableProject(project.project);
    if (!usable.ok) {
      tell({ state: 'ended', verdict: 'not_run', problem: { text: `Nothing was run: ${usable.message}` } });
      return;
    }
    const settings = await this.#parts.settings(base.adapter);
    const progress = await this.#parts.progress(
      base.kind === 'probe' ? 'Loadline: probe' : 'Loadline: exploration',
    );
    progress.onCancel(() => this.cancel(queued.id));
    queued.running = true;
    tell({ state: 'running' });
    try {
      const end = await ask(queued.id, usable.project, settings, (text) => {
        progress.report(text, 0);
        tell({ state: 'running', text });
      });
      tell({ ...end, state: 'ended' });
    } catch (error) {
      if (!(error instanceof RunnerDied)) throw error;
      tell({ state: 'ended', verdict: 'not_run', problem: { text: error.message } });
    } finally {
      queued.running = false;
      progress.done();
    }
  }
}

/** The first file of a signed run whose text in the editor is not the one on disk, or null. */
function unsavedOf(project: OpenProject, adapter: string): string | null {
  const { grant, openapi } = project.project.config ?? {};
  const files = [
    adapter,
    'loadline.json',
    ...(grant ? [grant] : []),
    ...(openapi ? [openapi] : []),
    ...(project.project.document?.files ?? []),
  ];
  return (
    files.find((file) => {
      const open = project.textOf(file);
      return open !== null && open.getText() !== onDisk(join(project.folder, file));
    }) ?? null
  );
}

function onDisk(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}

function withoutEvidence({ evidence: _, ...result }: RunResult): Omit<RunResult, 'evidence'> {
  return result;
}
