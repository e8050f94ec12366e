/** `loadline exam` as its users run it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonical } from '../../../shared/src/evidence/canonical.ts';
import { verifyText } from '../../../shared/src/evidence/verify.ts';
import type { Json } from '../../../shared/src/json.ts';
import { exampleFolder, loadline, projectFolder } from '../../support/loadline.ts';
import { changesOf } from '../../support/tamper.ts';

const project = projectFolder({});
const keys = mkdtempSync(join(tmpdir(), 'loadline-keys-'));
const options = { cwd: project.folder, env: { XDG_CONFIG_HOME: keys } };
const file = join(project.folder, 'in/exam.verdicts.jsonl');

beforeAll(() => {
  mkdirSync(join(project.folder, 'in/alice'), { recursive: true });
  const put = (from: string, to: string) => cpSync(join(exampleFolder, from), join(project.folder, 'in', to));
  put('adapter-v1.js', 'alice/v1.js');
  put('adapter-v1.js', 'alice/v2.js');
  put('adapter-v2.js', 'bob.js');
  put('adapter-v3.js', 'carol.js');
});

afterAll(() => {
  project.remove();
  rmSync(keys, { recursive: true, force: true });
});

test('hand-ins are graded into one signed line, each author within the limit', async () => {
  const { code, stdout } = await loadline(
    ['exam', 'grade', 'in', '--seeds', '1', '--hand-ins', '1', '--json'],
    options,
  );
  const { handIns, refused } = JSON.parse(stdout);
  expect(handIns.map(({ file: name, verdict }: Record<string, string>) => [name, verdict])).toEqual([
    ['alice/v1.js', 'failed'],
    ['bob.js', 'failed'],
    ['carol.js', 'qualified'],
  ]);
  expect(refused).toEqual([{ file: 'alice/v2.js', why: 'limit' }]);
  expect(code).toBe(1);
  const text = readFileSync(file, 'utf8');
  expect(await verifyText(text)).toMatchObject({ verified: true, kind: 'exam', lines: 1, verdict: 'failed' });
  const line = JSON.parse(text.slice(0, text.indexOf('\n'))) as Json;
  for (const { what, apply } of changesOf(line)) {
    const { failures } = await verifyText(`${canonical(apply())}\n`, { line: 1 });
    if (failures.length === 0) throw new Error(`${what}: no failure`);
  }
}, 120_000);
