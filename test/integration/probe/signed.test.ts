/** `loadline probe` as a user runs it: signed beside loadline.json, verified offline, and honest about what it left out. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ProbeResult } from '../../../shared/src/probe.ts';
import { containersLeft, loadline, projectFolder } from '../../support/loadline.ts';

const project = projectFolder({});
const keys = mkdtempSync(join(tmpdir(), 'loadline-keys-'));
const file = join(project.folder, 'probe.verdicts.jsonl');
const env = { XDG_CONFIG_HOME: keys };
const inProject = { cwd: project.folder, env };

afterAll(() => {
  project.remove();
  rmSync(keys, { recursive: true, force: true });
});

test('a probe is signed, and its file verified and judged again', async () => {
  const { code, stdout, stderr } = await loadline(['probe', '--json'], inProject);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ runtime: 'runc', verdict: 'qualified', verdictFile: file });
  expect(code).toBe(0);
  const verified = await loadline(['verify', '--json', file], inProject);
  expect(JSON.parse(verified.stdout)).toMatchObject({
    ...{ verified: true, kind: 'probe', lines: 1, verdict: 'qualified', sequence: 1, failures: [] },
  });
  expect(verified.code).toBe(0);
  const said = await loadline(['verify', file], inProject);
  expect(said.stdout).toContain(
    'probe.verdicts.jsonl: verified, 1 probe line about loadline.json; it says qualified (checkpoint 1)',
  );
  expect(await containersLeft()).toEqual([]);
});

test('without a compiler, what was not tried is no rule that holds', async () => {
  const before = readFileSync(file, 'utf8');
  const path = mkdtempSync(join(tmpdir(), 'loadline-path-'));
  symlinkSync(process.execPath, join(path, 'node'));
  const options = { cwd: project.folder, env: { ...env, PATH: path } };
  const { code, stdout, stderr } = await loadline(['probe', '--json', '--no-sign'], options);
  const result = JSON.parse(stdout) as ProbeResult;
  const open = result.rules.filter(({ held }) => !held);
  expect(result.verdict).toBe('partial');
  expect(open.map(({ id }) => id)).toEqual(['no_network', 'no_host']);
  const why = 'system calls were not tried: there is no gcc here (on Debian: apt-get install gcc libc6-dev)';
  expect(open.map(({ notTried }) => notTried[0])).toEqual([why, why]);
  expect(open[0]?.notTried[1]).toMatch(/^not tried: socket-unix, socket-tcp, /);
  expect(open[0]?.text).toBe('19 attempts: 19 refused; 11 more were not tried, so it is not shown.');
  expect(stderr).toBe(
    `loadline: not everything was tried, so no_network and no_host may not hold: ${why}.\n`,
  );
  expect(code).toBe(2);
  const said = await loadline(['probe', '--no-sign'], options);
  expect(said.stdout).toMatch(/^not shown {2}no_network /m);
  expect(said.stdout).toMatch(/^held {7}no_credential /m);
  expect(readFileSync(file, 'utf8')).toBe(before);
  rmSync(path, { recursive: true });
});

test('with --no-sign nothing is written', async () => {
  rmSync(file);
  const { code, stdout } = await loadline(['probe', '--json', '--no-sign'], inProject);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'qualified', verdictFile: null });
  expect(code).toBe(0);
  expect(existsSync(file)).toBe(false);
});
