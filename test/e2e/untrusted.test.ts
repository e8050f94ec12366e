/** A window that is not trusted: types, grants and warnings are told; nothing is run, written or connected to. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/loadline.ts';
import { bundlesOf, pidsOf, startedBy } from './support/left.ts';
import {
  eventually,
  goTo,
  hoverText,
  keepScreenshot,
  openFile,
  problems,
  runCommand,
  settled,
  showProblems,
  suggestions,
  testRows,
  vsix,
} from './support/windows.ts';
import { Workbench } from './support/workbench.ts';

const home = mkdtempSync(join(tmpdir(), 'loadline-untrusted-'));
const key = join(home, 'key.jwk');
/** In the engine's place: it only counts who comes. */
const engine = createServer((socket) => {
  visitors += 1;
  socket.destroy();
});
let visitors = 0;
let bench: Workbench;
let page: Page;

beforeAll(async () => {
  const socket = join(home, 'engine.sock');
  engine.listen(socket);
  bench = await Workbench.open({
    folder: exampleFolder,
    vsix: [vsix],
    trusted: false,
    settings: { 'problems.defaultViewMode': 'table', 'loadline.docker.hosts': [`unix://${socket}`] },
    env: { LOADLINE_SIGNING_KEY: key },
  });
  page = bench.page;
  await settled(page);
  await openFile(page, 'adapter-v1.js');
});
afterAll(async () => {
  await bench?.close();
  engine.close();
  rmSync(home, { recursive: true, force: true });
});

/** Name and content of every file of the folder. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ name, parentPath }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

test('warnings, hover and completion are there', async () => {
  await showProblems(page);
  await eventually(
    async () => (await problems(page)).map(({ code, place }) => `${code} ${place}`),
    ['retry-without-identity adapter-v1.js:34:43', 'refusal-from-doubt adapter-v1.js:38:44'],
  );
  await goTo(page, 34, 62);
  await eventually(async () => (await hoverText(page)).includes('Granted by POST /robots/*/missions'), true);
  await goTo(page, 23);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('fleet.');
  await eventually(
    async () => (await suggestions(page)).slice(0, 3),
    ['health, Method', 'listRobots, Method', 'getRobot, Method'],
  );
  await keepScreenshot(page, 'untrusted');
  await page.keyboard.press('Escape');
  await runCommand(page, 'File: Revert File');
});

test('nothing runs, nothing is written, no engine is asked', async () => {
  await runCommand(page, 'Testing: Focus on Test Explorer View');
  await page.locator('.test-explorer .monaco-list-row', { hasText: 'adapter-v1.js' }).waitFor();
  await runCommand(page, 'Test: Run All Tests');
  const question = page.locator('.monaco-dialog-box');
  await question.waitFor();
  expect(await question.textContent()).toContain('Do you trust the authors of the files in this folder?');
  await keepScreenshot(page, 'untrusted-run');
  await question.locator('.monaco-button', { hasText: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  await eventually(async () => (await testRows(page))[0], 'adapter-v1.js: not yet run');
  expect(bundlesOf(bench.pid)).toEqual(['server']);
  const [server = 0] = pidsOf(bench.pid, 'server');
  expect(startedBy(server)).toEqual([]);
  expect(visitors).toBe(0);
  expect(existsSync(key)).toBe(false);
  expect(contentOf(bench.workspace)).toEqual(contentOf(exampleFolder));
});
