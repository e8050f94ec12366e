/** `loadline explore`: fault schedules that nobody wrote down. What is found is kept in loadline.scenarios.json. */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ExploreAnswer, KeptSchedule } from '../../../shared/src/runnerProtocol.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { KEPT_FILE, KeptUnusable, keepFindings, keptOf } from '../workspace/kept.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { progressLine } from './progress.ts';
import { projectOf } from './project.ts';

export interface ExploreFlags {
  faults: '1' | '2';
  /** Seconds. */
  budget: number;
  trials?: number;
  kept: boolean;
  seed?: number;
  runtime?: string;
  /** Endpoints of the engines that share the trials. */
  host: string[];
  jobs?: number;
  json: boolean;
}

/** Exit 0: nothing found. 1: something was. 2: it could not be tried, or not to the end. */
export async function exploreCommand(file: string, flags: ExploreFlags): Promise<ExitCode> {
  const path = resolve(file);
  const { folder, surface, contract, vendor } = await projectOf(path);
  const kept = flags.kept ? await keptSchedules(folder, path) : null;
  const runner = new RunnerProcess(join(__dirname, 'runner.js'));
  const progress = progressLine(process.stderr, !flags.json);
  const run = randomUUID();
  const interrupt = () => runner.cancel(run);
  process.once('SIGINT', interrupt);
  let answer: ExploreAnswer;
  try {
    answer = await runner.explore(
      {
        run,
        surface,
        contract,
        vendor,
        adapter: { kind: 'file', folder, path },
        clock: 'virtual',
        hosts: flags.host,
        sandbox: flags.runtime === undefined ? {} : { runtime: flags.runtime },
        faults: flags.faults === '2' ? 2 : 1,
        budgetMs: flags.budget * 1000,
        ...(kept === null ? {} : { kept }),
        ...(flags.trials === undefined ? {} : { trials: flags.trials }),
        ...(flags.seed === undefined ? {} : { seed: flags.seed }),
        ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
      },
      {
        progress: (text) => progress.show(`${file}  ${text}`),
        trouble: (text) => progress.trouble(text),
      },
    );
  } catch (error) {
    if (error instanceof RunnerDied) throw new CannotDo(error.message);
    throw error;
  } finally {
    progress.clear();
    process.off('SIGINT', interrupt);
    await runner.stop();
  }
  if (kept === null) await told(() => keepFindings(folder, path, answer));
  print(file, answer, flags);
  if (answer.problem) return EXIT.notDone;
  return answer.findings.some(({ confirmed }) => confirmed) ? EXIT.broken : EXIT.ok;
}

async function keptSchedules(folder: string, path: string): Promise<KeptSchedule[]> {
  const kept = await told(() => keptOf(folder, path));
  if (kept.length === 0)
    throw new CannotDo(`${KEPT_FILE} keeps nothing of this adapter; run explore without --kept first.`);
  return kept;
}

async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KeptUnusable) throw new CannotDo(error.message);
    throw error;
  }
}

function print(
  file: string,
  { trials, covered, findings, problem }: ExploreAnswer,
  { json }: ExploreFlags,
): void {
  if (json) {
    const shown = findings.map(({ rules, fault, schedule, confirmed }) => ({
      rules,
      fault,
      schedule,
      confirmed,
    }));
    process.stdout.write(
      `${JSON.stringify({ trials, covered, findings: shown, ...(problem ? { problem } : {}) })}\n`,
    );
    return;
  }
  const lines = [
    findings.length === 0
      ? `${file}: nothing found in ${trials} trials.`
      : `${file}: ${findings.length} found in ${trials} trials.`,
    ...findings.flatMap(({ rules, fault, confirmed, texts }) => [
      `  x ${fault}${confirmed ? '' : ' (not seen again in a fresh container)'}`,
      ...rules.map((rule, index) => `      ${rule}: ${texts[index] ?? ''}`),
    ]),
    ...covered.map((text) => `  tried: ${text}`),
    ...(problem ? [`  stopped: ${problem.message}`] : []),
  ];
  process.stdout.write(`${lines.map((line) => terminalKept(line)).join('\n')}\n`);
}

/** The gate takes blanks at the start away; they are the layout here. */
function terminalKept(line: string): string {
  const indent = line.length - line.trimStart().length;
  return ' '.repeat(indent) + terminalText(line, 1000);
}
