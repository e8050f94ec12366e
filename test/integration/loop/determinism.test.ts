import { expect, test } from 'vitest';
import type { AdapterResult } from '../../../shared/src/results.ts';
import { containersLeft } from '../../support/loadline.ts';
import { adapterText, draft, exampleParams, qualifyOnce } from '../../support/runner.ts';

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

test('more calls at once than may be under way: the same ones are refused, at the same time, run after run', async () => {
  const text = adapterText('adapter-v3.js').replace(
    /async inventory\(\) \{/,
    `async inventory() {
      await Promise.allSettled(Array.from({ length: 40 }, () => fleet.listRobots()));`,
  );
  const params = await exampleParams('adapter-v3.js', {
    scenarios: ['nominal'],
    seed: 7,
    adapter: draft(text),
  });
  const all = await Promise.all([qualifyOnce(params), qualifyOnce(params), qualifyOnce(params)]);
  const [first = [], second, third] = all.map(books);
  expect(first).toHaveLength(1);
  expect([second, third]).toEqual([first, first]);
  const trace = all[0]?.runs[0]?.evidence?.trace ?? [];
  const burst = trace.filter((row) => row.step === 0).slice(0, 40);
  expect(
    burst.filter((row) => row.refused === 'in-flight').map((row) => [row.seq, row.status, row.elapsed]),
  ).toEqual(Array.from({ length: 24 }, (_, index) => [17 + index, 429, 1]));
});

test('the seed of a run without --seed follows from the adapter alone', async () => {
  const params = await exampleParams('adapter-v3.js', { scenarios: ['nominal'] });
  const [first, second] = [await qualifyOnce(params), await qualifyOnce(params)];
  expect(first.seed).toBe(second.seed);
  expect(books(first)).toEqual(books(second));
});
