/** What a person does in a workbench window and reads from it, by the texts that are on the screen. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { version } from '../../../package.json';
import { root } from '../../support/loadline.ts';

/** The package under test: `npm run package` makes it. */
export const vsix = join(root, `loadline-${version}.vsix`);

/** Screenshots of every view are kept here, for people; git ignores them. */
const ARTIFACTS = join(root, 'test/e2e/.artifacts');

const PATIENT = { timeout: 60_000 };

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}

/** Reads until it is so: screens follow what happens, they do not wait for it. */
export async function eventually<Value>(
  read: () => Promise<Value>,
  wanted: Value,
  ms = 60_000,
): Promise<void> {
  await expect.poll(read, { timeout: ms, interval: 150 }).toEqual(wanted);
}

/** Waits until the workbench shows the folder. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor(PATIENT);
}

const input = (page: Page): Locator => page.locator('.quick-input-widget .quick-input-box input:visible');

/** Picks the entry of the quick input whose label is `label` after typing `text` into it. */
async function pick(page: Page, text: string, label: string): Promise<void> {
  await input(page).waitFor(PATIENT);
  await input(page).fill(text);
  const row = page.locator('.quick-input-list .monaco-list-row').filter({
    has: page.locator('.label-name', { hasText: new RegExp(`^${escaped(label)}$`) }),
  });
  await row.first().click(PATIENT);
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

export async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  await pick(page, name, name.split('/').at(-1) ?? name);
  await page.locator('.tab.active', { hasText: name.split('/').at(-1) ?? name }).waitFor(PATIENT);
}

/** Brings the tab of a file that is open to the front: from a view, keys go to its page first. */
export async function showTab(page: Page, name: string): Promise<void> {
  await page.locator('.tab', { hasText: name }).first().click(PATIENT);
  await page.locator('.tab.active', { hasText: name }).waitFor(PATIENT);
}

/** Saves the file in front, and waits until the editor says that it is on disk. */
export async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+S');
  await eventually(() => page.locator('.tab.active.dirty').count(), 0);
}

/** Runs a command of the palette by its whole title. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await pick(page, `>${title}`, title);
}

/** Puts the cursor there; both count from 1. */
export async function goTo(page: Page, line: number, column = 1): Promise<void> {
  await page.keyboard.press('Control+G');
  await input(page).waitFor(PATIENT);
  await input(page).fill(`:${line}:${column}`);
  await page.keyboard.press('Enter');
  await eventually(() => position(page), `Ln ${line}, Col ${column}`);
}

const position = async (page: Page): Promise<string> =>
  ((await page.locator('#status\\.editor\\.selection').textContent()) ?? '').trim();

/** Rows of lenses on the screen, from top to bottom, each as it reads. */
export async function lensRows(page: Page): Promise<string[]> {
  const rows = await page.locator('.codelens-decoration').evaluateAll((found) =>
    found
      .map((row) => ({ top: row.getBoundingClientRect().top, text: row.textContent ?? '' }))
      .filter(({ text }) => text !== '')
      .sort((one, other) => one.top - other.top)
      .map(({ text }) => text),
  );
  return rows.map(plain);
}

export function lens(page: Page, title: string): Locator {
  return page.locator('.codelens-decoration a', { hasText: title }).first();
}

export interface Shown {
  code: string;
  message: string;
  /** `adapter.js:34:49`. */
  place: string;
}

/** The Problems panel as a table (setting `problems.defaultViewMode`), of all files, by place. */
export async function problems(page: Page): Promise<Shown[]> {
  const rows = page.locator('.markers-panel .monaco-table .monaco-list-row');
  const cells = await rows.evaluateAll((found) =>
    found.map((row) => [...row.querySelectorAll('.monaco-table-td')].map((cell) => cell.textContent ?? '')),
  );
  return cells.map((each) => shownOf(each.map(plain)));
}

