/** One run: one scenario, one adapter, one fresh container; evidence is gathered and judged. */
import type { RunEnd } from '../../../shared/src/evidence/evidence.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import {
  clearScene,
  conductIn,
  discardGuest,
  evidenceOf,
  type Guest,
  judged,
  notRun,
  plannedRun,
  type RunParts,
  type Scene,
  setScene,
  startGuest,
} from './scene.ts';

export interface RunOptions extends RunParts {
  runId: string;
  scenario: string;
  seed: number;
  /** Told once whether the adapter loaded with every export. */
  onLoaded(ok: boolean): void;
  /** An end known beforehand (the adapter does not load): no container is used. */
  knownEnd?: RunEnd;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function runScenario(options: RunOptions): Promise<RunResult> {
  const { contract, scenario, seed, runId } = options;
  const started = { monotonic: performance.now(), wall: Date.now() };
  const log = { text: '', truncated: false };
  let scene: Scene | undefined;
  let guest: Guest | undefined;
  try {
    scene = await setScene(options, plannedRun(contract, scenario, seed), runId);
    let end = options.knownEnd;
    if (end === undefined) {
      guest = await startGuest(options, scene, runId);
      try {
        end = await conductIn(guest, scene, options, options.onLoaded);
      } finally {
        Object.assign(log, guest.channel.log());
        guest.channel.close();
      }
    }
    const evidence = await evidenceOf(contract, scene, end);
    return { ...judged(evidence), ...common(options, { scene, guest, started, log }) };
  } catch (error) {
    return { ...notRun(error), ...common(options, { scene, guest, started, log }) };
  } finally {
    clearScene(scene);
    discardGuest(options, guest);
  }
}

interface Course {
  scene: Scene | undefined;
  guest: Guest | undefined;
  started: { monotonic: number; wall: number };
  log: { text: string; truncated: boolean };
}

function common(options: RunOptions, { scene, guest, started, log }: Course) {
  const ran = guest !== undefined || options.knownEnd !== undefined;
  const { perOperation, ...calls } = scene?.broker.counts() ?? {
    sent: 0,
    refused: 0,
    shed: 0,
    perOperation: {},
  };
  const rows = scene?.broker.trace() ?? [];
  return {
    scenario: options.scenario,
    tier: ran ? options.sandbox.tier : null,
    clock: options.clock,
    durationMs: Math.round(performance.now() - started.monotonic),
    ...(ran ? { startedAt: new Date(started.wall).toISOString(), endedAt: new Date().toISOString() } : {}),
    calls,
    perOperation,
    orders: scene?.vendor.record().orders.filter((order) => order.credential === 1).length ?? 0,
    advice: (scene?.broker.advice() ?? []).map(({ code, text, saved, trace }) => ({
      code,
      text,
      saved,
      sites: rows.flatMap((row) => (trace.includes(row.seq) && row.site ? [row.site] : [])),
    })),
    log,
    ...(scene ? { credential: scene.jti } : {}),
  };
}
