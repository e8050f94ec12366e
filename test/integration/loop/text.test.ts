/** What people read is what machines read: the matrix that `qualify` prints equals the object of `--json`. */
import { expect, test } from 'vitest';
import { exampleFolder, loadline, qualifyJson } from '../../support/loadline.ts';

test('the printed matrix of v1 and v2 says what --json says, and every broken rule has its sentence', async () => {
  const args = ['adapter-v1.js', 'adapter-v2.js', '--seed', '7'];
  const printed = await loadline(['qualify', '--no-sign', ...args], { cwd: exampleFolder });
  const { code, result } = await qualifyJson(args, { cwd: exampleFolder });
  expect([printed.code, code]).toEqual([1, 1]);
  const lines = printed.stdout.split('\n').map((line) => line.trim());
  const cells = (name: string) =>
    lines
      .find((line) => line.split(/ {2,}/)[0] === name)
      ?.split(/ {2,}/)
      .slice(1);
  const scenarios = result.adapters[0]?.runs.map((run) => run.scenario) ?? [];
  expect(scenarios).toHaveLength(16);
  for (const scenario of scenarios) {
    const told = result.adapters.map(({ runs }) => {
      const broken = runs.find((run) => run.scenario === scenario)?.rules.filter((rule) => !rule.held) ?? [];
      return broken.map((rule) => rule.id).join(' + ') || 'held';
    });
    expect([scenario, cells(scenario)]).toEqual([scenario, told]);
  }
  expect(cells('scenarios held')).toEqual(['4 of 16', '14 of 16']);
  for (const { id, text, sites } of result.adapters
    .flatMap(({ runs }) => runs.flatMap((run) => run.rules))
    .filter((rule) => !rule.held))
    expect(lines).toContain(`${id} (line ${sites[0]?.line}): ${text}`);
});
