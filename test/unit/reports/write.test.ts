import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../../package.json';
import { CannotDo } from '../../../server/src/cli/exit.ts';
import { checkReports, type ReportPaths, writeReports } from '../../../server/src/cli/reports.ts';
import { junitText } from '../../../shared/src/reports/junit.ts';
import { sarifText } from '../../../shared/src/reports/sarif.ts';
import { adapter, engine, run } from './results.ts';

const result = { loadline: version, engine, adapters: [adapter('examples/v1.js', [run('nominal')])] };
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-reports-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('writes the files that are asked for, and no other', async () => {
  const [junit, sarif] = [join(folder, 'a.xml'), join(folder, 'a.sarif')];
  await writeReports(result, {});
  await writeReports(result, { junit });
  expect([readFileSync(junit, 'utf8'), existsSync(sarif)]).toEqual([junitText(result), false]);
  writeFileSync(junit, 'old and longer than what comes '.repeat(1_000));
  await writeReports(result, { junit, sarif });
  expect(readFileSync(junit, 'utf8')).toBe(junitText(result));
  expect(readFileSync(sarif, 'utf8')).toBe(sarifText(result, { version }));
});

test('names adapters relative to the working directory, and those outside by their whole path', async () => {
  const sarif = join(folder, 'b.sarif');
  const outside = join(folder, 'x.js');
  const adapters = [resolve('examples/v1.js'), './examples/../v2.js', relative('', outside)].map((file) =>
    adapter(file, []),
  );
  await writeReports({ ...result, adapters }, { sarif });
  const { artifacts } = JSON.parse(readFileSync(sarif, 'utf8')).runs[0];
  expect(artifacts.map(({ location }: { location: object }) => location)).toEqual([
    { uri: 'examples/v1.js', uriBaseId: '%SRCROOT%' },
    { uri: 'v2.js', uriBaseId: '%SRCROOT%' },
    { uri: `file://${outside}` },
  ]);
});

describe('a place that cannot be written is refused with what to do', () => {
  const refusal = async (paths: ReportPaths) => {
    const errors = await Promise.all(
      [checkReports(paths), writeReports(result, paths)].map((work) =>
        work.then(() => null).catch((error) => error),
      ),
    );
    expect(errors.map((error) => error instanceof CannotDo)).toEqual([true, true]);
    return errors.map((error) => error.message);
  };
  const both = (message: string) => [message, message];

  test('no such folder', async () => {
    const junit = join(folder, 'none', 'a.xml');
    expect(await refusal({ junit })).toEqual(
      both(`--junit ${junit} cannot be written: its folder does not exist; make it first.`),
    );
  });
  test('a folder', async () => {
    const sarif = join(folder, 'sub');
    mkdirSync(sarif);
    expect(await refusal({ sarif })).toEqual(
      both(`--sarif ${sarif} cannot be written: it is a folder; name a file in it.`),
    );
  });
  test('below a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    const sarif = join(folder, 'file', 'a.sarif');
    expect(await refusal({ sarif })).toEqual(
      both(`--sarif ${sarif} cannot be written: its folder does not exist; make it first.`),
    );
  });
  test('one file for both', async () => {
    const [junit, sarif] = [join(folder, 'same'), join(folder, '.', 'same')];
    expect(await refusal({ junit, sarif })).toEqual(
      both(`--junit and --sarif both name ${junit}; give each a file of its own.`),
    );
  });
});
