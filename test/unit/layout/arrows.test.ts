import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface CruiseResult {
  summary: { violations: { rule: { name: string }; from: string; to: string }[]; totalCruised: number };
}

test('imports follow the arrows of the architecture: top to bottom, no circles', () => {
  const output = execFileSync(
    'npx',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
      'client/src',
      'server/src',
      'shared/src',
      'sandbox-images/guest',
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { summary }: CruiseResult = JSON.parse(output);
  expect(summary.totalCruised).toBeGreaterThan(20);
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
});
