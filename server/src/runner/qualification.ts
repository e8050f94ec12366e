/** A qualification: every asked scenario of one adapter, several at once, in the contract's order. */
import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { RunEnd } from '../../../shared/src/evidence/evidence.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import { type AdapterResult, adapterVerdict, type RunResult } from '../../../shared/src/results.ts';
import type { QualifyAnswer, QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import type { NothingRan } from '../sandbox/nothingRan.ts';
import { deferred } from './deferred.ts';
import { jobsOf, prepare, type Refusal, type RunnerParts } from './prepare.ts';
import { runScenario } from './run.ts';
import type { RunParts } from './scene.ts';

export interface QualificationParts extends RunnerParts {
  scenario(params: { scenario: string; state: 'started' | 'ended'; result?: RunResult }): void;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function qualify(params: QualifyParams, runner: QualificationParts): Promise<QualifyAnswer> {
  const prepared = await prepare(params, runner);
  if (!prepared.ok) return refused(params, prepared.refusal);
  const { parts } = prepared;
  const { contract, adapter, sandbox } = parts;
  const asked = scenariosAsked(contract, params.scenarios);
  const seed = params.seed ?? (await seedOf(adapter.sha256, contract.version));
  const jobs = jobsOf(params);
  const runs = await runAll({ parts, asked, seed, jobs, tell: runner.scenario });
  const all = contract.scenarios.map((scenario) => scenario.id);
  return {
    engine: sandbox.engineFacts,
    result: { ...resultBase(params, seed), sha256: adapter.sha256, verdict: adapterVerdict(runs, all), runs },
  };
}

interface Assignment {
  parts: RunParts;
  asked: string[];
  seed: number;
  jobs: number;
  tell: QualificationParts['scenario'];
}

/**
 * The first scenario goes ahead until its adapter has loaded: one that does not load costs one container, and the
 * others fail with the same end. An engine that refuses a container is asked for no other: all that is left has its
 * reason.
 */
async function runAll({ parts, asked, seed, jobs, tell }: Assignment): Promise<RunResult[]> {
  const results = new Map<string, RunResult>();
  const loaded = deferred<boolean>();
  let knownEnd: RunEnd | undefined;
  let refusal: NothingRan | undefined;
  const run = async (scenario: string, onLoaded: (ok: boolean) => void): Promise<RunResult> => {
    tell({ scenario, state: 'started' });
    const result = await runScenario({
      ...parts,
      runId: randomUUID(),
      scenario,
      seed,
      onLoaded,
      ...(knownEnd ? { knownEnd } : {}),
      ...(refusal ? { refusal } : {}),
      onRefused: (why) => {
        refusal ??= why;
      },
    });
    results.set(scenario, result);
    tell({ scenario, state: 'ended', result });
    return result;
  };
  const [first, ...rest] = asked;
  if (first === undefined) return [];
  const leading = run(first, loaded.resolve);
  const ok = await Promise.race([loaded.promise, leading.then(() => false)]);
  if (!ok) {
    const end = (await leading).evidence?.end;
    if (end?.kind === 'broken' && (end.reason === 'load' || end.reason === 'exports')) knownEnd = end;
  }
  const worker = async (before: Promise<unknown>) => {
    await before;
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next, () => undefined);
  };
  await Promise.all(
    Array.from({ length: jobs }, (_, index) => worker(index === 0 ? leading : Promise.resolve())),
  );
  await parts.sandbox.idle();
  return asked.flatMap((id) => results.get(id) ?? []);
}

function scenariosAsked(contract: Contract, asked: string[]): string[] {
  const all = contract.scenarios.map((scenario) => scenario.id);
  return asked.length === 0 ? all : all.filter((id) => asked.includes(id));
}

function resultBase(params: QualifyParams, seed: number): Omit<AdapterResult, 'sha256' | 'verdict' | 'runs'> {
  return { file: params.adapter.path, contract: params.contract, seed, verdictFile: null };
}

function refused(params: QualifyParams, { reason, message }: Refusal): QualifyAnswer {
  const contract = contractById(params.contract);
  const asked = contract === undefined ? [] : scenariosAsked(contract, params.scenarios);
  const runs = asked.map(
    (scenario): RunResult => ({
      scenario,
      verdict: 'not_run',
      reason,
      message,
      mayHaveRun: false,
      tier: null,
      clock: params.clock,
      durationMs: 0,
      rules: [],
      calls: { sent: 0, refused: 0, shed: 0 },
      perOperation: {},
      orders: 0,
      advice: [],
      log: { text: '', truncated: false },
    }),
  );
  return {
    engine: null,
    result: { ...resultBase(params, params.seed ?? 0), sha256: '', verdict: 'not_run', runs },
  };
}
