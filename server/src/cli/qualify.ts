/** `loadline qualify`. */
import { randomUUID } from 'node:crypto';
import { relative, resolve } from 'node:path';
import { version } from '../../../package.json';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { runsOfShard, type Shard } from '../../../shared/src/evidence/shard.ts';
import { type Expected, expectedOf, unexpectedInput } from '../../../shared/src/evidence/trust.ts';
import type {
  AdapterResult,
  ClockKind,
  EngineFacts,
  QualifyResult,
  Tier,
} from '../../../shared/src/results.ts';
import { terminalText } from '../../../shared/src/text.ts';
import {
  askedScenarios,
  CANCELLED,
  notRun,
  type Qualification,
  type Qualified,
  qualifyAdapter,
} from '../runs/qualification.ts';
import type { RunnerProcess } from '../runs/runnerProcess.ts';
import { knownInputs, type Signing } from '../runs/signing.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { keepBodies } from './bodies.ts';
import { newRunner, newSigning } from './children.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { matrixText } from './matrix.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { diagnosticLines, projectOf } from './project.ts';
import { checkReports, type ReportPaths, writeReports } from './reports.ts';
import { jsonFrom } from './verify.ts';

export interface QualifyFlags extends ReportPaths {
  scenario: string[];
  seed?: number;
  runtime?: string;
  minimumTier?: Tier;
  /** Endpoints of the engines that share the runs. */
  host: string[];
  clock: ClockKind;
  jobs?: number;
  /** Only these of the runs. */
  shard?: Shard;
  json: boolean;
  /** File with the digests that the inputs have to have. */
  expect?: string;
  /** Evidence with its bodies and texts is kept, unsigned, in `.loadline/bodies/`. */
  withBodies: boolean;
  /** False: nothing is written beside the adapter. With a seed of one's own nothing is either. */
  sign: boolean;
}

interface Job {
  file: string;
  path: string;
  project: UsableProject;
  /** Of its contract, in its order. */
  scenarios: string[];
}

export async function qualifyCommand(files: string[], flags: QualifyFlags): Promise<ExitCode> {
  const jobs = await jobsOf(files, flags);
  await checkReports(flags);
  const expected = flags.expect === undefined ? null : await jsonFrom(flags.expect, expectedOf);
  for (const { file, project } of jobs)
    if (!(await isExpected(file, project, null, expected))) return EXIT.broken;
  const runner = newRunner();
  const signing = flags.sign && flags.seed === undefined ? newSigning() : null;
  const progress = progressLine(process.stderr, !flags.json);
  const interruption = watchInterrupts(runner, progress);
  const adapters: AdapterResult[] = [];
  let engine: EngineFacts | null = null;
  let asExpected = true;
  try {
    for (const job of jobs) {
      const answer = await qualifyOne({ runner, signing, flags, progress, interruption }, job);
      engine ??= answer.engine;
      adapters.push(answer.result);
      if (flags.withBodies) keepBodies(job.project.folder, answer.result);
      if (answer.engine !== null)
        asExpected = (await isExpected(job.file, job.project, answer.engine, expected)) && asExpected;
    }
  } finally {
    progress.clear();
    await Promise.all([runner.stop(), signing?.stop()]);
    interruption.stop();
  }
  const result = { loadline: version, engine, adapters };
  print(result, flags);
  await writeReports(result, flags);
  if (signing?.failed) return EXIT.notDone;
  const code = exitCodeOf(adapters);
  return code === EXIT.ok && !asExpected ? EXIT.broken : code;
}

/** Says what is not as expected. What the engine gives is known only after a run. */
async function isExpected(
  file: string,
  project: UsableProject,
  engine: EngineFacts | null,
  expected: Expected | null,
): Promise<boolean> {
  if (expected === null) return true;
  const inputs = await knownInputs(project, engine);
  const other = unexpectedInput(inputs, expected);
  if (other === null) return true;
  process.stderr.write(`loadline: ${terminalText(file)}: the ${other} is not the one that is expected.\n`);
  return false;
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
    jobs.push({ file, path, project: same, scenarios: askedScenarios(same.contract, flags.scenario) });
  }
  return flags.shard === undefined ? jobs : jobsOfShard(jobs, flags.shard);
}

/** The runs of all adapters are one list; an adapter of which this shard has none is left out. */
function jobsOfShard(jobs: readonly Job[], shard: Shard): Job[] {
  const runs = jobs.flatMap((job) => job.scenarios.map((scenario) => ({ job, scenario })));
  if (shard.count > runs.length)
    throw new CannotDo(`There are ${runs.length} runs, which are no ${shard.count} shards; take fewer.`);
  const own = runsOfShard(runs, shard);
  return jobs.flatMap((job) => {
    const scenarios = own.flatMap((run) => (run.job === job ? [run.scenario] : []));
    return scenarios.length === 0 ? [] : [{ ...job, scenarios }];
  });
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
  { file, path, project, scenarios }: Job,
): Promise<Qualified> {
  const job: Qualification = {
    run: randomUUID(),
    file,
    path,
    project,
    scenarios,
    clock: flags.clock,
    hosts: flags.host,
    sandbox: sandboxOf(flags),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
    ...(flags.shard === undefined ? {} : { shard: flags.shard }),
  };
  if (interruption.interrupted) return { engine: null, result: notRun(job, CANCELLED) };
  let ended = 0;
  interruption.current = job.run;
  try {
    const qualified = await qualifyAdapter({ runner, signing }, job, {
      progress: (text) => progress.note(text),
      trouble: (text) => progress.trouble(text),
      scenario: ({ state, scenario }) => {
        if (state === 'ended') ended += 1;
        progress.show(`${file}  ${ended}/${scenarios.length}  ${scenario}`);
      },
    });
    const { verdictFile } = qualified.result;
    return verdictFile === null
      ? qualified
      : { ...qualified, result: { ...qualified.result, verdictFile: fromHere(verdictFile) } };
  } finally {
    interruption.current = null;
    progress.clear();
  }
}

function sandboxOf({ runtime, minimumTier }: QualifyFlags): Qualification['sandbox'] {
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(minimumTier === undefined ? {} : { minimumTier }),
  };
}

/** Relative where that is shorter to read: inside of the working directory. */
function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
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
  if (runs.length === 0 || [...adapters, ...runs].some(({ verdict }) => verdict === 'not_run'))
    return EXIT.notDone;
  return runs.every((run) => run.verdict === 'qualified') ? EXIT.ok : EXIT.broken;
}
