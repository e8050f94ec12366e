/** A part that fails takes nothing else along: here the semantic core cannot be loaded. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleFolder, projectFolder, root } from '../../support/loadline.ts';
import { Editor } from '../../support/lspClient.ts';

const ADAPTER = readFileSync(join(exampleFolder, 'adapter-v2.js'), 'utf8').replace(
  'fleet.cancelMission(missionId)',
  'fleet.decommissionRobot(missionId)',
);

let dist: string;
let project: ReturnType<typeof projectFolder>;

beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'loadline-dist-'));
  cpSync(join(root, 'dist/server.js'), join(dist, 'server.js'));
  cpSync(join(root, 'dist/analysis'), join(dist, 'away'), { recursive: true });
  project = projectFolder({ 'adapter.js': ADAPTER });
});

afterEach(() => {
  rmSync(dist, { recursive: true, force: true });
  project.remove();
});

test('each handler answers with nothing and one line in the log, without a message to the person', async () => {
  const command = [process.execPath, join(dist, 'server.js'), '--stdio'];
  const editor = await Editor.start({ folders: [project.folder], pull: true, command });
  const uri = await editor.open(join(project.folder, 'adapter.js'), ADAPTER);
  const grant = await editor.open(
    join(project.folder, 'fleet.grant'),
    readFileSync(join(exampleFolder, 'fleet.grant'), 'utf8').replace('POST', 'POTS'),
  );
  const logged = () =>
    editor
      .notifications<{ message: string }>('window/logMessage')
      .map(({ message }) => message.replace(/:.*/s, ''));
  const position = editor.at(uri, 'createMission', 1);
  const asked: [string, object, unknown, string[]][] = [
    ['textDocument/completion', position, [], ['completion failed']],
    ['textDocument/hover', position, null, ['hover failed']],
    ['textDocument/signatureHelp', position, null, ['signature help failed']],
    ['textDocument/definition', position, [], ['definition failed']],
    [
      'textDocument/codeAction',
      {
        textDocument: { uri },
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
        context: { diagnostics: [] },
      },
      [],
      ['code action failed'],
    ],
    [
      'textDocument/diagnostic',
      { textDocument: { uri } },
      { kind: 'full', items: [] },
      ['adapter diagnostics failed'],
    ],
  ];
  for (const [method, params, empty, lines] of asked) {
    const before = logged().length;
    expect(await editor.connection.sendRequest(method, params), method).toEqual(empty);
    expect(logged().slice(before), method).toEqual(lines);
  }
  // Others are heard: the grant's own lines need no analysis.
  expect((await editor.pull(grant)).map(({ code }) => code)).toContain('grant-syntax');
  expect(editor.received.filter(({ method }) => method.startsWith('window/show'))).toEqual([]);
  // What failed once is tried again.
  renameSync(join(dist, 'away'), join(dist, 'analysis'));
  // The grant in the editor lost its only POST of that path.
  expect((await editor.pull(uri)).map(({ code }) => code)).toEqual(['not-granted', 'not-granted']);
  expect(await editor.stop()).toBe(0);
});
