/** The built runner with the fleet example, for tests that look at evidence. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerProcess } from '../../server/src/runs/runnerProcess.ts';
import { loadProject } from '../../server/src/workspace/project.ts';
import type { AdapterResult } from '../../shared/src/results.ts';
import type { QualifyParams } from '../../shared/src/runnerProtocol.ts';
import { exampleFolder, root } from './loadline.ts';

export const runnerScript = join(root, 'dist/runner.js');

let nextRun = 1;

/** Parameters for one of the example adapters, as the command line would send them. */
export async function exampleParams(
  name: string,
  overrides: Partial<QualifyParams> = {},
): Promise<QualifyParams> {
  const path = join(exampleFolder, name);
  const { surface } = await loadProject(path);
  if (surface === null) throw new Error('the fleet example has no surface');
  return {
    run: `test-${nextRun++}`,
    surface,
    contract: 'fleet/1',
    vendor: 'simulated:fleet',
    adapter: { kind: 'file', folder: exampleFolder, path },
    scenarios: [],
    clock: 'virtual',
    sandbox: {},
    ...overrides,
  };
}

/** A draft: the text of an adapter that stands in no file. */
export function draft(text: string): QualifyParams['adapter'] {
  return { kind: 'draft', path: 'adapter.js', text };
}

export function adapterText(name: string): string {
  return readFileSync(join(exampleFolder, name), 'utf8');
}

/** Runs one qualification in a runner of its own. */
export async function qualifyOnce(params: QualifyParams): Promise<AdapterResult> {
  const runner = new RunnerProcess(runnerScript);
  try {
    return (await runner.qualify(params, {})).result;
  } finally {
    await runner.stop();
  }
}
