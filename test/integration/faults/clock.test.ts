/**
 * A clock that is set back, between qualifications and within one. What is built is run with a wall clock of the test's
 * own in front of each process; time that only goes forwards is left alone, as a machine leaves it.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { QualifyResult } from '../../../shared/src/results.ts';
import { root } from '../../support/loadline.ts';
import { statementsOf } from '../evidence/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-clock-'));
const offset = join(folder, 'offset');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The built programs, each of which looks up how far its clock is off, ms, whenever it asks for the time. */
function withClock(): string {
  const dist = join(folder, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const clock = `{
    const { readFileSync } = require('node:fs'), Real = Date;
    const now = () => Real.now() + Number(readFileSync(${JSON.stringify(offset)}, 'utf8'));
    globalThis.Date = class extends Real {
      constructor(...values) { if (values.length === 0) super(now()); else super(...values); }
      static now() { return now(); }
    };
  }\n`;
  for (const name of ['cli.js', 'runner.js', 'signer.js']) {
    const text = readFileSync(join(dist, name), 'utf8').replace(/^#!.*\n/, '');
    writeFileSync(join(dist, name), clock + text);
  }
  return join(dist, 'cli.js');
}

function setClock(ms: number): void {
  // In place: a reader sees the old number or the new one, which are as long.
  writeFileSync(offset, String(ms).padStart(12));
}

const HOUR = 3_600_000;

test('a clock set back loses nothing: every run counts, credentials hold, the sequence goes on', async () => {
  setClock(0);
  const cli = withClock();
  const project = join(folder, 'project');
  cpSync(join(root, 'examples/fleet'), project, { recursive: true });
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), LOADLINE_SIGNING_KEY: '' };
  const verdicts = join(project, 'adapter-v3.verdicts.jsonl');
  rmSync(verdicts, { force: true });
  const loadline = (...args: string[]) =>
    new Promise<{ code: unknown; stdout: string }>((resolve) => {
      const options = { cwd: project, env: { ...process.env, ...env } };
      execFile(process.execPath, [cli, ...args], options, (error, stdout) =>
        resolve({ code: error?.code ?? 0, stdout }),
      );
    });
  const qualify = async (scenario: string, clock: string) => {
    const args = ['--json', '--jobs', '1', '--clock', clock, '--scenario', scenario, 'adapter-v3.js'];
    const { code, stdout } = await loadline('qualify', ...args);
    const { adapters }: QualifyResult = JSON.parse(stdout);
    return [code, adapters[0]?.runs.map(({ verdict }) => verdict)];
  };
  const checkpoint = () => statementsOf(verdicts).at(-1).predicate;

  expect(await qualify('nominal', 'virtual')).toEqual([0, ['qualified']]);
  const [first] = statementsOf(verdicts);
  setClock(-HOUR);
  expect(await qualify('overload', 'virtual')).toEqual([0, ['qualified']]);
  const lines = statementsOf(verdicts);
  expect(lines[0]).toEqual(first);
  expect(Date.parse(lines[1].predicate.run.endedAt)).toBeLessThan(Date.parse(first.predicate.run.startedAt));
  expect([checkpoint().sequence, checkpoint().history]).toEqual([2, { runs: 2, failures: 0 }]);

  // Within a run, on the real clock: what the vendor checks of the credential is the time of that same run.
  setClock(0);
  let back = 0;
  const timer = setInterval(() => setClock(-HOUR * (back++ % 5)), 20);
  const third = await qualify('nominal', 'real').finally(() => clearInterval(timer));
  expect(third).toEqual([0, ['qualified']]);
  const [real] = statementsOf(verdicts);
  expect(real.predicate.evidence.trace.map(({ status }: { status: number }) => status)).not.toContain(401);
  // Another clock is another environment: the file starts anew, the count does not.
  expect([checkpoint().sequence, checkpoint().history]).toEqual([3, { runs: 3, failures: 0 }]);
  expect((await loadline('verify', '--partial', verdicts)).code).toBe(0);
});
