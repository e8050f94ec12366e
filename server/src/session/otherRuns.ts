/** Explorations and probes: what the runner is asked, and how its answer is told. */
import { join } from 'node:path';
import type { ProbeAnswer } from '../../../shared/src/probe.ts';
import type { ExploreCommandParams, RunParams } from '../../../shared/src/protocol.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import type { ExploreAnswer, ExploredRun, SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import type { RunnerProcess } from '../runs/runnerProcess.ts';
import { sha256 } from '../workspace/files.ts';
import { KeptUnusable, keepFindings, keptOf } from '../workspace/kept.ts';
import type { UsableProject } from '../workspace/usable.ts';
import type { Target } from './qualifyRun.ts';
import { problemFrom } from './runProblem.ts';
import { callsOf } from './verdictLines.ts';

/** Findings that are told at once; all of them are in what `loadline explore` prints. */
const TOLD = 10;

/** What is told while it runs. */
export interface Telling {
  progress(text: string): void;
  scenario(result: RunResult): void;
}

/** Gives how it ended, as the editor is told. */
export type Ask = (
  run: string,
  usable: UsableProject,
  settings: Settings,
  telling: Telling,
  signal: AbortSignal,
) => Promise<Partial<RunParams>>;

/** `found`: those of what was found before, and nothing else. */
export function askExplore(
  runner: RunnerProcess,
  { project, results, file }: Target,
  { faults = 1, budget = 60, trials, found }: Omit<ExploreCommandParams, 'uri'>,
): Ask {
  return async (run, { surface, contract, vendor, folder }, settings, { progress, scenario }) => {
    const path = join(folder, file);
    const kept = found && (await keptOf(folder, path)).filter(({ fault }) => found.includes(fault));
    const inputs = results.inputs();
    const text = project.textOf(file)?.getText() ?? '';
    const params = {
      run,
      surface,
      contract,
      vendor,
      adapter: { kind: 'file', folder, path },
      clock: 'virtual',
      hosts: settings.dockerHosts,
      sandbox: sandboxOf(settings),
      faults,
      budgetMs: budget * 1000,
      evidence: true,
      ...(trials === undefined ? {} : { trials }),
      ...(kept === undefined ? {} : { kept }),
      ...(settings.jobs > 0 ? { jobs: settings.jobs } : {}),
    } as const;
    results.noteRunning(file, found ?? []);
    try {
      const answer = await runner.explore(params, { progress, trouble: progress });
      const notes = kept === undefined ? await unkept(folder, path, answer) : [];
      // What ran is what is on disk; an unsaved text is another one.
      if (sha256(text) === answer.sha256) results.keepText(answer.sha256, text);
      for (const each of answer.runs ?? []) {
        const result = resultOf(each, answer.engine);
        results.noteResult(file, result, { sha256: answer.sha256, inputs });
        scenario(result);
      }
      return exploreEnd(answer, notes, kept?.length);
    } finally {
      results.noteEnded(file);
    }
  };
}

function resultOf({ fault, run }: ExploredRun, engine: ExploreAnswer['engine']): RunResult {
  const { record, trace = [] } = run.evidence ?? {};
  return {
    ...run,
    scenario: fault,
    tier: engine?.tier ?? null,
    clock: 'virtual',
    durationMs: 0,
    ...callsOf(trace),
    orders: record?.orders.filter(({ credential }) => credential === 1).length ?? 0,
    advice: [],
    log: { text: '', truncated: false },
  };
}

export function askProbe(runner: RunnerProcess): Ask {
  return async (run, { surface }, settings, { progress }) => {
    const [host] = settings.dockerHosts;
    const sandbox = { ...sandboxOf(settings), ...(host === undefined ? {} : { host }) };
    return probeEnd(await runner.probe({ run, surface, sandbox }, { progress }));
  };
}

/** Keeps what was found; returns why it could not. */
async function unkept(folder: string, path: string, answer: ExploreAnswer): Promise<string[]> {
  try {
    await keepFindings(folder, path, answer);
    return [];
  } catch (error) {
    if (error instanceof KeptUnusable) return [error.message];
    throw error;
  }
}

/** `kept`: schedules that were tried again; undefined: new ones were looked for. */
function exploreEnd(
  { trials, findings, problem }: ExploreAnswer,
  notes: readonly string[],
  kept: number | undefined,
): Partial<RunParams> {
  if (problem)
    return { state: 'ended', verdict: 'not_run', problem: problemFrom(problem.reason, problem.message) };
  const verdict = findings.length === 0 ? 'partial' : 'failed';
  // Each is told where it is listed.
  if (kept !== undefined) return { state: 'ended', verdict };
  const told = findings.slice(0, TOLD).map(({ fault, rules }) => `${fault}: ${rules.join(', ')}`);
  const head =
    findings.length === 0
      ? `Nothing found in ${trials} trials.`
      : `${findings.length} found in ${trials} trials.`;
  const where =
    findings.length === 0 ? [] : ['', 'The Test Explorer lists them; the replay shows what each did.'];
  return { state: 'ended', verdict, text: [head, ...told, ...notes, ...where].join('\n') };
}

function probeEnd(answer: ProbeAnswer): Partial<RunParams> {
  if (!answer.ok)
    return { state: 'ended', verdict: 'not_run', problem: problemFrom(answer.reason, answer.message) };
  const { rules } = answer.result;
  const broken = rules.filter(({ held }) => !held);
  const text = [
    ...broken.map((rule) => `${rule.id}: ${rule.text}`),
    `${rules.length - broken.length} of ${rules.length} rules of the probe held under ${answer.result.runtime}.`,
  ].join(' ');
  return { state: 'ended', verdict: broken.length > 0 ? 'failed' : 'qualified', text };
}

/** What is asked of each engine. */
export function sandboxOf(settings: Settings): Omit<SandboxOptions, 'host'> {
  const { dockerRuntime, minimumTier, baseImage, keepWarm } = settings;
  return {
    minimumTier,
    keepWarm,
    ...(dockerRuntime === '' ? {} : { runtime: dockerRuntime }),
    ...(baseImage === '' ? {} : { baseImage }),
  };
}
