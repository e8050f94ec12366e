/** Messages between the runner process and those that know runs only as messages (language server, CLI). */
import type { AdapterResult, ClockKind, EngineFacts, RunResult, Tier } from './results.ts';
import type { Surface } from './surface/surface.ts';

export interface SandboxOptions {
  /** Engine endpoint; absent: found as docker's own client finds it. */
  host?: string;
  /** Engine runtime name, e.g. `runsc`; absent: the engine's default. */
  runtime?: string;
  minimumTier?: Tier;
  baseImage?: string;
}

export interface QualifyParams {
  /** Id of this qualification, chosen by the caller: cancel and notifications name it. */
  run: string;
  surface: Surface;
  contract: string;
  /** As loadline.json states it: `simulated:fleet`. */
  vendor: string;
  /** `file`: read once, inside `folder`. `draft`: an editor's text, never signed. */
  adapter: { kind: 'file'; folder: string; path: string } | { kind: 'draft'; path: string; text: string };
  /** Empty: all of the contract. */
  scenarios: string[];
  /** Absent: derived from the adapter's digest and the contract. */
  seed?: number;
  clock: ClockKind;
  /** Containers at once; absent: as many as the machine has cores. */
  jobs?: number;
  sandbox: SandboxOptions;
}

export interface QualifyAnswer {
  engine: EngineFacts | null;
  result: AdapterResult;
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

export interface CancelParams {
  run: string;
}

export const RUNNER_METHODS = {
  qualify: 'qualify',
  cancel: 'cancel',
  progress: 'progress',
  scenario: 'scenario',
} as const;
