/**
 * The way of the README in a real editor: a squiggle, a run that fails at the right line, its replay, a fix, a signed
 * green verdict. Each step keeps its picture (`npm run screenshots` puts them into docs/images) and tells its time.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignedLine, VerdictStatement } from '../../shared/src/evidence/statement.ts';
import { containersLeft, exampleFolder, root } from '../support/loadline.ts';
import {
  eventually,
  goTo,
  hoverText,
  lens,
  openFile,
  problems,
  quickFixes,
  runCommand,
  save,
  settled,
  showProblems,
  showTab,
  testRows,
  textOfLine,
  viewFrame,
  vsix,
} from './support/windows.ts';
import { Workbench } from './support/workbench.ts';

const CALL = { line: 34, column: 49 };
const ADAPTER = 'adapter-v1.js';
const PICTURES = join(root, 'test/e2e/.artifacts/tour');
const RUN_MS = 120_000;

let bench: Workbench;
let page: Page;
let since = performance.now();
const complaints: string[] = [];

/** Keeps the picture of a step that is over. */
async function step(name: string): Promise<void> {
  const took = performance.now() - since;
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  console.info(`${name}: ${(took / 1000).toFixed(1)} s`);
  since = performance.now();
}

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  bench = await Workbench.open({
    folder: exampleFolder,
    vsix: [vsix],
    settings: { 'problems.defaultViewMode': 'table', 'window.title': 'Loadline' },
  });
  page = bench.page;
  page.on('pageerror', (error) => complaints.push(error.message));
  await settled(page);
});
afterAll(() => bench?.close());

test('a red squiggle says why before anything runs', async () => {
  since = performance.now();
  await openFile(page, ADAPTER);
  await page.locator('.squiggly-warning').first().waitFor({ timeout: 60_000 });
  await goTo(page, CALL.line, CALL.column);
  expect((await hoverText(page)).join('\n')).toContain('the repeat carries no command_id');
  await runCommand(page, 'Show or Focus Hover');
  await page.locator('.monaco-hover:visible').first().waitFor();
  await step('1-squiggle');
  await page.keyboard.press('Escape');
});

test('one scenario fails at the call that caused it', async () => {
  await lens(page, 'lost_answer').click();
  await lens(page, '✗ failed lost_answer').waitFor({ timeout: RUN_MS });
  await showProblems(page);
  const broken = async () =>
    (await problems(page))
      .filter(({ code }) => code === 'rule/one_order_per_command')
      .map(({ place }) => place);
  await eventually(broken, [`${ADAPTER}:${CALL.line}:${CALL.column}`]);
  expect(await containersLeft()).toEqual([]);
  await step('2-failed');
  await page.keyboard.press('Control+J');
  await page.locator('.markers-panel').waitFor({ state: 'hidden' });
});

test('the replay shows two orders for one command', async () => {
  await runCommand(page, 'Loadline: Open Replay');
  const frame = await viewFrame(page, '.floor svg');
  expect(await frame.locator('.robot').count()).toBe(3);
  await frame.getByRole('button', { name: 'Last row (End)' }).click();
  expect(await frame.locator('.check').textContent()).toContain('Checked: the last picture is the vendor');
  await step('3-replay');
});

test('the quick fix names the order, and the same scenario holds', async () => {
  await showTab(page, ADAPTER);
  await goTo(page, CALL.line, CALL.column);
  expect((await quickFixes(page))[0]).toContain('command_id');
  await page.keyboard.press('Enter');
  await eventually(async () => (await textOfLine(page, CALL.line)).includes('command_id: commandId'), true);
  await lens(page, '✗ stale lost_answer').waitFor();
  await save(page);
  await lens(page, 'lost_answer').click();
  await lens(page, '✓ held lost_answer').waitFor({ timeout: RUN_MS });
  await step('4-fixed');
});

test('the verdict is signed beside the adapter, and reads as a table', async () => {
  const file = join(bench.workspace, 'adapter-v1.verdicts.jsonl');
  await eventually(async () => existsSync(file), true);
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  const { predicate } = (JSON.parse(line) as SignedLine<VerdictStatement>).statement;
  expect([predicate.inputs.scenario, predicate.outcome.verdict]).toEqual(['lost_answer', 'qualified']);
  expect(
    predicate.evidence.record.orders.filter(({ credential }) => credential === 1).length,
  ).toBeGreaterThan(0);
  await openFile(page, 'adapter-v1.verdicts.jsonl');
  await runCommand(page, 'Loadline: Open as Verdicts');
  const frame = await viewFrame(page, 'tbody tr');
  expect(await frame.locator('tbody tr').first().textContent()).toContain('lost_answer');
  await step('5-signed');
});

test('the matrix and the Test Explorer list all of it', async () => {
  await runCommand(page, 'Loadline: Open Matrix');
  await viewFrame(page, '#search');
  await step('6-matrix');
  await runCommand(page, 'Testing: Focus on Test Explorer View');
  await eventually(async () => (await testRows(page)).some((row) => row.startsWith(ADAPTER)), true);
  await showTab(page, ADAPTER);
  await step('7-tests');
  expect(complaints).toEqual([]);
});
