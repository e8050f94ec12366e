/** Messages between the runner process and those that know runs only as messages (language server, CLI). */
import type { Evidence } from './evidence/evidence.ts';
import type { AdapterResult, ClockKind, EngineFacts, NotRunReason, RunResult, Tier } from './results.ts';
import type { Surface } from './surface/surface.ts';

export interface SandboxOptions {
  /** Engine endpoint; absent: found as docker's own client finds it. */
  host?: string;
  /** Engine runtime name, e.g. `runsc`; absent: the engine's default. */
  runtime?: string;
  minimumTier?: Tier;
  baseImage?: string;
}

/** What every request about an adapter says. */
export interface AdapterParams {
  /** Id of this request, chosen by the caller: cancel and notifications name it. */
  run: string;
  surface: Surface;
  contract: string;
  /** As loadline.json states it: `simulated:fleet`. */
  vendor: string;
  /** `file`: read once, inside `folder`. `draft`: an editor's text, never signed. */
  adapter: { kind: 'file'; folder: string; path: string } | { kind: 'draft'; path: string; text: string };
  clock: ClockKind;
  /** Containers at once; absent: as many as the machine has cores. */
  jobs?: number;
  sandbox: SandboxOptions;
}

export interface QualifyParams extends AdapterParams {
  /** Empty: all of the contract. */
  scenarios: string[];
  /** Absent: derived from the adapter's digest and the contract. */
  seed?: number;
}

export interface QualifyAnswer {
  engine: EngineFacts | null;
  result: AdapterResult;
}

/**
 * Trials: runs of which several share a container, one after another, each in a realm of its own. They look for what
 * breaks an adapter; none of them is ever signed, and a finding counts once it was seen in a fresh container.
 */
export interface TrialsParams extends AdapterParams {
  trials: { scenario: string; seed: number }[];
  /** Each result carries its evidence; absent: none does. */
  evidence?: boolean;
}

export interface TrialResult {
  scenario: string;
  seed: number;
  verdict: RunResult['verdict'];
  /** Ids of the broken rules, in the contract's order. */
  broken: string[];
  /** Of `not_run`, as in RunResult. */
  reason?: NotRunReason;
  message?: string;
  mayHaveRun?: boolean;
  evidence?: Evidence;
}

export interface TrialsAnswer {
  engine: EngineFacts | null;
  /** Hex SHA-256 of the adapter's bytes; empty where nothing could run. */
  sha256: string;
  /** Containers that were started. */
  containers: number;
  /** In the order asked. */
  trials: TrialResult[];
}

/** Runner to caller, notification: what is being set up (engine, image, preflight), for people. */
export interface ProgressParams {
  run: string;
  text: string;
}

/** Runner to caller, notification. */
export interface ScenarioParams {
  run: string;
  scenario: string;
  state: 'started' | 'ended';
  result?: RunResult;
}

/** Runner to caller, notification: a trial has ended. */
export interface TrialParams {
  run: string;
  /** Index into `TrialsParams.trials`. */
  index: number;
  verdict: RunResult['verdict'];
}

export interface CancelParams {
  run: string;
}

export const RUNNER_METHODS = {
  qualify: 'qualify',
  trials: 'trials',
  /** Parameters and answer: shared/src/probe.ts. */
  probe: 'probe',
  cancel: 'cancel',
  progress: 'progress',
  scenario: 'scenario',
  trial: 'trial',
} as const;
