/** Trials asked for by scenario and seed: many runs of one adapter over few containers. */
import type { TrialResult, TrialsAnswer, TrialsParams } from '../../../shared/src/runnerProtocol.ts';
import { prepare, type RunnerParts } from './prepare.ts';
import { plannedRun } from './scene.ts';
import { LANES, TrialPool } from './trialPool.ts';

export interface TrialsParts extends RunnerParts {
  ended(trial: { index: number; verdict: TrialResult['verdict'] }): void;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function trials(params: TrialsParams, runner: TrialsParts): Promise<TrialsAnswer> {
  const prepared = await prepare(params, runner);
  if (!prepared.ok) {
    const why = { ...prepared.refusal, mayHaveRun: false };
    const all = params.trials.map(
      ({ scenario, seed }): TrialResult => ({ scenario, seed, verdict: 'not_run', broken: [], ...why }),
    );
    return { engine: null, sha256: '', containers: 0, trials: all };
  }
  const { parts } = prepared;
  const { contract, sandbox, adapter } = parts;
  const plans = params.trials.map(({ scenario, seed }) => plannedRun.bind(null, contract, scenario, seed));
  const results: TrialResult[] = [];
  const pool = new TrialPool(parts, { jobs: parts.sandbox.places, lanes: params.lanes ?? LANES });
  await pool.run(plans, (index, { verdict, rules, evidence, ...why }) => {
    const broken = rules.filter((rule) => !rule.held).map((rule) => rule.id);
    const { scenario = '', seed = 0 } = params.trials[index] ?? {};
    const kept = params.evidence && evidence ? { evidence } : {};
    results[index] = { scenario, seed, verdict, broken, ...why, ...kept };
    runner.ended({ index, verdict });
  });
  await pool.close();
  const { containers } = pool;
  return { engine: sandbox.engineFacts, sha256: adapter.sha256, containers, trials: results };
}
