/** Explorations and probes: what the runner is asked, and how its answer is told. */
import type { ProbeAnswer } from '../../../shared/src/probe.ts';
import type { RunParams } from '../../../shared/src/protocol.ts';
import type { ExploreAnswer, SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import type { RunnerProcess } from '../runs/runnerProcess.ts';
import { KeptUnusable, keepFindings } from '../workspace/kept.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { problemFrom } from './runProblem.ts';

/** Findings that are told at once; all of them are in what `loadline explore` prints. */
const TOLD = 10;

/** Gives how it ended, as the editor is told. */
export type Ask = (
  run: string,
  usable: UsableProject,
  settings: Settings,
  tell: (text: string) => void,
) => Promise<Partial<RunParams>>;

/** `budget` in seconds. */
export function askExplore(
  runner: RunnerProcess,
  path: string,
  { faults, budget }: { faults: 1 | 2; budget: number },
): Ask {
  return async (run, { surface, contract, vendor, folder }, settings, progress) => {
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
      ...(settings.jobs > 0 ? { jobs: settings.jobs } : {}),
    } as const;
    const answer = await runner.explore(params, { progress, trouble: progress });
    return exploreEnd(answer, await unkept(folder, path, answer));
  };
}

export function askProbe(runner: RunnerProcess): Ask {
  return async (run, { surface }, settings, progress) => {
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

function exploreEnd(
  { trials, findings, problem }: ExploreAnswer,
  notes: readonly string[],
): Partial<RunParams> {
  if (problem)
    return { state: 'ended', verdict: 'not_run', problem: problemFrom(problem.reason, problem.message) };
  const told = findings.slice(0, TOLD).map(({ fault, rules }) => `${fault}: ${rules.join(', ')}`);
  const head =
    findings.length === 0
      ? `Nothing found in ${trials} trials.`
      : `${findings.length} found in ${trials} trials.`;
  return {
    state: 'ended',
    verdict: findings.length === 0 ? 'partial' : 'failed',
    text: [head, ...told, ...notes].join('\n'),
  };
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
