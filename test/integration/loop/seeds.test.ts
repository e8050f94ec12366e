import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { RunnerProcess } from '../../../server/src/runs/runnerProcess.ts';
import { containersLeft } from '../../support/loadline.ts';
import { exampleParams, runnerScript } from '../../support/runner.ts';

test('adapter-v3 holds every rule in all sixteen scenarios under twenty seeds, each run in a fresh container', async () => {
  const runner = new RunnerProcess(runnerScript);
  const verdicts: Record<string, number> = {};
  const credentials = new Set<string | undefined>();
  let rules = 0;
  try {
    for (let seed = 1; seed <= 20; seed += 1) {
      const params = await exampleParams('adapter-v3.js', { seed, jobs: availableParallelism() });
      const { result } = await runner.qualify(params, {});
      for (const run of result.runs) {
        verdicts[run.verdict] = (verdicts[run.verdict] ?? 0) + 1;
        credentials.add(run.credential);
        rules += run.rules.filter((rule) => rule.held).length;
      }
    }
  } finally {
    await runner.stop();
  }
  expect(verdicts).toEqual({ qualified: 320 });
  expect(credentials.size).toBe(320);
  expect(rules).toBe(320 * 8);
  expect(await containersLeft()).toEqual([]);
}, 1_200_000);
