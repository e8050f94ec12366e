/** What has to be right before any run of an adapter: contract, vendor, the adapter's bytes, the sandbox. */
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { NotRunReason } from '../../../shared/src/results.ts';
import type { AdapterParams, SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import { emitClient } from '../../../shared/src/surface/client.ts';
import type { Authority } from '../broker/credential.ts';
import { NothingRan, unlessCancelled } from '../sandbox/nothingRan.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { isSimulated } from '../vendor/simulated.ts';
import { AdapterUnreadable, adapterSource } from './adapterSource.ts';
import { type Engines, openEngines } from './engines.ts';
import type { RunParts } from './scene.ts';

export interface RunnerParts {
  authority: Authority;
  /** Opens the sandbox, once for all runs with the same options. Throws NothingRan. */
  sandbox(options: SandboxOptions): Promise<Sandbox>;
  /** Told what is wrong with an engine that the request goes on without. */
  trouble(text: string): void;
  signal: AbortSignal;
}

/** Why nothing of what was asked can run. */
export interface Refusal {
  reason: NotRunReason;
  message: string;
}

export type Prepared = { ok: true; parts: RunParts & { sandbox: Engines } } | { ok: false; refusal: Refusal };

export async function prepare(params: AdapterParams, runner: RunnerParts): Promise<Prepared> {
  const { surface, vendor, clock } = params;
  const contract = contractById(params.contract);
  if (contract === undefined)
    return refused('adapter', `The contract ${params.contract} is not known to this version.`);
  if (!isSimulated(vendor)) return refused('adapter', `The vendor ${vendor} is not known to this version.`);
  try {
    const adapter = await adapterSource(params.adapter);
    const { authority, signal } = runner;
    // Others may wait for the same sandbox: setting it up goes on.
    const sandbox = await unlessCancelled(openEngines(params, runner), signal);
    const client = emitClient(surface);
    const parts = { contract, surface, client, vendor, adapter, clock, authority, sandbox, signal };
    return { ok: true, parts };
  } catch (error) {
    if (error instanceof AdapterUnreadable) return refused('adapter', error.message);
    if (error instanceof NothingRan) return refused(error.reason, error.message);
    return refused('runner', `The runner failed: ${(error as Error).message}`);
  }
}

function refused(reason: NotRunReason, message: string): Prepared {
  return { ok: false, refusal: { reason, message } };
}
