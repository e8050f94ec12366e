/** One run: one scenario, one adapter, one fresh container; evidence is gathered and judged. */
import type { Contract, ContractPlan } from '../../../shared/src/contracts/contract.ts';
import type { Evidence, RunEnd } from '../../../shared/src/evidence/evidence.ts';
import { judge } from '../../../shared/src/judge.ts';
import type { ClockKind, RunResult } from '../../../shared/src/results.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Authority } from '../broker/credential.ts';
import { createBrokerSession } from '../broker/session.ts';
import type { BrokerSession } from '../broker/types.ts';
import { openGuestChannel } from '../sandbox/guestChannel.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { GuestContainer, Sandbox } from '../sandbox/sandbox.ts';
import { simulatedVendor } from '../vendor/simulated.ts';
import type { LedgerVendor } from '../vendor/vendor.ts';
import type { AdapterSource } from './adapterSource.ts';
import { RealClock, VirtualClock } from './clock.ts';
import { Conductor, Interrupted } from './conductor.ts';
import { runNumbers } from './seeds.ts';
import { watchGuest } from './watch.ts';

export interface RunOptions {
  runId: string;
  contract: Contract;
  scenario: string;
  seed: number;
  surface: Surface;
  /** Client script made from the surface. */
  client: string;
  /** Name of a simulated vendor. */
  vendor: string;
  adapter: AdapterSource;
  clock: ClockKind;
  authority: Authority;
  sandbox: Sandbox;
  signal: AbortSignal;
  /** Told once whether the adapter loaded with every export. */
  onLoaded(ok: boolean): void;
  /** An end known beforehand (the adapter does not load): no container is used. */
  knownEnd?: RunEnd;
}

interface Scene {
  plan: ContractPlan;
  clock: VirtualClock | RealClock;
  vendor: LedgerVendor;
  broker: BrokerSession;
  conductor: Conductor;
  jti: string;
  revoke(): void;
}

/** Never throws: what could not be run is `not_run` with its reason. */
export async function runScenario(options: RunOptions): Promise<RunResult> {
  const started = performance.now();
  let scene: Scene | undefined;
  let container: GuestContainer | undefined;
  const log = { text: '', truncated: false };
  try {
    scene = await setScene(options);
    let end = options.knownEnd;
    if (end === undefined) {
      container = await options.sandbox.start(options.runId, options.signal);
      end = await conductIn(container, scene, options, log);
    }
    scene.broker.end();
    scene.vendor.settle(scene.clock.now());
    return { ...judged(options, scene, end), ...common(options, scene, started, log) };
  } catch (error) {
    return { ...notRun(error), ...common(options, scene, started, log) };
  } finally {
    scene?.broker.end();
    scene?.revoke();
    if (scene?.clock.kind === 'real') scene.clock.stop();
    options.sandbox.discard(container);
  }
}

async function setScene(options: RunOptions): Promise<Scene> {
  const { contract, scenario, seed, surface, authority } = options;
  const plan = contract.plan(scenario, seed);
  const { epoch, idSeed } = runNumbers(seed, scenario);
  const clock = options.clock === 'virtual' ? new VirtualClock(epoch) : new RealClock();
  const credential = await authority.mint({
    subject: options.runId,
    audience: surface.title,
    grantDigest: surface.digests.grant,
    clock,
  });
  const vendor = simulatedVendor(options.vendor, {
    plan,
    idSeed,
    epoch: clock.epoch,
    verifier: credential.verifier,
  });
  const { authorization, jti, revoke } = credential;
  const broker = createBrokerSession({ surface, vendor, clock, authorization });
  const conductor = new Conductor({ contract, plan, clock, broker, vendor });
  return { plan, clock, vendor, broker, conductor, jti, revoke };
}

async function conductIn(
  container: GuestContainer,
  scene: Scene,
  options: RunOptions,
  log: { text: string; truncated: boolean },
): Promise<RunEnd> {
  const { conductor, clock } = scene;
  const channel = openGuestChannel({
    stdin: container.stdin,
    stdout: container.stdout,
    stderr: container.stderr,
    handlers: conductor.handlers,
  });
  const unwatch = watchGuest({ container, channel, conductor, clock: options.clock, signal: options.signal });
  try {
    await unwatch.greeted;
    return await conductor.conduct(
      channel,
      {
        adapter: options.adapter.text,
        fileName: options.adapter.fileName,
        client: options.client,
        clientName: options.surface.client,
        exports: options.contract.exports.map((item) => item.name),
        clock: options.clock,
        epoch: clock.epoch,
        random: runNumbers(options.seed, options.scenario).random,
      },
      options.onLoaded,
    );
  } finally {
    unwatch.stop();
    Object.assign(log, channel.log());
    channel.close();
  }
}

function evidenceOf(options: RunOptions, scene: Scene, end: RunEnd): Evidence {
  return {
    contract: options.contract.id,
    plan: JSON.parse(JSON.stringify(scene.plan)),
    steps: scene.conductor.steps,
    trace: [...scene.broker.trace()],
    ledger: [...scene.vendor.ledger()],
    record: scene.vendor.record(),
    end,
  };
}

type Verdict = Pick<RunResult, 'verdict' | 'reason' | 'message' | 'mayHaveRun' | 'rules' | 'evidence'>;

function judged(options: RunOptions, scene: Scene, end: RunEnd): Verdict {
  const evidence = evidenceOf(options, scene, end);
  try {
    const { verdict, rules } = judge(evidence);
    return { verdict, rules, evidence };
  } catch (error) {
    const message = `This run cannot be judged: ${(error as Error).message}`;
    return { verdict: 'not_run', reason: 'judge', message, mayHaveRun: true, rules: [], evidence };
  }
}

function notRun(error: unknown): Verdict {
  const base = { verdict: 'not_run', rules: [] } as const;
  if (error instanceof NothingRan)
    return { ...base, reason: error.reason, message: error.message, mayHaveRun: false };
  if (error instanceof Interrupted)
    return { ...base, reason: error.reason, message: error.message, mayHaveRun: error.mayHaveRun };
  const message = `The runner failed: ${error instanceof Error ? error.message : String(error)}`;
  return { ...base, reason: 'runner', message, mayHaveRun: true };
}

function common(
  options: RunOptions,
  scene: Scene | undefined,
  started: number,
  log: { text: string; truncated: boolean },
) {
  const { perOperation, ...calls } = scene?.broker.counts() ?? {
    sent: 0,
    refused: 0,
    shed: 0,
    perOperation: {},
  };
  const rows = scene?.broker.trace() ?? [];
  return {
    scenario: options.scenario,
    tier: options.sandbox.tier,
    clock: options.clock,
    durationMs: Math.round(performance.now() - started),
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
