/** Runs of the fleet's contract in which a script of the test stands in for the guest, in a real container. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../../server/src/broker/credential.ts';
import { runScenario } from '../../server/src/runner/run.ts';
import type { RunParts } from '../../server/src/runner/scene.ts';
import { openSandbox, type Sandbox } from '../../server/src/sandbox/sandbox.ts';
import { loadProject } from '../../server/src/workspace/project.ts';
import { fleet } from '../../shared/src/contracts/fleet/contract.ts';
import type { RunResult } from '../../shared/src/results.ts';
import { emitClient } from '../../shared/src/surface/client.ts';
import { IMAGES_FOLDER } from '../integration/sandbox/support.ts';
import { exampleFolder } from '../support/loadline.ts';

export const SCENARIO = 'nominal';
const RUN_SEED = 7;

export function sandboxWith(guestScript: Buffer, owner: string, cacheDir: string): Promise<Sandbox> {
  return openSandbox({ guestScript, imagesFolder: IMAGES_FOLDER, owner, cacheDir, runtime: 'runc' });
}

/** What runs share; `adapter` is what the guest is given as the adapter's text. */
export async function runnerWith(sandbox: Sandbox) {
  const { surface } = await loadProject(join(exampleFolder, 'adapter-v3.js'));
  if (surface === null) throw new Error('The fleet example has no surface.');
  const authority = await createAuthority();
  const signal = new AbortController().signal;
  const shared = {
    contract: fleet,
    surface,
    client: emitClient(surface),
    vendor: 'simulated:fleet',
    clock: 'virtual',
  };
  return (adapter: string, runId: string): Promise<RunResult> => {
    const source = { text: adapter, sha256: '', fileName: 'adapter.js' };
    const parts = { ...shared, authority, sandbox, signal, adapter: source } as unknown as RunParts;
    return runScenario({ ...parts, runId, scenario: SCENARIO, seed: RUN_SEED, onLoaded: () => undefined });
  };
}

export function rightAdapter(): string {
  return readFileSync(join(exampleFolder, 'adapter-v3.js'), 'utf8');
}
