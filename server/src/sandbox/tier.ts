/** Which runtime containers get, and what isolation it has been seen to give. */
import type { Tier } from '../../../shared/src/results.ts';
import type { EngineFacts } from './engine.ts';
import { NothingRan } from './nothingRan.ts';

/** Names and binaries under which gVisor is registered. What it is named proves nothing; see provenTier. */
const GVISOR = /runsc|gvisor/i;

export function looksLikeGvisor(facts: EngineFacts, runtime: string): boolean {
  const registered = facts.runtimes.find(({ name }) => name === runtime);
  return GVISOR.test(runtime) || (registered !== undefined && GVISOR.test(registered.path));
}

/** The runtime asked for, else one that may give the minimum tier, else the engine's default. Throws NothingRan('tier'). */
export function chooseRuntime(facts: EngineFacts, asked: { runtime?: string; minimumTier?: Tier }): string {
  const names = facts.runtimes.map(({ name }) => name);
  if (facts.name === 'Podman') return podmanRuntime(facts, asked.runtime);
  if (asked.runtime !== undefined) {
    if (names.includes(asked.runtime)) return asked.runtime;
    throw new NothingRan(
      'tier',
      `The engine at ${facts.endpoint} has no runtime "${asked.runtime}" (it has ${names.join(', ')}); register it, or choose another.`,
    );
  }
  if (asked.minimumTier !== 'kernel') return facts.defaultRuntime;
  const gvisor = [facts.defaultRuntime, ...names].find((name) => looksLikeGvisor(facts, name));
  if (gvisor !== undefined) return gvisor;
  throw new NothingRan(
    'tier',
    `The minimum tier is kernel, but the engine at ${facts.endpoint} has no gVisor runtime; register runsc with it, or lower loadline.sandbox.minimumTier.`,
  );
}

/** Podman starts its default for whoever speaks Docker's API, whatever is asked for. Throws NothingRan('tier'). */
function podmanRuntime({ defaultRuntime, endpoint }: EngineFacts, asked: string | undefined): string {
  if (asked === undefined || asked === defaultRuntime) return defaultRuntime;
  throw new NothingRan(
    'tier',
    `Podman at ${endpoint} starts "${defaultRuntime}" whatever runtime is asked for; start its service with --runtime ${asked}, or use Docker.`,
  );
}

/** What a container saw of its kernel. */
export interface KernelSeen {
  release: string;
  commandLine: string;
}

/** `kernel` only where the kernel that a real container saw is gVisor's own and not the engine's. */
export function provenTier(engineKernel: string, seen: KernelSeen): Tier {
  return seen.commandLine.includes('gvisor') && seen.release !== engineKernel ? 'kernel' : 'container';
}

export function requireTier(tier: Tier, minimum: Tier | undefined, runtime: string): void {
  if (minimum !== 'kernel' || tier === 'kernel') return;
  throw new NothingRan(
    'tier',
    `The minimum tier is kernel, but the runtime "${runtime}" gives ${tier}; choose a gVisor runtime, or lower loadline.sandbox.minimumTier.`,
  );
}
