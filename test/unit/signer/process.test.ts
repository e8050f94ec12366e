/** The signer as a process: what it answers, what it knows of its caller, and what its death means. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NotSigned, SignerProcess } from '../../../server/src/runs/signerProcess.ts';
import { keyPlace } from '../../../server/src/signer/keyPlace.ts';
import { signParams } from './params.ts';
import { signerScript } from './processes.ts';
import { contentOf, placeOfMode, temporaryFolder } from './support.ts';

let config: string;
let signer: SignerProcess;

beforeEach(() => {
  config = temporaryFolder();
  vi.stubEnv('LOADLINE_SIGNING_KEY', undefined);
  vi.stubEnv('XDG_CONFIG_HOME', config);
  signer = new SignerProcess(signerScript);
});
afterEach(async () => {
  await signer.stop();
  vi.unstubAllEnvs();
});

test('gives nonces, signs, and takes each of them once', async () => {
  const folder = temporaryFolder();
  const asked = await signParams(folder, ['nominal'], await signer.nonces(1));
  const { keys } = await signer.exportKeys();
  const target = join(folder, 'adapter.verdicts.jsonl');
  expect(await signer.sign(asked)).toEqual({
    ...{ signed: true, verdictFile: target, verdict: 'partial', kid: keys[0]?.kid, notes: [] },
  });
  expect(contentOf(target).scenarios).toEqual(['nominal']);
  expect(await signer.sign(asked)).toMatchObject({ signed: false });
});

test('tells where the key is and replaces it, and no answer holds its private half', async () => {
  const path = await signer.keyPath();
  expect(path).toBe(join(config, 'loadline/key.jwk'));
  const before = await signer.exportKeys();
  const secrets = [JSON.parse(readFileSync(path, 'utf8')).d];
  const rotated = await signer.rotateKey();
  secrets.push(JSON.parse(readFileSync(path, 'utf8')).d);
  const after = await signer.exportKeys();
  expect(after.keys.map(({ kid }) => kid)).toEqual([rotated.kid, rotated.rotatedFrom]);
  expect(before.keys.map(({ kid }) => kid)).toEqual([rotated.rotatedFrom]);
  for (const secret of secrets) expect(JSON.stringify([before, rotated, after])).not.toContain(secret);
});

test('a key that cannot sign is told before anything runs', async () => {
  const place = placeOfMode(0o755);
  vi.stubEnv('XDG_CONFIG_HOME', join(place.folder, '..'));
  const refused = await signer.nonces(1).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NotSigned);
  expect(refused).toHaveProperty(
    'message',
    `The folder of the signing key is open to others; run: chmod 700 ${place.folder}`,
  );
});

test('takes LOADLINE_SIGNING_KEY, and nothing of its caller that it does not need', async () => {
  const named = join(temporaryFolder(), 'ci.jwk');
  vi.stubEnv('LOADLINE_SIGNING_KEY', named);
  vi.stubEnv('VENDOR_TOKEN', 'secret');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  expect(await signer.keyPath()).toBe(keyPlace({ LOADLINE_SIGNING_KEY: named }).file);
  const names = readFileSync(`/proc/${signer.pid}/environ`, 'utf8')
    .split('\0')
    .map((entry) => entry.split('=')[0]);
  expect(names).toContain('LOADLINE_SIGNING_KEY');
  expect(names).not.toContain('VENDOR_TOKEN');
  expect(names).not.toContain('NODE_OPTIONS');
});

test('a signer that is killed signed nothing, and the next request starts another', async () => {
  await signer.nonces(1);
  const pid = signer.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  const asked = signer.nonces(1).catch((error: Error) => error);
  process.kill(pid, 'SIGKILL');
  expect(await asked).toEqual(new NotSigned('The signer ended (SIGKILL).'));
  expect(await signer.nonces(1)).toHaveLength(1);
  expect(signer.pid).not.toBe(pid);
});
