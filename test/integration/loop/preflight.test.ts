/** The sandbox is checked once for an engine and an image, whatever process asks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exampleFolder, loadline } from '../../support/loadline.ts';

test('a second process takes over what the first one found out', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'loadline-cache-'));
  const args = ['qualify', '--no-sign', '--scenario', 'nominal', 'adapter-v3.js'];
  const options = { cwd: exampleFolder, env: { XDG_CACHE_HOME: cache } };
  const [first, second] = [await loadline(args, options), await loadline(args, options)];
  rmSync(cache, { recursive: true });
  expect([first.code, first.stderr]).toEqual([0, 'Checking the sandbox (once per engine and image)\n']);
  expect([second.code, second.stderr]).toEqual([0, '']);
});
