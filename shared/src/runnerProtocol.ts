/** Messages between the runner process and those that know runs only as messages (language server, CLI). */
import type { ContractPlan } from './contracts/contract.ts';
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
  /** Between runs one container waits for the next; absent: none does. */
  keepWarm?: boolean;
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
  /** Containers at once on each engine; absent: as many as the machine has cores. */
  jobs?: number;
  /** Endpoints of the engines that share the runs; absent or empty: the one that docker's own client finds. */
  hosts?: readonly string[];
  /** The same on each of them. */
  sandbox: Omit<SandboxOptions, 'host'>;
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
  /** Trials at once in each container; absent: as many as are quickest. */
  lanes?: number;
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

/**
 * An exploration: fair fault schedules that nobody wrote down, as trials. A finding is kept once it was seen in a fresh
 * container. Never signed.
 */
export interface ExploreParams extends AdapterParams {
  /** 1: single faults, worlds and bursts. 2: pairs and random schedules too. */
  faults: 1 | 2;
  /** Wall time after which no more is tried, in ms. */
  budgetMs: number;
  /** Schedules tried at most; absent: only time ends it. */
  trials?: number;
  /** Instead of all others: these, each in a container of its own. */
  kept?: KeptSchedule[];
  /** The answer has `runs`; absent: it has not. */
  evidence?: boolean;
  /** Absent: derived from the adapter's digest and the contract. */
  seed?: number;
}

export interface ExploreFinding {
  /** Ids of the broken rules, in the contract's order. */
  rules: string[];
  /** What was done to the vendor, in words. */
  fault: string;
  /** The smallest schedule that shows it. */
  schedule: ExploredSchedule;
  /** Seen again in a fresh container. What was not is no finding of the adapter's. */
  confirmed: boolean;
  /** What the vendor's ledger shows, a sentence for each rule. */
  texts: string[];
}

/** A schedule as it can be run again. */
export interface ExploredSchedule {
  kind: string;
  operation: string;
  seed: number;
  plan: ContractPlan;
}

/** A finding's schedule as it is kept for later. */
export interface KeptSchedule {
  fault: string;
  schedule: ExploredSchedule;
}

/** What a schedule did in a container that ran nothing else. */
export interface ExploredRun {
  fault: string;
  run: Pick<RunResult, 'verdict' | 'reason' | 'message' | 'rules' | 'evidence'>;
}

export interface ExploreAnswer {
  engine: EngineFacts | null;
  sha256: string;
  seed: number;
  trials: number;
  containers: number;
  /** Sentences: what was covered, and what was not. */
  covered: string[];
  findings: ExploreFinding[];
  /** Of each finding, and of each kept schedule that was tried again. */
  runs?: ExploredRun[];
  /** Why nothing, or not all, could be tried. */
  problem?: { reason: NotRunReason; message: string };
}

/** Runner to caller, notification: what is being set up (engine, image, preflight), for people. */
export interface ProgressParams {
  run: string;
  text: string;
  /** Something is wrong with an engine, and the request goes on without it. */
  trouble?: true;
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
  explore: 'explore',
  /** Parameters and answer: shared/src/probe.ts. */
  probe: 'probe',
  cancel: 'cancel',
  progress: 'progress',
  scenario: 'scenario',
  trial: 'trial',
} as const;
