/**
 * The extension from the inside, in a window of one plain folder, `plain`. Beside it are `one` and `two`, each with the
 * example, which the suite adds.
 */
import * as assert from 'node:assert/strict';
import {
  type CodeAction,
  type CodeLens,
  type CompletionList,
  ConfigurationTarget,
  commands,
  type Diagnostic,
  type Extension,
  extensions,
  languages,
  Range,
  type TextDocument,
  type Uri,
  Uri as Uris,
  window,
  workspace,
} from 'vscode';
import type { LoadlineApi } from '../../../client/src/extension.ts';

const OPERATIONS = [
  'health',
  'listRobots',
  'getRobot',
  'createMission',
  'getMission',
  'cancelMission',
  'decommissionRobot',
  'updateFirmware',
];
const LINTS = ['retry-without-identity 34', 'refusal-from-doubt 38'];

const beside = (name: string): Uri => {
  const [plain] = workspace.workspaceFolders ?? [];
  assert.ok(plain);
  return Uris.joinPath(plain.uri, '..', name);
};
const inOne = (name: string): Uri => Uris.joinPath(beside('one'), name);
const inTwo = (name: string): Uri => Uris.joinPath(beside('two'), name);

function loadline(): Extension<LoadlineApi> {
  const found = extensions.getExtension<LoadlineApi>('loadline.loadline');
  assert.ok(found, 'the extension is installed');
  return found;
}

async function open(uri: Uri): Promise<TextDocument> {
  const document = await workspace.openTextDocument(uri);
  await window.showTextDocument(document, { preview: false });
  return document;
}

const codeOf = ({ code }: Diagnostic): string =>
  String(typeof code === 'object' && code !== null ? code.value : code);

/** Codes with the lines at which they stand, counted from 1. */
function findings(uri: Uri): string[] {
  return languages
    .getDiagnostics(uri)
    .filter(({ source }) => source === 'loadline')
    .map((each) => `${codeOf(each)} ${each.range.start.line + 1}`);
}

