/** `loadline exam`: the paper that authors get, practice, and grading of what they hand in. */
import { join, resolve } from 'node:path';
import { version } from '../../../package.json';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { authorOf, MOST_SEEDS, practiceScenario } from '../../../shared/src/exam.ts';
import { emitPaper } from '../../../shared/src/examPaper.ts';
import type { AdapterResult, RunResult } from '../../../shared/src/results.ts';
import type { GradedHandIn } from '../../../shared/src/signerProtocol.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { type Graded, grade, type HandedIn, handedIn, marksOf, NotGradable } from '../runs/exam.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { newRunner, newSigning } from './children.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { matrixText } from './matrix.ts';
import { progressLine } from './progress.ts';
import { projectOf } from './project.ts';
import { qualifyCommand } from './qualify.ts';

export interface ExamFlags {
  runtime?: string;
  host: string[];
  jobs?: number;
  json: boolean;
}

export interface GradeFlags extends ExamFlags {
  /** Of one author. */
  handIns: number;
  seeds: number;
  sign: boolean;
}

/** Prints the paper of the project in the current folder. */
export async function paperCommand(): Promise<ExitCode> {
  const { project, contract } = await examOf(resolve('.'));
  process.stdout.write(emitPaper(contract, project.surface));
  return EXIT.ok;
}

/** One hand-in in the scenario that may be practised, with what `qualify` says of it. Never signed. */
export async function practiceCommand(file: string, flags: ExamFlags): Promise<ExitCode> {
  const { contract } = contractOf(await projectOf(resolve(file)));
  const scenario = practiceScenario(contract);
  const asked = { scenario: scenario === undefined ? [] : [scenario], sign: false, withBodies: false };
  return qualifyCommand([file], { ...flags, ...asked, clock: 'virtual' });
}

/** Exit 1: a hand-in failed. 2: not everything ran, or it could not be signed. */
export async function gradeCommand(path: string, flags: GradeFlags): Promise<ExitCode> {
  const { jobs, host, runtime } = flags;
  if (jobs === 0 || flags.handIns === 0) throw new CannotDo('--jobs and --hand-ins take a number from 1.');
  if (flags.seeds === 0 || flags.seeds > MOST_SEEDS)
    throw new CannotDo(`--seeds takes a whole number from 1 to ${MOST_SEEDS}.`);
  const folder = await gradable(path, flags.handIns);
  const { project, contract } = await examOf(folder.folder);
  const runner = newRunner();
  const signing = flags.sign ? newSigning() : null;
  const progress = progressLine(process.stderr, !flags.json);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const graded = await grade(
      { runner, signing },
      {
        ...{ project, contract, handedIn: folder, limit: flags.handIns, seeds: flags.seeds },
        ...(jobs === undefined ? {} : { jobs }),
        hosts: host,
        sandbox: runtime === undefined ? {} : { runtime },
      },
      {
        progress: (text) => progress.note(text),
        run: (file, done, all) => progress.show(`${file}  ${done}/${all}`),
      },
      interrupted.signal,
    );
    progress.clear();
    print(graded, contract, flags);
    return exitCodeOf(graded, interrupted.signal.aborted || signing?.failed === true);
  } finally {
    await Promise.all([runner.stop(), signing?.stop()]);
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

interface Exam {
  project: UsableProject;
  contract: Contract;
}

/** The project of a folder: found as that of a file in it. */
async function examOf(folder: string): Promise<Exam> {
  return contractOf(await projectOf(join(folder, 'hand-in.js')));
}

function contractOf(project: UsableProject): Exam {
  const contract = contractById(project.contract);
  if (contract === undefined) throw new CannotDo(`This version has no contract ${project.contract}.`);
  return { project, contract };
}

async function gradable(path: string, limit: number): Promise<HandedIn> {
  try {
    return await handedIn(resolve(path), limit);
  } catch (error) {
    if (error instanceof NotGradable) throw new CannotDo(error.message);
    throw error;
  }
}

function print(graded: Graded, contract: Contract, { json }: GradeFlags): void {
  const { verdict, marks } = marksOf(graded);
  const { engine, handIns, refused, examFile } = graded;
  if (json) {
    const listed = marks.map((mark, index) => ({
      ...{ author: authorOf(mark.file), ...mark, sha256: handIns[index]?.sha256 ?? null },
      runs: (handIns[index]?.runs ?? []).map(runRow),
    }));
    const exam = { loadline: version, engine, contract: contract.version, verdict, handIns: listed };
    process.stdout.write(`${JSON.stringify({ ...exam, refused, examFile })}\n`);
    return;
  }
  const adapters = handIns.map((handIn, index) => asAdapter(handIn, marks[index]?.verdict ?? 'not_run'));
  const unread = handIns.filter(({ sha256 }) => sha256 === null);
  process.stdout.write(
    [
      matrixText({ loadline: version, engine, adapters }),
      ...unread.map(({ file }) => `failed: ${terminalText(file)} cannot be read as an adapter\n`),
      ...refused.map(({ file, why }) => `refused: ${terminalText(file)} (${REFUSED[why]})\n`),
      ...(examFile === null ? [] : [`signed: ${terminalText(examFile)}\n`]),
    ].join(''),
  );
}

const REFUSED = {
  limit: 'its author handed in more than may be',
  form: 'it is not named as hand-ins are, or no regular file',
} as const;

function runRow({ scenario, verdict, rules, reason, message }: RunResult) {
  const broken = rules.filter(({ held }) => !held).map(({ id }) => id);
  return { scenario, verdict, broken, ...(reason === undefined ? {} : { reason, message }) };
}

const WORST = ['failed', 'not_run', 'qualified'] as const;

/** As a column of the matrix: of each scenario the worst run over all seeds. */
function asAdapter(
  { file, sha256, runs }: GradedHandIn,
  verdict: 'qualified' | 'failed' | 'not_run',
): AdapterResult {
  const worst = new Map<string, RunResult>();
  for (const run of [...runs].sort((a, b) => WORST.indexOf(a.verdict) - WORST.indexOf(b.verdict)))
    if (!worst.has(run.scenario)) worst.set(run.scenario, run);
  const shown = [...new Set(runs.map(({ scenario }) => scenario))].flatMap((id) => worst.get(id) ?? []);
  return { file, sha256: sha256 ?? '', contract: '', seed: 0, verdict, verdictFile: null, runs: shown };
}

function exitCodeOf(graded: Graded, undone: boolean): ExitCode {
  const { verdict, marks } = marksOf(graded);
  if (undone || marks.some(({ notRun }) => notRun > 0)) return EXIT.notDone;
  return verdict === 'qualified' ? EXIT.ok : EXIT.broken;
}
