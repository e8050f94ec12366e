/** A whole session on the example adapter, as an editor without a JavaScript service has it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleFolder, projectFolder } from '../../support/loadline.ts';
import { completionText, diagnosticText, Editor, hoverText, uriOf } from '../../support/lspClient.ts';

const ADAPTER = readFileSync(join(exampleFolder, 'adapter-v2.js'), 'utf8');
const UNGRANTED = ADAPTER.replace('fleet.cancelMission(missionId)', 'fleet.decommissionRobot(missionId)');

let project: ReturnType<typeof projectFolder>;
let path: string;
const editors: Editor[] = [];

async function start(options: Partial<Parameters<typeof Editor.start>[0]> = {}): Promise<Editor> {
  const editor = await Editor.start({ folders: [project.folder], ...options });
  editors.push(editor);
  return editor;
}

beforeEach(() => {
  project = projectFolder({ 'adapter.js': ADAPTER });
  path = join(project.folder, 'adapter.js');
});

afterEach(async () => {
  for (const editor of editors.splice(0)) await editor.stop();
  project.remove();
});

test('completions are the members of the client, granted ones first', async () => {
  const editor = await start();
  const uri = await editor.open(path, ADAPTER.replace('fleet.listRobots()', 'fleet.'));
  expect(completionText(await editor.complete(uri, 'fleet.'))).toEqual([
    'health | GET /health',
    'listRobots | GET /robots',
    'getRobot | GET /robots/{id}',
    'createMission | POST /robots/{id}/missions',
    'getMission | GET /missions/{id}',
    'cancelMission | POST /missions/{id}/cancel',
    '~~decommissionRobot~~ | DELETE /robots/{id} (not granted)',
    '~~updateFirmware~~ | POST /robots/{id}/firmware (not granted)',
  ]);
  expect(await editor.complete(uri, 'const sl')).toEqual([]);
});

test('what all completions share is sent once, and what one says at length when it is asked for', async () => {
  const editor = await start();
  const uri = await editor.open(path, ADAPTER.replace('fleet.listRobots()', 'fleet.'));
  const { items, itemDefaults } = await editor.completionList(uri, 'fleet.');
  expect(itemDefaults).toEqual({ editRange: expect.anything(), insertTextFormat: 1, data: uri });
  const item = items.find(({ label }) => label === 'createMission');
  expect(item).toEqual({
    ...{ label: 'createMission', kind: 2, sortText: '000005', detail: 'POST /robots/{id}/missions' },
    ...{ filterText: '.createMission', textEditText: '.createMission' },
  });
  const [resolved] = await Promise.all(
    (await editor.complete(uri, 'fleet.'))
      .filter(({ label }) => label === 'createMission')
      .map((each) => editor.resolve(each)),
  );
  expect(resolved?.documentation).toMatchObject({
    kind: 'markdown',
    value: expect.stringContaining('command_id'),
  });
});

test('hovers say the route, the grant and what names a repeat; of contract functions their obligations', async () => {
  const editor = await start();
  const uri = await editor.open(path, ADAPTER);
  const text = hoverText(await editor.hover(uri, 'createMission')) ?? '';
  expect(text.split('\n\n').filter((_, index) => [0, 1, 2, 3, 5].includes(index))).toEqual([
    '`createMission(id: string, body: MissionOrder): Promise<MissionReceipt>`',
    '`POST /robots/{id}/missions`',
    '**Granted** by `POST /robots/*/missions`',
    'Order a robot to a target\\.',
    'The body field `/command_id` names the order: a repeat with the same value is the same order.',
  ]);
  expect(hoverText(await editor.hover(uri, 'inventory('))).toMatch(
    /^`inventory: \(\) => Promise<FleetContract\.InventoryEntry\[\]>`\n\n/,
  );
  expect(await editor.hover(uri, 'PAUSE_MS')).toBe(null);
});

test('signature help names the parameters of the operation', async () => {
  const editor = await start();
  const uri = await editor.open(path, ADAPTER);
  const help = await editor.signature(uri, 'createMission(robotId, ');
  expect(help?.signatures.map(({ label }) => label)).toEqual([
    'createMission(id: string, body: MissionOrder): Promise<MissionReceipt>',
  ]);
  expect(help?.activeParameter).toBe(1);
});

test('definitions lead to the vendor document and the grant, and to the text of the contract', async () => {
  const editor = await start();
  const uri = await editor.open(path, ADAPTER);
  const places = await editor.definition(uri, 'createMission');
  const lineOf = (name: string, line: number) =>
    readFileSync(join(project.folder, name), 'utf8').split('\n')[line]?.trim();
  expect(places.map((place) => place.uri)).toEqual([
    uriOf(join(project.folder, 'vendor.openapi.yaml')),
    uriOf(join(project.folder, 'fleet.grant')),
  ]);
  expect(lineOf('vendor.openapi.yaml', places[0]?.range.start.line ?? 0)).toBe('post:');
  expect(lineOf('fleet.grant', places[1]?.range.start.line ?? 0)).toBe(
    'POST /robots/*/missions   key:body:/command_id',
  );
  const [contract] = await editor.definition(uri, 'dispatch(');
  expect(contract?.uri).toBe(`loadline-typings:${project.folder}/.loadline/fleet.d.ts`);
  const { text }: { text: string } = await editor.connection.sendRequest('workspace/textDocumentContent', {
    uri: contract?.uri,
  });
  expect(text.split('\n')[contract?.range.start.line ?? 0]?.trim()).toBe('dispatch: Dispatch;');
});

test('diagnostics are pushed for the text as it is, with their page, and cleared on close', async () => {
  const editor = await start();
  const uri = await editor.open(path, UNGRANTED);
  const said = await editor.pushed(uri);
  expect(diagnosticText(said)).toEqual([
    '58:36 error not-granted: The grant does not allow decommissionRobot (DELETE /robots/{id}), so the broker refuses this call.',
  ]);
  expect(said[0]?.codeDescription?.href).toMatch(/^file:.*\/docs\/diagnostics\/not-granted\.md$/);
  expect(said[0]?.source).toBe('loadline');
  await editor.edit(uri, 'decommissionRobot', 'cancelMission');
  expect(await editor.pushed(uri)).toEqual([]);
  await editor.close(uri);
  const cleared = await editor.until(() =>
    editor.publications(uri).find(({ version }) => version === undefined),
  );
  expect(cleared).toEqual({ uri, diagnostics: [] });
});

test('an editor that pulls is not pushed to, and is asked to pull again when the grant changes', async () => {
  const editor = await start({ pull: true });
  expect(editor.initialized.capabilities.diagnosticProvider).toEqual({
    identifier: 'loadline',
    interFileDependencies: true,
    workspaceDiagnostics: false,
  });
  const uri = await editor.open(path, UNGRANTED);
  expect((await editor.pull(uri)).map(({ code }) => code)).toEqual(['not-granted']);
  const grant = join(project.folder, 'fleet.grant');
  writeFileSync(grant, `${readFileSync(grant, 'utf8')}DELETE /robots/*\n`);
  await editor.changed(grant);
  await editor.until(() => editor.received.find(({ method }) => method === 'workspace/diagnostic/refresh'));
  expect(await editor.pull(uri)).toEqual([]);
  expect(editor.publications(uri)).toEqual([]);
});

test('the fix of a call that is not granted edits the grant', async () => {
  const editor = await start({ pull: true });
  const uri = await editor.open(path, UNGRANTED);
  const [diagnostic] = await editor.pull(uri);
  const actions = diagnostic ? await editor.actions(uri, diagnostic) : [];
  expect(actions.map(({ title, kind }) => [title, kind])).toEqual([
    ['Grant DELETE /robots/* in fleet.grant', 'quickfix'],
  ]);
  const grant = uriOf(join(project.folder, 'fleet.grant'));
  expect(actions[0]?.edit?.changes).toEqual({
    [grant]: [{ newText: '\nDELETE /robots/*', range: expect.any(Object) }],
  });
});

test('an unsaved grant counts: the adapter is judged by the text in the editor', async () => {
  const editor = await start({ pull: true });
  const uri = await editor.open(path, UNGRANTED);
  const grantPath = join(project.folder, 'fleet.grant');
  const grant = await editor.open(grantPath, readFileSync(grantPath, 'utf8'));
  expect((await editor.pull(uri)).length).toBe(1);
  await editor.edit(grant, 'GET  /health', 'DELETE /robots/*\nGET  /health');
  expect(await editor.pull(uri)).toEqual([]);
  await editor.close(grant);
  expect((await editor.pull(uri)).map(({ code }) => code)).toEqual(['not-granted']);
});

test('settings weigh a code, and are asked for anew when they change', async () => {
  let severity: Record<string, string> = { 'not-granted': 'hint' };
  const editor = await start({ pull: true, settings: () => ({ severity }) });
  const uri = await editor.open(path, UNGRANTED);
  expect((await editor.pull(uri)).map((each) => each.severity)).toEqual([4]);
  severity = { 'not-granted': 'off' };
  await editor.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  await editor.until(() => editor.received.find(({ method }) => method === 'workspace/diagnostic/refresh'));
  expect(await editor.pull(uri)).toEqual([]);
});

test('an editor that cannot be asked for settings sends them along', async () => {
  const editor = await start({ pull: true });
  const uri = await editor.open(path, UNGRANTED);
  expect((await editor.pull(uri)).map((each) => each.severity)).toEqual([1]);
  await editor.connection.sendNotification('workspace/didChangeConfiguration', {
    settings: { loadline: { severity: { 'not-granted': 'warning' } } },
  });
  expect((await editor.pull(uri)).map((each) => each.severity)).toEqual([2]);
});

test('files are watched for an editor that does not watch', async () => {
  const editor = await start({ watching: false });
  const uri = await editor.open(path, UNGRANTED);
  expect((await editor.pushed(uri)).length).toBe(1);
  // The folder is watched once the opening was told.
  await editor.until(() => editor.statuses().find((status) => status.uri === uri));
  const grant = join(project.folder, 'fleet.grant');
  writeFileSync(grant, `${readFileSync(grant, 'utf8')}DELETE /robots/*\n`);
  await editor.until(() => (editor.publications(uri).at(-1)?.diagnostics.length === 0 ? true : undefined));
});

test('describe gives the text for agents; a command that cannot be done says why', async () => {
  const editor = await start();
  const uri = uriOf(path);
  const { text } = await editor.command<{ text: string }>('loadline.server.describe', { uri });
  expect(text).toContain('POST /robots/{id}/missions (granted)\n');
  await expect(
    editor.command('loadline.server.describe', { uri: 'file:///nowhere/adapter.js' }),
  ).rejects.toThrow('No loadline.json governs this file.');
  await expect(editor.command('loadline.server.verify', { uri })).rejects.toThrow(
    `There is no verdict file ${join(project.folder, 'adapter.verdicts.jsonl')} yet; qualify the adapter first.`,
  );
});
