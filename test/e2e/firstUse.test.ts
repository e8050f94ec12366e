/** A newcomer's way through a real editor: open, see the warnings, click a lens, find the broken rules, look at the run. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../package.json';
import { containersLeft, exampleFolder, root } from '../support/loadline.ts';
import { Workbench } from './support/workbench.ts';

const shots = join(root, 'test/e2e/.artifacts');
let bench: Workbench;
let page: Page;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  bench = await Workbench.open({
    folder: exampleFolder,
    vsix: [join(root, `loadline-${version}.vsix`)],
    env: { LOADLINE_SIGNING_KEY: join(root, '.cache', `e2e-key-${process.pid}.json`) },
  });
  page = bench.page;
  await page.waitForSelector('.explorer-folders-view .monaco-list-row', { timeout: 120_000 });
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'adapter-v1.js' }).dblclick();
  await page.waitForSelector('.codelens-decoration', { timeout: 120_000 });
});

afterAll(() => bench?.close());

async function command(name: string): Promise<void> {
  await page.keyboard.press('Control+Shift+P');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
}

/** The page of a view, which stands in two frames. */
function view() {
  return page.locator('iframe.webview.ready').last().contentFrame().frameLocator('iframe');
}

test('lenses say what can be run, and warnings stand before anything ran', async () => {
  const lenses = page.locator('.codelens-decoration');
  await expect.poll(() => lenses.first().textContent(), { timeout: 60_000 }).toContain('Qualify adapter');
  expect(await lenses.first().textContent()).toContain('Scenarios…');
  await page.waitForSelector('.squiggly-warning', { timeout: 60_000 });
  await page.screenshot({ path: join(shots, 'opened.png') });
});

test('a click on the lens qualifies the adapter and writes the signed file', async () => {
  await page.locator('.codelens-decoration a', { hasText: 'Qualify adapter' }).first().click();
  const lens = () => page.locator('.codelens-decoration').first().textContent();
  await expect.poll(lens, { timeout: 180_000 }).toContain('4/16 held');
  const file = join(bench.workspace, 'adapter-v1.verdicts.jsonl');
  await expect.poll(() => existsSync(file), { timeout: 60_000 }).toBe(true);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(17);
  expect(await containersLeft()).toEqual([]);
});

test('the problems name the rules at the calls that broke them', async () => {
  await page.keyboard.press('Control+Shift+M');
  const rows = page.locator('.markers-panel .monaco-list-row');
  const texts = () => rows.allInnerTexts().then((all) => all.join('\n'));
  await expect.poll(texts, { timeout: 60_000 }).toContain('rule/one_order_per_command');
  // The list is drawn anew with what comes after it.
  await expect.poll(texts, { timeout: 60_000 }).toContain('[Ln 34, Col 49]');
  await page.screenshot({ path: join(shots, 'problems.png') });
});

test('the replay draws the run and checks itself against the record', async () => {
  await command('Loadline: Open Replay');
  const floor = view().locator('.floor svg');
  await floor.waitFor({ timeout: 60_000 });
  expect(await view().locator('.robot').count()).toBe(3);
  expect(await view().locator('.check').textContent()).toMatch(
    /^Checked: the last picture is the vendor's record \(3 robots and \d orders/,
  );
  await page.screenshot({ path: join(shots, 'replay.png') });
});

test('the matrix has every scenario and the rules that broke', async () => {
  await command('Loadline: Open Matrix');
  const table = view().locator('table').first();
  await table.waitFor({ timeout: 60_000 });
  expect(await table.locator('caption').textContent()).toBe('adapter-v1.js');
  expect(await table.locator('tbody tr').count()).toBe(16);
  expect(await table.locator('td.broken').count()).toBeGreaterThan(12);
  await page.screenshot({ path: join(shots, 'matrix.png') });
});
