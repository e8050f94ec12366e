/** `loadline qualify`. */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { version } from '../../../package.json';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type {
  AdapterResult,
  ClockKind,
  EngineFacts,
  QualifyResult,
  RunResult,
  Tier,
} from '../../../shared/src/results.ts';
import { adapterVerdict } from '../../../shared/src/results.ts';
import type { QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { matrixText } from './matrix.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { diagnosticLines, projectOf, type UsableProject } from './project.ts';
import { checkReports, type ReportPaths, writeReports } from './reports.ts';
import { Signing, signerScript } from './signing.ts';

export interface QualifyFlags extends ReportPaths {
  scenario: string[];
  seed?: number;
  runtime?: string;
  minimumTier?: Tier;
  host?: string;
  clock: ClockKind;
  jobs?: number;
  json: boolean;
  /** False: nothing is written beside the adapter. With a seed of one's own nothing is either. */
  sign: boolean;
}

interface Job {
  file: string;
  path: string;
  project: UsableProject;
}

export async function qualifyCommand(files: string[], flags: QualifyFlags): Promise<ExitCode> {
  const jobs = await jobsOf(files, flags);
  await checkReports(flags);
  const runner = new RunnerProcess(join(__dirname, 'runner.js'));
  const signing = flags.sign && flags.seed === undefined ? new Signing(signerScript()) : null;
  const progress = progressLine(process.stderr, !flags.json);
  const interruption = watchInterrupts(runner, progress);
  const adapters: AdapterResult[] = [];
  let engine: EngineFacts | null = null;
  try {
    for (const job of jobs) {
      const answer = await qualifyOne({ runner, signing, flags, progress, interruption }, job);
      engine ??= answer.engine;
      adapters.push(answer.result);
    }
  } finally {
    progress.clear();
    await Promise.all([runner.stop(), signing?.stop()]);
    interruption.stop();
  }
  const result = { loadline: version, engine, adapters };
  print(result, flags);
  await writeReports(result, flags);
  return signing?.failed ? EXIT.notDone : exitCodeOf(adapters);
}

async function jobsOf(files: string[], flags: QualifyFlags): Promise<Job[]> {
  if (flags.jobs === 0) throw new CannotDo('--jobs takes a whole number from 1.');
  const projects = new Map<string, UsableProject>();
  const jobs: Job[] = [];
  for (const file of files) {
    const path = resolve(file);
    const project = await projectOf(path);
    const same = projects.get(project.folder) ?? project;
    if (same === project && project.notes.length > 0)
      process.stderr.write(`${diagnosticLines(project.folder, project.notes)}\n`);
    projects.set(same.folder, same);
    checkScenarios(same.contract, flags.scenario);
    jobs.push({ file, path, project: same });
  }
  return jobs;
}

function checkScenarios(contract: string, asked: string[]): void {
  const known = contractById(contract)?.scenarios.map((scenario) => scenario.id) ?? [];
  const unknown = asked.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new CannotDo(`${contract} has no scenario ${unknown}; it has ${known.join(', ')}.`);
}

interface Interruption {
  /** The qualification under way. */
  current: string | null;
  interrupted: boolean;
  stop(): void;
}

/** The first Ctrl-C ends the runs in order; the second lets nobody wait. */
function watchInterrupts(runner: RunnerProcess, progress: ProgressLine): Interruption {
  const state: Interruption = { current: null, interrupted: false, stop: () => undefined };
  const interrupt = () => {
    if (state.interrupted) process.exit(EXIT.notDone);
    state.interrupted = true;
    progress.note('Stopping: ending the runs and removing their containers ...');
    if (state.current !== null) runner.cancel(state.current);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  state.stop = () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
  return state;
}

/** What the qualifications of one command share. */
interface Session {
  runner: RunnerProcess;
  /** null: nothing is signed. */
  signing: Signing | null;
  flags: QualifyFlags;
  progress: ProgressLine;
  interruption: Interruption;
}

async function qualifyOne(
  { runner, signing, flags, progress, interruption }: Session,
  { file, path, project }: Job,
): Promise<{ engine: EngineFacts | null; result: AdapterResult }> {
  const run = randomUUID();
  const all = contractById(project.contract)?.scenarios.map((scenario) => scenario.id) ?? [];
  const asked = flags.scenario.length > 0 ? all.filter((id) => flags.scenario.includes(id)) : all;
  if (interruption.interrupted)
    return { engine: null, result: notRun(file, project, flags, asked, [], cancelled) };
  const params: QualifyParams = {
    run,
    surface: project.surface,
    contract: project.contract,
    vendor: project.vendor,
    adapter: { kind: 'file', folder: project.folder, path },
    scenarios: flags.scenario,
    clock: flags.clock,
    sandbox: {
      ...(flags.host === undefined ? {} : { host: flags.host }),
      ...(flags.runtime === undefined ? {} : { runtime: flags.runtime }),
      ...(flags.minimumTier === undefined ? {} : { minimumTier: flags.minimumTier }),
    },
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
  };
  const nonces = (await signing?.nonces(asked.length)) ?? null;
  let ended = 0;
  interruption.current = run;
  try {
    const { engine, result: judged } = await runner.qualify(params, {
      progress: (text) => progress.note(text),
      scenario: ({ state, scenario }) => {
        if (state === 'ended') ended += 1;
        progress.show(`${file}  ${ended}/${asked.length}  ${scenario}`);
      },
    });
    const result = { ...judged, file };
    if (signing === null || nonces === null || engine === null) return { engine, result };
    progress.clear();
    const { clock } = flags;
    return { engine, result: await signing.sign({ project, path, clock, engine, result, nonces }) };
  } catch (error) {
    if (!(error instanceof RunnerDied)) throw error;
    const why = { reason: 'runner', message: error.message, mayHaveRun: true } as const;
    return { engine: null, result: notRun(file, project, flags, asked, error.ended, why) };
  } finally {
    interruption.current = null;
  }
}

type Why = Pick<RunResult, 'reason' | 'message' | 'mayHaveRun'>;
const cancelled: Why = { reason: 'cancelled', message: 'The run was cancelled.', mayHaveRun: false };

/** A result whose scenarios did not run, but for those that had ended. */
function notRun(
  file: string,
  project: UsableProject,
  flags: QualifyFlags,
  asked: string[],
  ended: RunResult[],
  why: Why,
): AdapterResult {
  const empty = { tier: null, clock: flags.clock, durationMs: 0, rules: [], orders: 0, advice: [] };
  const runs = asked.map(
    (scenario): RunResult =>
      ended.find((run) => run.scenario === scenario) ?? {
        ...empty,
        scenario,
        verdict: 'not_run',
        ...why,
        calls: { sent: 0, refused: 0, shed: 0 },
        perOperation: {},
        log: { text: '', truncated: false },
      },
  );
  const { contract } = project;
  const verdict = adapterVerdict(runs, asked);
  return { file, sha256: '', contract, seed: flags.seed ?? 0, verdict, verdictFile: null, runs };
}

function print(result: QualifyResult, flags: QualifyFlags): void {
  if (!flags.json) {
    process.stdout.write(`${matrixText(result)}${writtenText(result)}`);
    return;
  }
  // Evidence belongs in verdict files; the object that machines read stays small.
  const adapters = result.adapters.map(({ runs, ...adapter }) => ({
    ...adapter,
    runs: runs.map(({ evidence: _, ...run }) => run),
  }));
  process.stdout.write(`${JSON.stringify({ ...result, adapters })}\n`);
}

/** Where the signed verdicts are. */
function writtenText({ adapters }: QualifyResult): string {
  return adapters
    .flatMap(({ verdictFile }) => (verdictFile === null ? [] : [`signed: ${terminalText(verdictFile)}\n`]))
    .join('');
}

function exitCodeOf(adapters: AdapterResult[]): ExitCode {
  const runs = adapters.flatMap((adapter) => adapter.runs);
  if (runs.length === 0 || runs.some((run) => run.verdict === 'not_run')) return EXIT.notDone;
  return runs.every((run) => run.verdict === 'qualified') ? EXIT.ok : EXIT.broken;
}
