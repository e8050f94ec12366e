/** `loadline explore`: fault schedules that nobody wrote down. What is found is kept in loadline.scenarios.json. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ExploreAnswer } from '../../../shared/src/runnerProtocol.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { progressLine } from './progress.ts';
import { projectOf } from './project.ts';

export interface ExploreFlags {
  faults: '1' | '2';
  /** Seconds. */
  budget: number;
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
  if (answer.findings.length > 0) keep(folder, path, answer);
  print(file, answer, flags);
  if (answer.problem) return EXIT.notDone;
  return answer.findings.some(({ confirmed }) => confirmed) ? EXIT.broken : EXIT.ok;
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

const KEPT = 'loadline.scenarios.json';

interface Kept {
  adapter: string;
  sha256: string;
  fault: string;
  rules: string[];
  schedule: ExploreAnswer['findings'][number]['schedule'];
}

/** Findings of this adapter take the place of its older ones; those of others stay. */
function keep(folder: string, path: string, { findings, sha256 }: ExploreAnswer): void {
  const file = join(folder, KEPT);
  const adapter = relative(folder, path).replaceAll('\\', '/');
  const others = read(file).filter((each) => each.adapter !== adapter);
  const own = findings.map(
    ({ fault, rules, schedule }): Kept => ({ adapter, sha256, fault, rules, schedule }),
  );
  try {
    const made = `${file}.${process.pid}.tmp`;
    writeFileSync(made, `${JSON.stringify({ scenarios: [...others, ...own] }, null, 1)}\n`);
    renameSync(made, file);
  } catch (error) {
    throw new CannotDo(`${file} cannot be written: ${(error as Error).message}`);
  }
}

function read(file: string): Kept[] {
  if (!existsSync(file)) return [];
  try {
    const { scenarios } = JSON.parse(readFileSync(file, 'utf8')) as { scenarios?: unknown };
    if (Array.isArray(scenarios)) return scenarios as Kept[];
  } catch {
    // Said below: what cannot be read is not written over.
  }
  throw new CannotDo(`${file} is not what explore writes; move it away first.`);
}
