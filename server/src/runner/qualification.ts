/** A qualification: every asked scenario of one adapter, several at once, in the contract's order. */
import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { RunEnd } from '../../../shared/src/evidence/evidence.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import { type AdapterResult, adapterVerdict, type RunResult } from '../../../shared/src/results.ts';
import type { QualifyAnswer, QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import { deferred } from './deferred.ts';
import type { Engines, Place } from './engines.ts';
import { prepare, type Refusal, type RunnerParts } from './prepare.ts';
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
  const runs = await runAll({ parts, asked, seed, tell: runner.scenario });
  const all = contract.scenarios.map((scenario) => scenario.id);
  return {
    engine: sandbox.engineFacts,
    result: { ...resultBase(params, seed), sha256: adapter.sha256, verdict: adapterVerdict(runs, all), runs },
  };
}

interface Assignment {
  parts: RunParts & { sandbox: Engines };
  asked: string[];
  seed: number;
  tell: QualificationParts['scenario'];
}

/**
 * The first scenario goes ahead until its adapter has loaded: one that does not load costs one container, and the
 * others fail with the same end. Each run waits for a place on one of the engines.
 */
async function runAll({ parts, asked, seed, tell }: Assignment): Promise<RunResult[]> {
  const loaded = deferred<boolean>();
  let knownEnd: RunEnd | undefined;
  const run = async (scenario: string, onLoaded: (ok: boolean) => void): Promise<RunResult> => {
    const place = await parts.sandbox.place();
    tell({ scenario, state: 'started' });
    const result = await inPlace(place, () =>
      runScenario({
        ...{ ...parts, sandbox: place, runId: randomUUID(), scenario, seed, onLoaded },
        ...(knownEnd ? { knownEnd } : {}),
      }),
    );
    place.leave();
    const told = parts.sandbox.several && result.tier !== null ? { ...result, host: hostOf(place) } : result;
    tell({ scenario, state: 'ended', result: told });
    return told;
  };
  const [first, ...rest] = asked;
  if (first === undefined) return [];
  const leading = run(first, loaded.resolve);
  const ok = await Promise.race([loaded.promise, leading.then(() => false)]);
  if (!ok) {
    const end = (await leading).evidence?.end;
    if (end?.kind === 'broken' && (end.reason === 'load' || end.reason === 'exports')) knownEnd = end;
  }
  if (ok) parts.sandbox.expect(rest.length);
  const runs = await Promise.all([leading, ...rest.map((scenario) => run(scenario, () => undefined))]);
  parts.sandbox.expect(0);
  await parts.sandbox.idle();
  return runs;
}

/** A run whose engine was lost before anything of the adapter ran goes to another engine, once. */
async function inPlace(place: Place, attempt: () => Promise<RunResult>): Promise<RunResult> {
  const result = await attempt();
  const isUntouched = result.verdict === 'not_run' && result.mayHaveRun === false;
  return isUntouched && (await place.move()) ? attempt() : result;
}

function hostOf({ engineFacts }: Place): string {
  return engineFacts.endpoint;
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
