/** The readable view of a verdict file in a real editor: rows and states, a changed byte, a key that is trusted. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../package.json';
import { sha256 } from '../../shared/src/evidence/digest.ts';
import type { SigningKey } from '../../shared/src/evidence/jws.ts';
import { exampleFolder, root } from '../support/loadline.ts';
import { evidenceOf, fileOf, newKey, sealed, statementOf, verdictLine } from '../support/verdictFiles.ts';
import { right } from '../unit/fleet/behaviours.ts';
import { but, create } from '../unit/fleet/wrong.ts';
import { Workbench } from './support/workbench.ts';

const NAME = 'adapter-v3.verdicts.jsonl';
const OPEN = '.editor-actions a[aria-label^="Open as Verdicts"]';
const shots = join(root, 'test/e2e/.artifacts');
let folder: string;
let bench: Workbench;
let page: Page;
let key: SigningKey;
let text: string;

beforeAll(async () => {
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'loadline-verdicts-'));
  cpSync(exampleFolder, folder, { recursive: true });
  key = await newKey();
  text = await signedFile();
  writeFileSync(join(folder, NAME), text);
  bench = await Workbench.open({ folder, vsix: [join(root, `loadline-${version}.vsix`)] });
  page = bench.page;
});

afterAll(async () => {
  await bench?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Two runs of the example adapter under its own document, grant and loadline.json, and their checkpoint. */
async function signedFile(): Promise<string> {
  const adapter = readFileSync(join(folder, 'adapter-v3.js'), 'utf8');
  const digest = async (name: string) => sha256(new Uint8Array(readFileSync(join(folder, name))));
  const inputs = {
    document: await digest('vendor.openapi.yaml'),
    grant: await digest('fleet.grant'),
    config: await digest('loadline.json'),
  };
  const line = async (scenario: string, behaviour: ReturnType<typeof right>) => {
    const statement = await statementOf(await evidenceOf(scenario, behaviour, adapter), key, adapter);
    Object.assign(statement.subject[0], { name: 'adapter-v3.js' });
    Object.assign(statement.predicate.inputs, inputs);
    return verdictLine(statement, key);
  };
  const twice = but(() => ({
    async dispatch(rig, robot, target, command) {
      await create(rig, robot, { target }, 40);
      return create(rig, robot, { target, command_id: command }, 41);
    },
  }));
  const lines = [await line('nominal', right()), await line('lost_answer', twice)];
  return fileOf([...lines, await sealed(lines, key)]);
}

/** The page of the view, which stands in two frames. */
function view() {
  return page.locator('iframe.webview.ready').last().contentFrame().frameLocator('iframe');
}

/** Line and state of each row, and the facts below it. */
async function rows(): Promise<string[]> {
  const found = await view().locator('tbody tr').all();
  return Promise.all(
    found.map(async (row) => {
      const facts = await row.locator('.state > .fact').allInnerTexts();
      const label = await row.locator('.state > strong').textContent();
      return [`${await row.locator('th').textContent()} ${label}`, ...facts].join(' | ');
    }),
  );
}

const VALID = ['1 ✓ valid', '2 ✓ valid', '3 ✓ valid'];
const save = (content: string) => writeFileSync(join(bench.workspace, NAME), content);

test('the text opens first; a button in its title opens the view, which names the stranger', async () => {
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: NAME });
  await row.waitFor({ timeout: 120_000 });
  // A list that is still being filled loses a click.
  const open = async () => {
    await row.dblclick();
    return page.locator(OPEN).count();
  };
  await expect.poll(open, { timeout: 120_000, interval: 2_000 }).toBe(1);
  expect(await page.locator('iframe.webview').count()).toBe(0);
  await page.locator(OPEN).click();
  await view().locator('table').waitFor({ timeout: 60_000 });
  expect(await rows()).toEqual(['1 ? untrusted', '2 ? untrusted', '3 ? untrusted']);
  expect(await view().locator('.keys code').textContent()).toBe(key.kid);
  expect(await view().locator('tbody button', { hasText: 'Show ledger' }).count()).toBe(0);
});

