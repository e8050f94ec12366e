/** The two views in dark, light and high contrast: the same roles, names and counts in each, and a screenshot for people. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/loadline.ts';
import { keepScreenshot, lens, openFile, runCommand, settled, viewFrame, vsix } from './support/windows.ts';
import { Workbench } from './support/workbench.ts';

/** Each with the class that the workbench has in it. */
const THEMES = [
  ['dark', 'Default Dark Modern', 'vs-dark'],
  ['light', 'Default Light Modern', 'vs'],
  ['high-contrast', 'Default High Contrast', 'hc-black'],
] as const;

let bench: Workbench;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  bench = await Workbench.open({ folder: exampleFolder, vsix: [vsix] });
  page = bench.page;
  page.on('pageerror', (error) => complaints.push(error.message));
  await settled(page);
  await openFile(page, 'adapter-v1.js');
  await lens(page, 'nominal').waitFor({ timeout: 60_000 });
  await lens(page, 'nominal').click();
  await lens(page, 'held nominal').waitFor({ timeout: 120_000 });
});
afterAll(() => bench?.close());

async function inTheme(theme: string, marked: string): Promise<void> {
  mkdirSync(join(bench.workspace, '.vscode'), { recursive: true });
  writeFileSync(
    join(bench.workspace, '.vscode/settings.json'),
    JSON.stringify({ 'workbench.colorTheme': theme }),
  );
  await page.locator(`.monaco-workbench.${marked}`).first().waitFor({ timeout: 60_000 });
}

/** Roles and names of the page, and which of its colours a person could not tell from the ground. */
async function drawn(frame: Frame): Promise<{ structure: string; unreadable: string[] }> {
  const structure = await frame.locator('body').ariaSnapshot();
  const unreadable = await frame.locator('body').evaluate((body) =>
    [...body.querySelectorAll('button, select, td, th, h1, h2, p, svg text')]
      .filter((each) => (each.textContent ?? '') !== '')
      .filter((each) => {
        const style = getComputedStyle(each);
        const ink = each instanceof SVGElement ? style.fill : style.color;
        return ink === style.backgroundColor || ink === 'rgba(0, 0, 0, 0)';
      })
      .map((each) => each.textContent ?? ''),
  );
  return { structure, unreadable };
}

/** Draws the view in each theme; all must say the same. */
async function inEveryTheme(name: string, frame: Frame): Promise<string> {
  const structures: string[] = [];
  for (const [short, theme, marked] of THEMES) {
    await inTheme(theme, marked);
    await frame.locator(`body[class*="vscode-${short}"]`).waitFor({ timeout: 60_000 });
    const { structure, unreadable } = await drawn(frame);
    expect(unreadable).toEqual([]);
    structures.push(structure);
    await keepScreenshot(page, `${name}-${short}`);
  }
  expect(new Set(structures).size).toBe(1);
  return structures[0] ?? '';
}

const COUNTED =
  /^\s*- '?(combobox|img|list|listitem|status|toolbar|searchbox|table|caption|rowheader|columnheader|button)\b/;

/** How often each role that a reader goes by is there. */
function countsOf(structure: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of structure.split('\n')) {
    const role = COUNTED.exec(line)?.[1];
    if (role !== undefined) counts[role] = (counts[role] ?? 0) + 1;
  }
  return counts;
}

/** Names of the buttons, pickers and sliders, in order. */
const controlsIn = (structure: string): string[] =>
  [...structure.matchAll(/^\s*- (?:button|combobox|slider) "([^"]*)"/gm)].map(([, name = '']) => name);

const CONTROLS = [
  'Adapter',
  'Scenario',
  'Open ledger',
  'First row (Home)',
  'One row back (Left)',
  'Play (Space)',
  'One row on (Right)',
  'Last row (End)',
  'Ledger row',
  'Speed',
  'Show a second run beside it',
];

test('the replay says the same in every theme', async () => {
  await runCommand(page, 'Loadline: Open Replay');
  const frame = await viewFrame(page, '.floor svg');
  const structure = await inEveryTheme('replay', frame);
  expect(await frame.locator('.robot').count()).toBe(3);
  expect(controlsIn(structure)).toEqual(CONTROLS);
  expect(countsOf(structure)).toEqual({
    button: 7,
    combobox: 3,
    // The floor, and the run over its time.
    img: 2,
    list: 2,
    listitem: 81,
    status: 1,
    toolbar: 1,
  });
  expect(structure).toContain('paragraph: ✓ held every rule (signed). Nothing unusual happens.');
});

test('the matrix says the same in every theme', async () => {
  await runCommand(page, 'Loadline: Open Matrix');
  const frame = await viewFrame(page, '#search');
  const structure = await inEveryTheme('matrix', frame);
  expect(structure).toContain('status: 21 adapters, 1 of 336 runs held every rule, 0 failed.');
  const perTable = { caption: 21, rowheader: 336, button: 336, columnheader: 71 };
  expect(countsOf(structure)).toEqual({ searchbox: 1, combobox: 1, status: 1, table: 21, ...perTable });
  expect(complaints).toEqual([]);
});
