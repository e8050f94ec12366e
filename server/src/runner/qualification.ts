/** A qualification: every asked scenario of one adapter, several at once, in the contract's order. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { RunEnd } from '../../../shared/src/evidence/evidence.ts';
import {
  type AdapterResult,
  adapterVerdict,
  type NotRunReason,
  type RunResult,
} from '../../../shared/src/results.ts';
import type { QualifyAnswer, QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import { emitClient } from '../../../shared/src/surface/client.ts';
import type { Authority } from '../broker/credential.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { isSimulated } from '../vendor/simulated.ts';
import { type AdapterSource, AdapterUnreadable, adapterSource } from './adapterSource.ts';
import { deferred } from './deferred.ts';
import { runScenario } from './run.ts';
import { seedOf } from './seeds.ts';

export interface QualificationParts {
  authority: Authority;
  /** Opens the sandbox, once for all runs with the same options. Throws NothingRan. */
  sandbox(params: QualifyParams): Promise<Sandbox>;
  scenario(params: { scenario: string; state: 'started' | 'ended'; result?: RunResult }): void;
  signal: AbortSignal;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function qualify(params: QualifyParams, parts: QualificationParts): Promise<QualifyAnswer> {
  const contract = contractById(params.contract);
  if (contract === undefined)
    return refused(params, [], 'adapter', `The contract ${params.contract} is not known to this version.`);
  const asked = scenariosAsked(contract, params.scenarios);
  if (!isSimulated(params.vendor))
    return refused(params, asked, 'adapter', `The vendor ${params.vendor} is not known to this version.`);
  let source: AdapterSource;
  let sandbox: Sandbox;
  try {
    source = await adapterSource(params.adapter);
    sandbox = await parts.sandbox(params);
  } catch (error) {
    if (error instanceof AdapterUnreadable) return refused(params, asked, 'adapter', error.message);
    if (error instanceof NothingRan) return refused(params, asked, error.reason, error.message);
    return refused(params, asked, 'runner', `The runner failed: ${(error as Error).message}`);
  }
  const seed = params.seed ?? seedOf(source.sha256, contract.version);
  const runs = await runAll(params, parts, { contract, asked, source, sandbox, seed });
  const all = contract.scenarios.map((scenario) => scenario.id);
  return {
    engine: sandbox.engineFacts,
    result: { ...resultBase(params, seed), sha256: source.sha256, verdict: adapterVerdict(runs, all), runs },
  };
}

interface Assignment {
  contract: Contract;
  asked: string[];
  source: AdapterSource;
  sandbox: Sandbox;
  seed: number;
}

/**
 * The first scenario goes ahead until its adapter has loaded: one that does not load costs one container, and the
 * others fail with the same end.
 */
async function runAll(
  params: QualifyParams,
  parts: QualificationParts,
  work: Assignment,
): Promise<RunResult[]> {
  const results = new Map<string, RunResult>();
  const loaded = deferred<boolean>();
  const client = emitClient(params.surface);
  let knownEnd: RunEnd | undefined;
  const run = async (scenario: string, onLoaded: (ok: boolean) => void): Promise<RunResult> => {
    parts.scenario({ scenario, state: 'started' });
    const result = await runScenario({
      runId: randomUUID(),
      contract: work.contract,
      scenario,
      seed: work.seed,
      surface: params.surface,
      client,
      vendor: params.vendor,
      adapter: work.source,
      clock: params.clock,
      authority: parts.authority,
      sandbox: work.sandbox,
      signal: parts.signal,
      onLoaded,
      ...(knownEnd ? { knownEnd } : {}),
    });
    results.set(scenario, result);
    parts.scenario({ scenario, state: 'ended', result });
    return result;
  };
  const [first, ...rest] = work.asked;
  if (first === undefined) return [];
  const leading = run(first, loaded.resolve);
  const ok = await Promise.race([loaded.promise, leading.then(() => false)]);
  if (!ok) {
    const end = (await leading).evidence?.end;
    if (end?.kind === 'broken' && (end.reason === 'load' || end.reason === 'exports')) knownEnd = end;
  }
  const jobs = Math.max(1, params.jobs ?? availableParallelism());
  const worker = async (before: Promise<unknown>) => {
    await before;
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next, () => undefined);
  };
  await Promise.all(
    Array.from({ length: jobs }, (_, index) => worker(index === 0 ? leading : Promise.resolve())),
  );
  await work.sandbox.idle();
  return work.asked.flatMap((id) => results.get(id) ?? []);
}

function scenariosAsked(contract: Contract, asked: string[]): string[] {
  const all = contract.scenarios.map((scenario) => scenario.id);
  return asked.length === 0 ? all : all.filter((id) => asked.includes(id));
}

function resultBase(params: QualifyParams, seed: number): Omit<AdapterResult, 'sha256' | 'verdict' | 'runs'> {
  return { file: params.adapter.path, contract: params.contract, seed, verdictFile: null };
}

function refused(
  params: QualifyParams,
  asked: string[],
  reason: NotRunReason,
  message: string,
): QualifyAnswer {
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