/** Reads until it is so; the last difference is what it fails with. */
async function eventually<Value>(read: () => Value | PromiseLike<Value>, wanted: Value): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    const value = await read();
    try {
      assert.deepEqual(value, wanted);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function completions(document: TextDocument): Promise<string[]> {
  const at = document.positionAt(document.getText().indexOf('fleet.listRobots') + 'fleet.'.length);
  const list = await commands.executeCommand<CompletionList>(
    'vscode.executeCompletionItemProvider',
    document.uri,
    at,
  );
  return (
    list.items
      .map(({ label, sortText = '' }) => ({
        label: typeof label === 'string' ? label : label.label,
        sortText,
      }))
      // The editor's own service adds the words of the file, which sort by two digits.
      .filter(({ label, sortText }) => OPERATIONS.includes(label) && /^\d{6}$/.test(sortText))
      .sort((one, other) => (one.sortText < other.sortText ? -1 : 1))
      .map(({ label }) => label)
  );
}

async function lenses(uri: Uri): Promise<string[]> {
  const found = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
  return found.map(({ range, command }) => `${range.start.line + 1} ${command?.title}`);
}

async function quickFixes(uri: Uri, line: number): Promise<CodeAction[]> {
  const finding = languages.getDiagnostics(uri).find(({ range }) => range.start.line === line - 1);
  return commands.executeCommand<CodeAction[]>(
    'vscode.executeCodeActionProvider',
    uri,
    finding?.range ?? new Range(line - 1, 0, line - 1, 0),
    'quickfix',
    10,
  );
}

suite('the extension', () => {
  test('does not start for a folder and a file that are none of its own', async () => {
    await open(Uris.joinPath(beside('plain'), 'plain.js'));
    assert.equal(loadline().isActive, false);
  });

  test('starts when a folder with a loadline.json comes', async () => {
    const count = workspace.workspaceFolders?.length ?? 0;
    assert.ok(workspace.updateWorkspaceFolders(count, 0, { uri: beside('one') }, { uri: beside('two') }));
    await eventually(() => loadline().isActive, true);
  });

  test('has every command of its manifest', async () => {
    const there = new Set(await commands.getCommands(true));
    const { contributes } = loadline().packageJSON as { contributes: { commands: { command: string }[] } };
    const missing = contributes.commands.filter(({ command }) => !there.has(command));
    assert.deepEqual(missing, []);
    assert.equal(contributes.commands.length, 21);
  });

  test('finds what is wrong in each adapter, and nothing in the one that is right', async () => {
    for (const [name, wanted] of FINDINGS) {
      await open(inOne(name));
      await eventually(() => findings(inOne(name)), wanted);
    }
  });

  test('completes the operations of the document in its order, those not granted last', async () => {
    assert.deepEqual(await completions(await open(inOne('adapter-v1.js'))), OPERATIONS);
  });

  test('has a lens for the adapter and for each scenario at the code that it tries', async () => {
    await eventually(() => lenses(inOne('adapter-v1.js')), LENSES);
  });

  test('names the order by a quick fix, which undo takes back', async () => {
    const uri = inOne('adapter-v1.js');
    const document = await open(uri);
    await eventually(() => findings(uri), LINTS);
    const fixes = await quickFixes(uri, 34);
    assert.deepEqual(
      fixes.map(({ title }) => title),
      ['Pass command_id: commandId', 'Silence retry-without-identity on this line'],
    );
    const [{ edit } = {}] = fixes;
    assert.ok(edit);
    assert.ok(await workspace.applyEdit(edit));
    assert.match(document.lineAt(33).text, /createMission\(robotId, \{ target, command_id: commandId \}\)/);
    await eventually(() => findings(uri), LINTS.slice(1));
    await commands.executeCommand('undo');
    await eventually(() => findings(uri), LINTS);
    assert.equal(document.isDirty, false);
  });

  test('lists every adapter of both folders in the Test Explorer, each with its scenarios', async () => {
    await eventually(() => tree(beside('one')), TREE);
    await eventually(() => tree(beside('two')), TREE);
  });

  test('reads its settings for each folder', async () => {
    await open(inTwo('adapter-v1.js'));
    await eventually(() => findings(inTwo('adapter-v1.js')), LINTS);
    const severity = (value: object | undefined) =>
      workspace
        .getConfiguration('loadline', inTwo('adapter-v1.js'))
        .update('severity', value, ConfigurationTarget.WorkspaceFolder);
    await severity({ 'retry-without-identity': 'off' });
    await eventually(() => findings(inTwo('adapter-v1.js')), LINTS.slice(1));
    assert.deepEqual(findings(inOne('adapter-v1.js')), LINTS);
    await severity(undefined);
    await eventually(() => findings(inTwo('adapter-v1.js')), LINTS);
  });

  test('lets no folder say which engine and which key are used', async () => {
    for (const name of ['docker.hosts', 'docker.runtime', 'sandbox.minimumTier', 'sandbox.baseImage'])
      await assert.rejects(async () => {
        const settings = workspace.getConfiguration('loadline', inOne('adapter-v1.js'));
        await settings.update(name, 'x', ConfigurationTarget.WorkspaceFolder);
      });
  });

  test('loses nothing when the server starts anew', async () => {
    await commands.executeCommand('loadline.restartServer');
    for (const uri of [inOne('adapter-v1.js'), inTwo('adapter-v1.js')])
      await eventually(() => findings(uri), LINTS);
    await eventually(() => lenses(inOne('adapter-v1.js')), LENSES);
    await eventually(() => tree(beside('one')), TREE);
  });
});

/** `adapter.js` and below it its scenarios, of the adapters that stand in that folder itself. */
function tree(folder: Uri): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [, { uri, label, children }] of loadline().exports.tests) {
    if (uri === undefined || Uris.joinPath(uri, '..').path !== folder.path) continue;
    const names: [string | undefined, string][] = [];
    for (const [, scenario] of children) names.push([scenario.sortText, scenario.label]);
    found[label] = names.sort(([one = ''], [other = '']) => (one < other ? -1 : 1)).map(([, name]) => name);
  }
  return found;
}

const FINDINGS: [string, string[]][] = [
  ['adapter-v1.js', LINTS],
  ['adapter-v2.js', []],
  ['adapter-v3.js', []],
];

const SCENARIOS = [
  ...['nominal', 'robot_fault', 'overload', 'lost_answer', 'dropped_connection'],
  ...['server_error_after_accept', 'refused_order', 'silent', 'slow_answer', 'late_acceptance'],
  ...['twin_dispatch', 'forgetful_vendor', 'strangers_order', 'wrong_mission', 'flapping_reads', 'throttled'],
];
const TREE = { 'adapter-v1.js': SCENARIOS, 'adapter-v2.js': SCENARIOS, 'adapter-v3.js': SCENARIOS };

const LENSES = [
  '21 Qualify adapter',
  '21 Scenarios…',
  '22 ▶ nominal',
  '32 ▶ overload',
  '32 ▶ lost_answer',
  '32 ▶ dropped_connection',
  '32 ▶ server_error_after_accept',
  '32 ▶ refused_order',
  '32 ▶ silent',
  '32 +6…',
  '42 ▶ robot_fault',
  '42 ▶ wrong_mission',
  '42 ▶ flapping_reads',
];