function shownOf([, code = '', message = '', place = '', source = '']: string[]): Shown {
  const [, file = '', line = '', column = ''] = /^(.*?) ?\[Ln (\d+), Col (\d+)\]$/.exec(place) ?? [];
  return {
    code: code.replace(source, '').replace(/^\((.*)\)$/, '$1'),
    message,
    place: `${file}:${line}:${column}`,
  };
}

export const showProblems = (page: Page): Promise<void> =>
  focusPanel(page, 'Control+Shift+M', '.markers-panel');

async function focusPanel(page: Page, keys: string, selector: string): Promise<void> {
  if (await page.locator(selector).isVisible()) return;
  await page.keyboard.press(keys);
  await page.locator(selector).waitFor(PATIENT);
}

/** The suggestions on the screen from top to bottom, as a screen reader tells them: `listRobots, Method`. */
export async function suggestions(page: Page): Promise<string[]> {
  return page
    .locator('.suggest-widget.visible .monaco-list-row')
    .evaluateAll((rows) =>
      rows
        .sort((one, other) => Number(one.dataset.index) - Number(other.dataset.index))
        .map((row) => row.getAttribute('aria-label') ?? ''),
    );
}

/** What the hover at the cursor says, line by line. */
export async function hoverText(page: Page): Promise<string[]> {
  await runCommand(page, 'Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible .monaco-hover-content').first();
  await hover.waitFor(PATIENT);
  const text = await hover.innerText();
  await page.keyboard.press('Escape');
  return text
    .split('\n')
    .map(plain)
    .filter((line) => line !== '');
}

/** Opens the quick fixes at the cursor and gives their titles; Enter takes the first. */
export async function quickFixes(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+.');
  const rows = page.locator('.action-widget .monaco-list-row.action');
  await rows.first().waitFor(PATIENT);
  return (await rows.allInnerTexts()).map(plain);
}

/** A line of the editor in front, as it is on the screen. */
export async function textOfLine(page: Page, line: number): Promise<string> {
  await goTo(page, line);
  return page.evaluate((number) => {
    const margin = [...document.querySelectorAll('.margin-view-overlays .line-numbers')].find(
      (each) => each.textContent === String(number),
    );
    const top = margin?.getBoundingClientRect().top;
    const found = [...document.querySelectorAll('.view-lines .view-line')].find(
      (each) => each.getBoundingClientRect().top === top,
    );
    return (found?.textContent ?? '').replaceAll('\u00a0', ' ');
  }, line);
}

/** Rows of the Test Explorer with their states: `lost_answer: failed`. */
export function testRows(page: Page): Promise<string[]> {
  return page.locator('.test-explorer .monaco-list-row').evaluateAll((rows) =>
    rows
      .sort((one, other) => Number(one.dataset.index) - Number(other.dataset.index))
      .map((row) => {
        const label = row.querySelector('.label')?.firstChild?.textContent ?? '';
        const state = /\(([^()]*)\)(, in .*)?$/.exec(row.getAttribute('aria-label') ?? '')?.[1] ?? '';
        return `${label.trim()}: ${state.toLowerCase()}`;
      }),
  );
}

/** Texts and buttons of the toasts. */
export function toasts(page: Page): Promise<{ text: string; buttons: string[] }[]> {
  return page.locator('.notifications-toasts .notification-list-item').evaluateAll((found) =>
    found.map((toast) => ({
      text: toast.querySelector('.notification-list-item-message')?.textContent ?? '',
      buttons: [...toast.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
        (button) => button.textContent ?? '',
      ),
    })),
  );
}

/** The inner frame of our own view. */
export async function viewFrame(page: Page, selector: string): Promise<Frame> {
  let found: Frame | undefined;
  await eventually(async () => {
    for (const frame of page.frames()) {
      if (frame.isDetached() || !frame.url().includes('fake.html')) continue;
      if (
        (await frame
          .locator(selector)
          .count()
          .catch(() => 0)) > 0
      )
        found = frame;
    }
    return found !== undefined;
  }, true);
  if (found === undefined) throw new Error(`No view shows ${selector}.`);
  return found;
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
