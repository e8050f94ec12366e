/** What a feature sees of a file: its kind, its project, its settings, as of one moment. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../shared/src/settings.ts';
import { Desk } from './support.ts';

let desk: Desk;
beforeEach(() => {
  desk = new Desk({ severity: { 'not-granted': 'hint' }, jobs: 'many' });
});
afterEach(() => desk.dispose());

test.each([
  ['adapter.js', 'javascript', 'adapter'],
  ['broken/adapter-x.js', 'javascript', 'adapter'],
  ['helper.js', 'javascript', 'other'],
  ['loadline.json', 'json', 'config'],
  ['fleet.grant', 'loadline-grant', 'grant'],
  ['other.grant', 'loadline-grant', 'grant'],
  ['vendor.openapi.yaml', 'yaml', 'document'],
  ['other.yaml', 'yaml', 'other'],
  ['adapter.verdicts.jsonl', 'jsonl', 'verdicts'],
] as const)('%s is of the kind %3$s', async (name, language, kind) => {
  const context = await desk.workspace.context(
    desk.open(name, (await desk.workspace.projectOf(desk.folder))?.textOf(name)?.getText() ?? '', language),
  );
  expect([context?.kind, context?.path]).toEqual([kind, name]);
});

test('a file that is not open, and one of another scheme, have no context', async () => {
  expect(await desk.workspace.context(`file://${desk.folder}/adapter.js`)).toBe(null);
  expect(await desk.workspace.context('git:/adapter.js')).toBe(null);
});

test('settings are those of the file, with defaults for what is wrong', async () => {
  const context = await desk.workspace.context(desk.open('adapter.js', ''));
  expect(context?.settings).toEqual({ ...DEFAULT_SETTINGS, severity: { 'not-granted': 'hint' } });
});

test('a snapshot stays as it was when its files change; the next context has a new one', async () => {
  const adapter = desk.open('adapter.js', '');
  const before = await desk.workspace.context(adapter);
  const grant = desk.open('fleet.grant', 'GET /robots\n', 'loadline-grant');
  const routes = before?.view?.project.grant?.routes.length;
  const project = before?.view?.project;
  await desk.workspace.noteChange(grant);
  const after = await desk.workspace.context(adapter);
  expect([routes, project?.grant?.routes.length]).toEqual([6, 6]);
  expect(after?.view?.project.grant?.routes.length).toBe(1);
});

test('a project above an untrusted workspace governs nothing', async () => {
  mkdirSync(join(desk.folder, 'broken'));
  desk.folders.splice(0, 1, join(desk.folder, 'broken'));
  const adapter = desk.open('broken/adapter-x.js', '');
  expect((await desk.workspace.context(adapter))?.kind).toBe('adapter');
  desk.workspace.setEditorState({ trusted: false });
  expect((await desk.workspace.context(adapter))?.kind).toBe('other');
});

test('trust decides whether regular expressions of the document are used', async () => {
  desk.write(
    'vendor.openapi.yaml',
    `openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /robots:
    get:
      responses: {200: {description: ok, content: {application/json: {schema: {type: string, pattern: '['}}}}}
`,
  );
  const adapter = desk.open('adapter.js', '');
  const said = async () => {
    const context = await desk.workspace.context(adapter);
    return context?.view?.project.diagnostics.map(({ code }) => code);
  };
  expect(await said()).toContain('document-pattern');
  desk.workspace.setEditorState({ trusted: false });
  await new Promise(setImmediate);
  expect(await said()).not.toContain('document-pattern');
});
