/** `loadline probe`. */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ProbeAnswer, ProbeParams, ProbeResult } from '../../../shared/src/probe.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerDied, RunnerProcess } from '../runs/runnerProcess.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { projectOf } from './project.ts';

export interface ProbeFlags {
  runtime?: string;
  host?: string;
  json: boolean;
  /** Folder with loadline.json; default: the current one. */
  folder?: string;
}

/** Throws CannotDo where nothing could be probed. */
export async function probeCommand(flags: ProbeFlags): Promise<ExitCode> {
  const folder = resolve(flags.folder ?? '.');
  // The project is found as that of a file in the folder; the probe is one.
  const { surface } = await projectOf(join(folder, 'probe.js'));
  const { runtime, host } = flags;
  const sandbox = { ...(runtime === undefined ? {} : { runtime }), ...(host === undefined ? {} : { host }) };
  const progress = progressLine(process.stderr, !flags.json);
  const answer = await ask({ run: randomUUID(), surface, sandbox }, progress);
  if (!answer.ok) throw new CannotDo(`nothing was probed: ${answer.message}`);
  process.stdout.write(flags.json ? `${JSON.stringify(answer.result)}\n` : probeText(answer.result));
  return answer.result.rules.every(({ held }) => held) ? EXIT.ok : EXIT.broken;
}

async function ask(params: ProbeParams, progress: ProgressLine): Promise<ProbeAnswer> {
  const runner = new RunnerProcess(join(__dirname, 'runner.js'));
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
  const lines = rules.flatMap(({ id, held, text, survivors, notTried }) => [
    `${held ? 'held  ' : 'BROKEN'}  ${id.padEnd(width)}  ${terminalText(text)}`,
    ...survivors.map((survivor) => `        - ${terminalText(survivor)}`),
    ...notTried.map((what) => `        (${terminalText(what)})`),
  ]);
  return `${[`runtime ${terminalText(runtime)}, tier ${tier}`, ...lines].join('\n')}\n`;
}
