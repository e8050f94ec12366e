/** `loadline keys` as a person uses it, with real verdict files. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import { person, statementsOf } from './support.ts';

test('path, export and rotate; a file with lines of both keys verifies with what export prints', async () => {
  const one = person();
  expect(await one.loadline('keys', 'path')).toMatchObject({ code: 0, stdout: `${one.keyFile}\n` });
  expect(existsSync(one.keyFile)).toBe(false);
  await one.qualify('--scenario', 'nominal');
  const before = JSON.parse((await one.loadline('keys', 'export')).stdout);
  expect(before.keys).toHaveLength(1);
  const rotated = await one.loadline('keys', 'rotate');
  expect([rotated.code, rotated.stderr]).toEqual([0, '']);
  const after = JSON.parse((await one.loadline('keys', 'export')).stdout);
  expect(after.keys.map(({ kid }: { kid: string }) => kid)).toEqual([
    ...[expect.any(String), before.keys[0].kid],
  ]);
  expect(rotated.stdout).toBe(
    `The key is now ${after.keys[0].kid}; of ${before.keys[0].kid} the public part stays, and "loadline keys export" prints both.\n`,
  );
  await one.qualify('--scenario', 'overload');
  expect(statementsOf(one.verdicts).at(-1).predicate).toMatchObject({
    ...{ count: 2, sequence: 2, rotatedFrom: before.keys[0].kid },
  });
  const trusted = await trustedKeyIds(after);
  expect(await verifyBytes(readFileSync(one.verdicts), { trusted, partial: true })).toMatchObject({
    ...{ verified: true, trusted: true },
  });
});

test('a key that is missing is said, with exit 2, and not replaced; rotating goes on', async () => {
  const one = person();
  const { keys } = JSON.parse((await one.loadline('keys', 'export')).stdout);
  rmSync(one.keyFile);
  expect(await one.loadline('keys', 'export')).toEqual({
    code: 2,
    stdout: '',
    stderr: `loadline: The signing key ${keys[0].kid} is missing from ${one.keyFile}; put it back, or run "loadline keys rotate" to go on with a new one.\n`,
  });
  expect(existsSync(one.keyFile)).toBe(false);
  expect((await one.loadline('keys', 'rotate')).code).toBe(0);
  expect(JSON.parse((await one.loadline('keys', 'export')).stdout).keys).toHaveLength(2);
});
