/** The exam of authors from an editor: the paper, practice, and a folder of hand-ins that is graded and signed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifyText } from '../../../shared/src/evidence/verify.ts';
import { COMMANDS, type RunStarted, type TextAnswer } from '../../../shared/src/protocol.ts';
import { uriOf } from '../../support/lspClient.ts';
import { adapterText } from '../../support/runner.ts';
import { type Desk, ended, left, openDesk, outline, told } from './support.ts';

let desk: Desk;
beforeEach(() => {
  desk = openDesk('adapter-v3.js');
});
afterEach(() => desk.close());

test('the paper is text, and practice runs the one scenario that may be practised, unsigned', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const { text } = await editor.command<TextAnswer>(COMMANDS.examPaper, { uri });
  expect(text).toContain('createMission');
  expect(text).not.toContain('lost_answer');
  const { run } = await editor.command<RunStarted>(COMMANDS.examPractice, { uri });
  expect([(await ended(editor, run)).verdict, outline(told(editor, run))]).toEqual([
    'partial',
    ['queued', 'running', 'scenario nominal', 'scenario nominal qualified', 'ended partial'],
  ]);
  expect(existsSync(desk.verdicts)).toBe(false);
  expect(await left(editor)).toEqual([]);
});

test('hand-ins are graded into one signed line, and what became of each is told', async () => {
  const folder = join(dirname(desk.path), 'in');
  mkdirSync(join(folder, 'alice'), { recursive: true });
  writeFileSync(join(folder, 'alice/v1.js'), adapterText('adapter-v1.js'));
  writeFileSync(join(folder, 'bob.js'), adapterText('adapter-v3.js'));
  const editor = await desk.start();
  const { run } = await editor.command<RunStarted>(COMMANDS.examGrade, { uri: uriOf(folder), seeds: 1 });
  const { verdict, text = '' } = await ended(editor, run);
  const file = join(folder, 'exam.verdicts.jsonl');
  const [alice = '', bob, , signed] = text.split('\n');
  expect(alice).toMatch(
    /^✗ failed {2}alice: alice\/v1\.js, \d+ of 15 runs held \(.*one_order_per_command \dx/,
  );
  expect([verdict, bob, signed]).toEqual([
    'failed',
    '✓ held  bob: bob.js, 15 of 15 runs held',
    `Signed: ${file}`,
  ]);
  const read = await verifyText(readFileSync(file, 'utf8'));
  expect(read).toMatchObject({ verified: true, kind: 'exam', lines: 1, verdict: 'failed' });
  expect(await left(editor)).toEqual([]);
});

test('a folder without hand-ins, and counts that are none, are refused in a sentence', async () => {
  const editor = await desk.start();
  const folder = join(dirname(desk.path), 'empty');
  mkdirSync(folder);
  const grade = (params: object) =>
    editor.command<RunStarted>(COMMANDS.examGrade, { uri: uriOf(folder), ...params });
  await expect(grade({})).rejects.toThrow('holds no hand-in; put them there as <author>/<name>.js');
  await expect(grade({ seeds: 17 })).rejects.toThrow(
    'Hand-ins and seeds are whole numbers from 1; of seeds there are at most 16.',
  );
});
