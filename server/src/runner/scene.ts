/** What one run plays in: its plan, clock, vendor, broker and conductor, and what comes of them in the end. */
import type { Contract, ContractPlan } from '../../../shared/src/contracts/contract.ts';
import type { Evidence, RunEnd } from '../../../shared/src/evidence/evidence.ts';
import { judge } from '../../../shared/src/judge.ts';
import type { ClockKind, RunResult } from '../../../shared/src/results.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Authority } from '../broker/credential.ts';
import { createBrokerSession } from '../broker/session.ts';
import type { BrokerSession } from '../broker/types.ts';
import { type GuestChannel, openGuestChannel } from '../sandbox/guestChannel.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { GuestContainer } from '../sandbox/sandbox.ts';
import { simulatedVendor } from '../vendor/simulated.ts';
import type { LedgerVendor } from '../vendor/vendor.ts';
import type { AdapterSource } from './adapterSource.ts';
import { RealClock, VirtualClock } from './clock.ts';
import { Conductor, Interrupted } from './conductor.ts';
import type { RunSandbox } from './engines.ts';
import { type RunNumbers, runNumbers } from './seeds.ts';
import { watchGuest } from './watch.ts';

/** What the runs of one adapter have in common. */
export interface RunParts {
  contract: Contract;
  surface: Surface;
  /** Client script made from the surface. */
  client: string;
  /** Name of a simulated vendor. */
  vendor: string;
  adapter: AdapterSource;
  clock: ClockKind;
  authority: Authority;
  sandbox: RunSandbox;
  signal: AbortSignal;
}

/** What one run is to be, whoever planned it. */
export interface PlannedRun {
  plan: ContractPlan;
  numbers: RunNumbers;
}

/** The contract's own plan for a scenario under a seed. */
export function plannedRun(contract: Contract, scenario: string, seed: number): PlannedRun {
  return { plan: contract.plan(scenario, seed), numbers: runNumbers(seed, scenario) };
}

export interface Scene {
  planned: PlannedRun;
  clock: VirtualClock | RealClock;
  vendor: LedgerVendor;
  broker: BrokerSession;
  conductor: Conductor;
  /** Id of the run's credential. */
  jti: string;
  revoke(): void;
}

export async function setScene(parts: RunParts, planned: PlannedRun, runId: string): Promise<Scene> {
  const { contract, surface } = parts;
  const { plan, numbers } = planned;
  const clock = parts.clock === 'virtual' ? new VirtualClock(numbers.epoch) : new RealClock();
  const credential = await parts.authority.mint({
    subject: runId,
    audience: surface.title,
    grantDigest: surface.digests.grant,
    clock,
  });
  const vendor = simulatedVendor(parts.vendor, {
    plan,
    idSeed: numbers.idSeed,
    epoch: clock.epoch,
    verifier: credential.verifier,
  });
  const { authorization, jti, revoke } = credential;
  const broker = createBrokerSession({ surface, vendor, clock, authorization });
  const conductor = new Conductor({ contract, plan, clock, broker, vendor });
  return { planned, clock, vendor, broker, conductor, jti, revoke };
}

/** A container and the channel to what runs in it. */
export interface Guest {
  container: GuestContainer;
  channel: GuestChannel;
}

/** A guest in a fresh container, for this scene first. Throws NothingRan. */
export async function startGuest(parts: RunParts, scene: Scene, runId: string): Promise<Guest> {
  const container = await parts.sandbox.start(runId, parts.signal);
  const { stdin, stdout, stderr } = container;
  return {
    container,
    channel: openGuestChannel({ stdin, stdout, stderr, handlers: scene.conductor.handlers }),
  };
}

export function discardGuest(parts: RunParts, guest: Guest | undefined): void {
  guest?.channel.close();
  parts.sandbox.discard(guest?.container);
}

/** Loads the adapter and conducts the run to its end. Throws Interrupted. */
export async function conductIn(
  guest: Guest,
  scene: Scene,
  parts: RunParts,
  onLoaded: (ok: boolean) => void,
): Promise<RunEnd> {
  const { conductor, clock, planned } = scene;
  const watch = watchGuest({ ...guest, conductor, clock: parts.clock, signal: parts.signal });
  try {
    await watch.greeted;
    const load = {
      adapter: parts.adapter.text,
      fileName: parts.adapter.fileName,
      client: parts.client,
      clientName: parts.surface.client,
      exports: parts.contract.exports.map((item) => item.name),
      clock: parts.clock,
      epoch: clock.epoch,
      random: planned.numbers.random,
    };
    return await conductor.conduct(guest.channel, load, onLoaded);
  } finally {
    watch.stop();
  }
}

/** Closes the run's books and gives what they say. */
export async function evidenceOf(contract: Contract, scene: Scene, end: RunEnd): Promise<Evidence> {
  const { planned, clock, vendor, broker, conductor } = scene;
  broker.end();
  await conductor.callsRegistered();
  vendor.settle(clock.now());
  return {
    contract: contract.id,
    plan: JSON.parse(JSON.stringify(planned.plan)),
    steps: conductor.steps,
    trace: [...broker.trace()],
    ledger: [...vendor.ledger()],
    record: vendor.record(),
    end,
  };
}

/** Whatever became of the run: no call reaches the vendor any more, its credential is worth nothing. Idempotent. */
export function clearScene(scene: Scene | undefined): void {
  scene?.broker.end();
  scene?.revoke();
  if (scene?.clock.kind === 'real') scene.clock.stop();
}

export type Verdict = Pick<RunResult, 'verdict' | 'reason' | 'message' | 'mayHaveRun' | 'rules' | 'evidence'>;

export function judged(evidence: Evidence): Verdict {
  try {
    const { verdict, rules } = judge(evidence);
    return { verdict, rules, evidence };
  } catch (error) {
    const message = `This run cannot be judged: ${(error as Error).message}`;
    return { verdict: 'not_run', reason: 'judge', message, mayHaveRun: true, rules: [], evidence };
  }
}

/** The verdict of a run that threw `error`. */
export function notRun(error: unknown): Verdict {
  const base = { verdict: 'not_run' as const, rules: [] };
  if (error instanceof NothingRan)
    return { ...base, reason: error.reason, message: error.message, mayHaveRun: false };
  if (error instanceof Interrupted)
    return { ...base, reason: error.reason, message: error.message, mayHaveRun: error.mayHaveRun };
  const message = `The runner failed: ${error instanceof Error ? error.message : String(error)}`;
  return { ...base, reason: 'runner', message, mayHaveRun: true };
}
