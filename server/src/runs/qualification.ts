/** One adapter from the request to the written verdict file, for whoever asks: command line or language server. */
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { Shard } from '../../../shared/src/evidence/shard.ts';
import type { AdapterResult, ClockKind, EngineFacts, RunResult } from '../../../shared/src/results.ts';
import type { QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { type RunListener, RunnerDied, type RunnerProcess } from './runnerProcess.ts';
import type { Signing } from './signing.ts';

export interface Qualification {
  /** Names it to `cancel` and to listeners. */
  run: string;
  /** As results name the adapter. */
  file: string;
  /** Absolute path of the adapter. */
  path: string;
  /** The editor's text in place of the file's: never signed. */
  draft?: string;
  project: UsableProject;
  /** Empty: all of the contract. */
  scenarios: readonly string[];
  seed?: number;
  clock: ClockKind;
  /** On each engine. */
  jobs?: number;
  /** The scenarios are one part of those that were asked for, signed apart. */
  shard?: Shard;
  /** Endpoints of the engines that share the runs; empty: the one that docker's own client finds. */
  hosts: readonly string[];
  sandbox: QualifyParams['sandbox'];
}

export interface Qualified {
  engine: EngineFacts | null;
  result: AdapterResult;
}

/** Scenarios of the contract that are asked for, in its order. */
export function askedScenarios(contract: string, scenarios: readonly string[]): string[] {
  const all = contractById(contract)?.scenarios.map(({ id }) => id) ?? [];
  return scenarios.length > 0 ? all.filter((id) => scenarios.includes(id)) : all;
}

/**
 * Never throws for what a run does: a runner that ended first leaves `not_run`. `signing` null: nothing is written.
 * @param signal ends it, whatever it is doing; what was over by then keeps its result
 */
export async function qualifyAdapter(
  { runner, signing }: { runner: RunnerProcess; signing: Signing | null },
  job: Qualification,
  listener: RunListener,
  signal?: AbortSignal,
): Promise<Qualified> {
  const nonces = (await signing?.nonces(askedScenarios(job.project.contract, job.scenarios).length)) ?? null;
  if (signal?.aborted) return { engine: null, result: notRun(job, CANCELLED) };
  const cancel = () => runner.cancel(job.run);
  signal?.addEventListener('abort', cancel);
  try {
    const { engine, result: judged } = await runner.qualify(paramsOf(job), listener);
    const result = { ...judged, file: job.file };
    if (signing === null || nonces === null || engine === null) return { engine, result };
    const { project, path, clock, shard } = job;
    const part = shard === undefined ? {} : { shard };
    const work = { project, path, clock, engine, result, nonces, ...part };
    return { engine, result: await signing.sign(work) };
  } catch (error) {
    if (!(error instanceof RunnerDied)) throw error;
    const why = { reason: 'runner', message: error.message, mayHaveRun: true } as const;
    // What had ended is shown; none of it can be signed.
    signing?.impossible(job.file, error.message);
    return { engine: null, result: notRun(job, why, error.ended) };
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function paramsOf(job: Qualification): QualifyParams {
  const { run, project, path, draft, scenarios, clock, hosts, sandbox, seed, jobs } = job;
  return {
    run,
    surface: project.surface,
    contract: project.contract,
    vendor: project.vendor,
    adapter:
      draft === undefined
        ? { kind: 'file', folder: project.folder, path }
        : { kind: 'draft', path, text: draft },
    scenarios: [...scenarios],
    clock,
    hosts,
    sandbox,
    ...(seed === undefined ? {} : { seed }),
    ...(jobs === undefined ? {} : { jobs }),
  };
}

export type Why = Pick<RunResult, 'reason' | 'message' | 'mayHaveRun'>;
export const CANCELLED: Why = { reason: 'cancelled', message: 'The run was cancelled.', mayHaveRun: false };

/** A result whose scenarios did not run, but for those that had ended: even if all had, it is no qualification. */
export function notRun(job: Qualification, why: Why, ended: readonly RunResult[] = []): AdapterResult {
  const { file, project, clock, seed } = job;
  const asked = askedScenarios(project.contract, job.scenarios);
  const empty = { tier: null, clock, durationMs: 0, rules: [], orders: 0, advice: [] };
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
  const verdict = runs.some((run) => run.verdict === 'failed') ? 'failed' : 'not_run';
  return { file, sha256: '', contract: project.contract, seed: seed ?? 0, verdict, verdictFile: null, runs };
}