test('a key is trusted after all of its fingerprint was shown, in the settings of the person', async () => {
  await view().locator('button', { hasText: 'Trust this key' }).click();
  const dialog = page.locator('.monaco-dialog-box');
  expect(await dialog.textContent()).toContain(`Trust the key ${key.kid}?`);
  await dialog.locator('.monaco-button', { hasText: 'Trust This Key' }).click();
  await expect.poll(rows, { timeout: 60_000 }).toEqual(VALID);
  const cells = view().locator('tbody tr').nth(1).locator('td');
  expect(await cells.nth(2).textContent()).toBe('failed');
  expect(await cells.nth(3).locator('p').allInnerTexts()).toEqual([
    'one_order_per_command',
    'ended_as_it_should',
  ]);
  expect(await cells.nth(5).textContent()).toContain('a key that you trust');
  const { keys } = JSON.parse(readFileSync(String(bench.machineSettings()['loadline.trustedKeys']), 'utf8'));
  expect(keys).toEqual([{ ...key.publicKey, kid: key.kid }]);
  expect(existsSync(join(bench.workspace, '.vscode'))).toBe(false);
});

test('one changed byte is refused with its kind, at once, and undone it is valid again', async () => {
  const at = text.indexOf('"verdict":"failed"');
  save(`${text.slice(0, at)}"verdict":"qualified"${text.slice(at + '"verdict":"failed"'.length)}`);
  await expect
    .poll(rows, { timeout: 60_000 })
    .toEqual([
      '1 ✓ valid',
      '2 ✗ forged | signature: The signature does not belong to this statement and key.',
      '3 ✗ not whole',
    ]);
  expect(await view().locator('.summary.wrong').textContent()).toMatch(/^NOT verified: line 2, signature: /);
  save(`${'{'.repeat(2_000)}\n\u0007\u202e<img src=x onerror=alert(1)>\n`);
  await expect
    .poll(rows, { timeout: 60_000 })
    .toEqual([
      '1 ✗ damaged | form: The line is nested more than 96 deep.',
      '2 ✗ damaged | form: The line is not JSON.',
    ]);
  save(text);
  await expect.poll(rows, { timeout: 60_000 }).toEqual(VALID);
});

test('an adapter that changed makes every row stale, until the change is undone', async () => {
  const adapter = join(bench.workspace, 'adapter-v3.js');
  const before = readFileSync(adapter, 'utf8');
  writeFileSync(adapter, `${before}// changed\n`);
  const fact = 'stale: the adapter changed since';
  await expect
    .poll(rows, { timeout: 60_000 })
    .toEqual([`1 ○ stale | ${fact}`, `2 ○ stale | ${fact}`, `3 ○ stale | ${fact}`]);
  writeFileSync(adapter, before);
  await expect.poll(rows, { timeout: 60_000 }).toEqual(VALID);
});

test('it reads as a table by its roles', async () => {
  expect(await view().getByRole('columnheader').allInnerTexts()).toEqual([
    'Line',
    'State',
    'What ran',
    'Verdict',
    'Rules broken',
    'When (as stated)',
    'Signer',
    'Do',
  ]);
  expect(await view().getByRole('rowheader').count()).toBe(3);
  expect(await view().getByRole('button', { name: 'Show the ledger of lost_answer' }).count()).toBe(1);
  await page.screenshot({ path: join(shots, 'verdicts.png') });
});

test('a row leads to the ledger of exactly that run', async () => {
  const open = view().getByRole('button', { name: 'Show the ledger of lost_answer' });
  await open.focus();
  await page.keyboard.press('Enter');
  const lines = page.locator('.view-lines');
  await expect.poll(() => lines.last().textContent(), { timeout: 60_000 }).toMatch(/Ledger\sof\slost_answer/);
});
