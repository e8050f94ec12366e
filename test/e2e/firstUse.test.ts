/** A first use: open an adapter, see what is known of it, qualify it, read what broke. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/loadline.ts';
import { goTo, keepScreenshot, lens, lensRows, openFile, problems, runCommand, settled, showProblems, suggestions, testRows, vsix } from './support/windows.ts';
import { Workbench } from './support/workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open({
    folder: exampleFolder,
    vsix: [vsix],
    settings: { 'problems.defaultViewMode': 'table' },
  });
  await settled(bench.page);
  await openFile(bench.page, 'adapter-v1.js');
});
afterAll(() => bench.close());

test('look', async () => {
  const { page } = bench;
  await lens(page, 'Qualify adapter').waitFor({ timeout: 60000 });
  console.log(JSON.stringify(await lensRows(page)));
  await goTo(page, 34, 60);
  await page.waitForTimeout(1000);
  console.log(JSON.stringify(await lensRows(page)));
  await showProblems(page);
  await page.waitForTimeout(1500);
  console.log(JSON.stringify(await problems(page), null, 1));
  await keepScreenshot(page, 'look-1');
  await goTo(page, 23, 1);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('fleet.');
  await page.waitForTimeout(2500);
  console.log(JSON.stringify(await suggestions(page)));
  await keepScreenshot(page, 'look-2');
  await page.keyboard.type('createZone();');
  await page.waitForTimeout(1500);
  await keepScreenshot(page, 'look-3');
  await page.keyboard.press('Escape');
  await goTo(page, 24, 14);
  await page.keyboard.press('Control+.');
  await page.waitForTimeout(2500);
  await keepScreenshot(page, 'look-4');
  console.log(await page.locator('.action-widget').innerText().catch((e) => String(e)));
  await page.keyboard.press('Escape');
  await runCommand(page, 'Show or Focus Hover');
  await page.waitForTimeout(1500);
  console.log(await page.locator('.monaco-hover:visible').allInnerTexts());
  await keepScreenshot(page, 'look-5');
  await page.keyboard.press('Escape');
  await runCommand(page, 'Testing: Focus on Test Explorer View');
  await page.waitForTimeout(1500);
  console.log(JSON.stringify(await testRows(page)));
  await keepScreenshot(page, 'look-6');
  expect(1).toBe(1);
});
