/** `check`, `init` and `--expect` as whole processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { exampleFolder, loadline } from '../../support/loadline.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Checked {
  files: { file: string; diagnostics: { code: string; severity: string; line: number; column: number }[] }[];
}

async function check(...files: string[]): Promise<{ code: number | null; told: string[] }> {
  const { code, stdout } = await loadline(['check', '--json', ...files]);
  const { files: checked } = JSON.parse(stdout) as Checked;
  const told = checked.flatMap(({ diagnostics }) =>
    diagnostics.map(({ code: what, severity, line, column }) => `${line}:${column} ${severity} ${what}`),
  );
  return { code, told };
}

describe('check', () => {
  test('the examples show exactly what is said of them', async () => {
    const files = [
      'adapter-v1.js',
      'adapter-v2.js',
      'adapter-v3.js',
      'fleet.grant',
      'loadline.json',
      'vendor.openapi.yaml',
    ];
    expect(await check(...files.map((file) => join(exampleFolder, file)))).toEqual({
      code: 0,
      told: ['34:43 warning retry-without-identity', '38:44 warning refusal-from-doubt'],
    });
  });

  test('an error is exit code 1, a file that is not there 2', async () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, 'openapi: 3.1.0\npaths: [');
    expect((await check(file)).code).toBe(1);
    const { code, stderr } = await loadline(['check', join(folder, 'none.js')]);
    expect([code, stderr]).toEqual([2, `loadline: ${join(folder, 'none.js')} does not exist.\n`]);
  });
});

test('init makes a folder that checks clean, and never writes over one', async () => {
  const out = join(folder, 'made');
  const made = await loadline(['init', join(exampleFolder, 'vendor.openapi.yaml'), '--out', out]);
  expect([
    made.code,
    made.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('/').at(-1)),
  ]).toEqual([
    0,
    ['vendor.openapi.yaml', 'loadline.json', 'fleetVendor.grant', 'adapter.js', '.gitattributes'],
  ]);
  const { code, told } = await check(join(out, 'adapter.js'), join(out, 'loadline.json'));
  expect([code, told]).toEqual([0, []]);
  const again = await loadline(['init', join(exampleFolder, 'vendor.openapi.yaml'), '--out', out]);
  expect(again.code).toBe(2);
  expect(readFileSync(join(out, 'adapter.js'), 'utf8')).toContain(
    'async dispatch(robotId, target, commandId)',
  );
});

test('qualify --expect runs nothing where an input is another one', async () => {
  const expected = join(folder, 'expected.json');
  writeFileSync(expected, JSON.stringify({ grant: '00' }));
  const adapter = join(exampleFolder, 'adapter-v3.js');
  const { code, stdout, stderr } = await loadline(['qualify', adapter, '--no-sign', '--expect', expected]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`loadline: ${adapter}: the grant is not the one that is expected.\n`);
});
