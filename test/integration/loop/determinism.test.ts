import { expect, test } from 'vitest';
import type { AdapterResult } from '../../../shared/src/results.ts';
import { containersLeft } from '../../support/loadline.ts';
import { exampleParams, qualifyOnce } from '../../support/runner.ts';

/** Steps, trace and ledger of each run, as bytes. */
function books(result: AdapterResult): string[] {
  return result.runs.map(({ scenario, evidence }) =>
    JSON.stringify({ scenario, steps: evidence?.steps, trace: evidence?.trace, ledger: evidence?.ledger }),
  );
}

test.each(['adapter-v1.js', 'adapter-v2.js', 'adapter-v3.js'])(
  'two qualifications of %s with the same inputs give byte-equal steps, traces and ledgers, under credentials of their own',
  async (name) => {
    const params = await exampleParams(name, { seed: 7 });
    const first = await qualifyOnce(params);
    const second = await qualifyOnce({ ...params, jobs: 1 });
    expect(first.runs).toHaveLength(16);
    expect(books(second)).toEqual(books(first));
    const credentials = [...first.runs, ...second.runs].map((run) => run.credential);
    expect(new Set(credentials).size).toBe(32);
    expect(credentials).not.toContain(undefined);
    expect(await containersLeft()).toEqual([]);
  },
);

test('the seed of a run without --seed follows from the adapter alone', async () => {
  const params = await exampleParams('adapter-v3.js', { scenarios: ['nominal'] });
  const [first, second] = [await qualifyOnce(params), await qualifyOnce(params)];
  expect(first.seed).toBe(second.seed);
  expect(books(first)).toEqual(books(second));
});
