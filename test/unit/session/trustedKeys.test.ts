/** Whose verdicts count: one's own keys, asked for once, and those of the setting. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TrustedKeys } from '../../../server/src/session/trustedKeys.ts';
import { newKey } from '../../support/verdictFiles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function keysWith(own: () => Promise<string[]>, setting = ''): { keys: TrustedKeys; log: string[] } {
  const log: string[] = [];
  return { keys: new TrustedKeys({ own, setting: async () => setting, log: (text) => log.push(text) }), log };
}

test('own keys count; the signer is asked once for each key that it does not know', async () => {
  let asked = 0;
  const { keys } = keysWith(async () => {
    asked += 1;
    return ['mine'];
  });
  expect([...(await keys.trusted(['mine', 'other']))]).toEqual(['mine']);
  expect([...(await keys.trusted(['other', 'mine']))]).toEqual(['mine']);
  expect(asked).toBe(1);
  expect([...(await keys.trusted(['another']))]).toEqual([]);
  expect(asked).toBe(2);
  keys.forget();
  expect([...(await keys.trusted(['mine']))]).toEqual(['mine']);
  expect(asked).toBe(3);
});

test('many files that are read at once ask once', async () => {
  let asked = 0;
  const { keys } = keysWith(async () => {
    asked += 1;
    await new Promise(setImmediate);
    return ['mine'];
  });
  const answers = await Promise.all(['mine', 'other', 'another', 'mine'].map((kid) => keys.trusted([kid])));
  expect(answers.map(({ size }) => size)).toEqual([1, 0, 0, 1]);
  expect(asked).toBe(1);
});

test('keys of the setting count without the signer', async () => {
  const { kid, publicKey } = await newKey();
  const path = join(folder, 'trusted.json');
  writeFileSync(path, JSON.stringify({ keys: [publicKey] }));
  const { keys } = keysWith(async () => {
    throw new Error('The signer was asked.');
  }, path);
  expect([...(await keys.trusted([kid]))]).toEqual([kid]);
});

test('a signer that fails, and a file that is no JWK set, leave keys untrusted, and the log says so', async () => {
  const path = join(folder, 'none.json');
  const { keys, log } = keysWith(async () => {
    throw new Error('The signer ended (exit code 1).');
  }, path);
  expect([...(await keys.trusted(['mine']))]).toEqual([]);
  expect([...(await keys.trusted(['other']))]).toEqual([]);
  expect(log).toEqual([
    `The keys of loadline.trustedKeys (${path}) do not count: ENOENT: no such file or directory, stat '${path}'`,
    'Your own keys are not known: The signer ended (exit code 1).',
  ]);
});
