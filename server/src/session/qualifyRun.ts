/** One qualification for an editor: what is run, what is told of it, and what is known afterwards. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunParams } from '../../../shared/src/protocol.ts';
import type { EngineFacts, RunResult } from '../../../shared/src/results.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { askedScenarios, type Qualification, qualifyAdapter } from '../runs/qualification.ts';
import type { RunListener, RunnerProcess } from '../runs/runnerProcess.ts';
import { Signing } from '../runs/signing.ts';
import { readAdapter } from '../workspace/adapterFile.ts';
import { sha256 } from '../workspace/files.ts';
import { usableProject } from '../workspace/usable.ts';
import type { JudgedBy } from './drafts.ts';
import type { OpenProject } from './openProject.ts';
import { sandboxOf } from './otherRuns.ts';
import type { Results } from './results.ts';
import { type Problem, problemOf } from './runProblem.ts';
import type { QueuedRun } from './runQueue.ts';
import type { RunProgress } from './runService.ts';

/** An adapter of an open project. */
export interface Target {
  uri: string;
  project: OpenProject;
  results: Results;
  /** Relative to the project folder. */
  file: string;
}

export interface QualifyRunParts {
  runner: RunnerProcess;
  /** The bundled signer. */
  signer: string;
  settings: Settings;
  progress(): Promise<RunProgress>;
  tell(change: Partial<RunParams>): void;
  /** Engine and tier as a run has shown them, or what is wrong with them. */
  engine(text: string): void;
  log(text: string): void;
}

type Ready = { job: Qualification; judged: JudgedBy } | { problem: Problem };

/** Tells everything from `running` to `ended`. */
export async function qualifyRun(
  parts: QualifyRunParts,
  { id, signal }: QueuedRun,
  target: Target,
  { scenarios, draft }: { scenarios: readonly string[]; draft: boolean },
): Promise<void> {
  const { results, file } = target;
  const ready = await prepared(parts.settings, id, target, scenarios, draft);
  if ('problem' in ready) {
    parts.tell({ state: 'ended', verdict: 'not_run', problem: ready.problem });
    return;
  }
  const { job, judged } = ready;
  const asked = askedScenarios(job.project.contract, job.scenarios);
  const progress = await parts.progress();
  const notSigned: { problem?: Problem } = {};
  const signing = draft ? null : newSigning(parts, (problem) => (notSigned.problem = problem));
  results.noteRunning(file, asked);
  parts.tell({ state: 'running' });
  try {
    const listener = listenerOf({ parts, progress, target, asked, judged, signs: !draft });
    const { engine, result } = await qualifyAdapter({ runner: parts.runner, signing }, job, listener, signal);
    // What ran is what the runner read: a file that was saved in between is another one.
    const ran = result.sha256 === '' ? judged : { ...judged, sha256: result.sha256 };
    for (const run of result.runs) results.noteResult(file, run, ran);
    if (result.verdictFile !== null) await results.noteSigned(file, asked);
    const problem = problemOf(result) ?? notSigned.problem;
    if (engine) parts.engine(engineText(engine));
    else if (problem?.help) parts.engine(problem.text);
    results.noteEnded(file);
    parts.tell({ state: 'ended', verdict: result.verdict, ...(problem ? { problem } : {}) });
  } finally {
    results.noteEnded(file);
    progress.done();
    await signing?.stop();
  }
}

/** The job, or why there is none. */
async function prepared(
  settings: Settings,
  run: string,
  { project, results, file }: Target,
  scenarios: readonly string[],
  draft: boolean,
): Promise<Ready> {
  await project.refresh();
  const usable = usableProject(project.project);
  if (!usable.ok) return { problem: { text: `Nothing was run: ${usable.message}` } };
  const unsaved = draft ? null : unsavedOf(project, file);
  if (unsaved !== null) {
    const text = `Nothing was run: ${unsaved} has unsaved changes, and a signed run reads what is on disk. Save it, or run a draft.`;
    return { problem: { text, help: 'save' } };
  }
  const path = join(project.folder, file);
  const text = project.textOf(file)?.getText() ?? '';
  const digest = draft ? sha256(text) : await savedDigest(project.folder, path);
  results.keepText(digest, text);
  const job: Qualification = {
    run,
    file,
    path,
    project: usable.project,
    scenarios,
    clock: settings.clock,
    hosts: settings.dockerHosts,
    sandbox: sandboxOf(settings),
    ...(settings.jobs > 0 ? { jobs: settings.jobs } : {}),
    ...(draft ? { draft: text } : {}),
  };
  return { job, judged: { sha256: digest, inputs: results.inputs() } };
}

function newSigning({ signer, settings, log }: QualifyRunParts, failed: (problem: Problem) => void): Signing {
  const listener = {
    note: log,
    failed: (text: string) => failed({ text: `Not signed: ${text}`, help: 'key' }),
  };
  return new Signing(signer, listener, settings.signingKey);
}

interface Listening {
  parts: QualifyRunParts;
  progress: RunProgress;
  target: Target;
  asked: readonly string[];
  judged: JudgedBy;
  signs: boolean;
}

function listenerOf({ parts, progress, target, asked, judged, signs }: Listening): RunListener {
  const { results, file } = target;
  let ended = 0;
  const share = () => (100 * ended) / asked.length;
  return {
    progress: (text) => {
      progress.report(text, share());
      parts.tell({ state: 'running', text });
    },
    trouble: (text) => {
      parts.log(text);
      parts.tell({ state: 'running', text });
    },
    scenario: ({ scenario, state, result }) => {
      if (state === 'ended') ended += 1;
      if (result) results.noteResult(file, result, judged);
      progress.report(`${scenario} (${ended}/${asked.length})`, share());
      parts.tell({ state: 'scenario', scenario, ...(result ? { result: withoutEvidence(result) } : {}) });
      if (signs && ended === asked.length) parts.tell({ state: 'signing' });
    },
  };
}

function engineText({ name, version, runtime, tier }: EngineFacts): string {
  return oneLine(`${name} ${version}, ${runtime}, tier ${tier}`);
}

/** The runner says what is wrong with a file that cannot be read. */
async function savedDigest(folder: string, path: string): Promise<string> {
  try {
    return sha256(await readAdapter(folder, path));
  } catch {
    return '';
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
    ...project.project.documentFiles,
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
