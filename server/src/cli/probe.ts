/** `loadline probe`. */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ProbeAnswer, ProbeParams, ProbeResult } from '../../../shared/src/probe.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerDied } from '../runs/runnerProcess.ts';
import { newRunner, newSigning } from './children.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { projectOf } from './project.ts';

export interface ProbeFlags {
  runtime?: string;
  host?: string;
  json: boolean;
  /** False: nothing is written beside loadline.json. */
  sign: boolean;
  /** Folder with loadline.json; default: the current one. */
  folder?: string;
}

/** Exit 1: something got through. 2: not everything was tried or it could not be signed. Throws CannotDo where nothing was probed. */
export async function probeCommand(flags: ProbeFlags): Promise<ExitCode> {
  const folder = resolve(flags.folder ?? '.');
  // The project is found as that of a file in the folder; the probe is one.
  const project = await projectOf(join(folder, 'probe.js'));
  const { runtime, host } = flags;
  const sandbox = { ...(runtime === undefined ? {} : { runtime }), ...(host === undefined ? {} : { host }) };
  const progress = progressLine(process.stderr, !flags.json);
  const signing = flags.sign ? newSigning() : null;
  try {
    const [nonce] = (await signing?.nonces(1)) ?? [];
    const answer = await ask({ run: randomUUID(), surface: project.surface, sandbox }, progress);
    if (!answer.ok) throw new CannotDo(`nothing was probed: ${answer.message}`);
    const { result } = answer;
    const verdictFile = nonce === undefined ? null : await signing?.signProbe({ project, answer, nonce });
    print({ ...result, verdictFile: verdictFile ?? null }, flags.json);
    if (result.verdict === 'failed') return EXIT.broken;
    return result.verdict === 'partial' || signing?.failed ? EXIT.notDone : EXIT.ok;
  } finally {
    await signing?.stop();
  }
}

interface Printed extends ProbeResult {
  verdictFile: string | null;
}

function print(result: Printed, json: boolean): void {
  const { verdict, rules, verdictFile } = result;
  const written = verdictFile === null ? '' : `signed: ${terminalText(verdictFile)}\n`;
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${probeText(result)}${written}`);
  if (verdict !== 'partial') return;
  const open = rules.filter(({ held }) => !held);
  const why = new Set(open.flatMap(({ notTried }) => notTried.slice(0, 1)));
  process.stderr.write(
    `loadline: not everything was tried, so ${open.map(({ id }) => id).join(' and ')} may not hold: ${terminalText([...why].join('; '))}.\n`,
  );
}

async function ask(params: ProbeParams, progress: ProgressLine): Promise<ProbeAnswer> {
  const runner = newRunner();
  const cancel = () => runner.cancel(params.run);
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  try {
    return await runner.probe(params, { progress: (text) => progress.note(text) });
  } catch (error) {
    if (error instanceof RunnerDied) throw new CannotDo(`nothing was probed: ${error.message}`);
    throw error;
  } finally {
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
    progress.clear();
    await runner.stop();
  }
}

/** One line per rule; under it what got through, and what could not be tried. */
export function probeText({ runtime, tier, rules }: ProbeResult): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.flatMap(({ id, held, text, survivors, notTried, notes }) => [
    `${wordFor(held, survivors)}  ${id.padEnd(width)}  ${terminalText(text)}`,
    ...survivors.map((survivor) => `        - ${terminalText(survivor)}`),
    ...[...notTried, ...notes].map((what) => `        (${terminalText(what)})`),
  ]);
  return `${[`runtime ${terminalText(runtime)}, tier ${tier}`, ...lines].join('\n')}\n`;
}

function wordFor(held: boolean, survivors: readonly string[]): string {
  if (held) return 'held     ';
  return survivors.length > 0 ? 'BROKEN   ' : 'not shown';
}
