import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import { judge } from '../../../shared/src/judge.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import type { SignParams } from '../../../shared/src/signerProtocol.ts';
import { ADAPTER, evidenceOf } from '../../support/verdictFiles.ts';

const digest = (letter: string) => letter.repeat(64);

/** Writes the adapter and gives what a caller would send for scripted runs of it. */
export async function signParams(
  folder: string,
  scenarios: readonly string[],
  nonces: readonly string[],
  path = 'adapter.js',
): Promise<SignParams> {
  const adapter = join(folder, path);
  writeFileSync(adapter, ADAPTER);
  const hash = await sha256(ADAPTER);
  const runs = scenarios.map(async (scenario, index) => ({
    result: await resultOf(scenario),
    nonce: nonces[index] ?? '',
    startedAt: '2026-01-05T10:00:00.000Z',
    endedAt: '2026-01-05T10:00:01.250Z',
  }));
  return {
    folder,
    adapter,
    sha256: hash,
    contract: fleet.id,
    inputs: {
      ...{ document: digest('a'), grant: digest('b'), config: digest('c'), contract: fleet.version },
      ...{ client: digest('d'), guest: digest('e'), base: `sha256:${digest('f')}` },
    },
    seed: await seedOf(hash, fleet.version),
    environment: {
      engine: { name: 'Docker', version: '20.10.24' },
      runtime: 'runc',
      tier: 'container',
      clock: 'virtual',
      limits: { pids: 64 },
      cannot: [],
      loadline: '0.1.0',
    },
    runs: await Promise.all(runs),
  };
}

async function resultOf(scenario: string): Promise<RunResult> {
  const evidence = JSON.parse(JSON.stringify(await evidenceOf(scenario)));
  return {
    scenario,
    ...judge(evidence),
    ...{ tier: 'container', clock: 'virtual', durationMs: 1, orders: 1, advice: [], perOperation: {} },
    calls: { sent: 1, refused: 0, shed: 0 },
    log: { text: '', truncated: false },
    credential: '6f1c0b52-33f5-4a0e-9d0c-3a1f1f1f2b11',
    evidence,
  };
}
