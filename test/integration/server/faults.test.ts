/** A part that fails takes nothing else along: the semantic core cannot be loaded, or the thread that reads ends. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  for (const name of ['server.js', 'projectWorker.js']) cpSync(join(root, 'dist', name), join(dist, name));
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
    ['textDocument/completion', position, { isIncomplete: false, items: [] }, ['completion failed']],
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

/** The thread's script, with this before its own. */
function threadBegins(script: string): void {
  renameSync(join(dist, 'projectWorker.js'), join(dist, 'real.js'));
  const real = JSON.stringify(join(dist, 'real.js'));
  writeFileSync(
    join(dist, 'projectWorker.js'),
    `const fs = require('node:fs');\n${script}\nrequire(${real});\n`,
  );
}

async function openGrant(): Promise<{ editor: Editor; grant: string }> {
  const command = [process.execPath, join(dist, 'server.js'), '--stdio'];
  const editor = await Editor.start({ folders: [project.folder], pull: true, command });
  const text = readFileSync(join(exampleFolder, 'fleet.grant'), 'utf8').replace('POST', 'POTS');
  return { editor, grant: await editor.open(join(project.folder, 'fleet.grant'), text) };
}

test('a thread that ends while it reads costs one answer, and the next question has a new one', async () => {
  const died = JSON.stringify(join(dist, 'died'));
  threadBegins(
    `if (!fs.existsSync(${died}))
       require('node:worker_threads').parentPort.once('message', () => { fs.writeFileSync(${died}, ''); process.exit(3); });`,
  );
  const { editor, grant } = await openGrant();
  const logged = () => editor.notifications<{ message: string }>('window/logMessage');
  const { message } = await editor.until(() => logged()[0]);
  expect(message).toBe('The thread that reads projects ended: it gave no reason.');
  expect((await editor.pull(grant)).map(({ code }) => code)).toContain('grant-syntax');
  expect(editor.received.filter(({ method }) => method.startsWith('window/show'))).toEqual([]);
  expect(await editor.stop()).toBe(0);
});

test('a thread that cannot be started leaves empty answers', async () => {
  rmSync(join(dist, 'projectWorker.js'));
  const { editor, grant } = await openGrant();
  expect(await editor.pull(grant)).toEqual([]);
  expect(await editor.hover(grant, '/robots')).toBe(null);
  expect(editor.received.filter(({ method }) => method.startsWith('window/show'))).toEqual([]);
  cpSync(join(root, 'dist/projectWorker.js'), join(dist, 'projectWorker.js'));
  expect((await editor.pull(grant)).map(({ code }) => code)).toContain('grant-syntax');
  expect(await editor.stop()).toBe(0);
});

test('while a project is read other requests are answered', async () => {
  const go = JSON.stringify(join(dist, 'go'));
  threadBegins(
    `while (!fs.existsSync(${go})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`,
  );
  const { editor, grant } = await openGrant();
  let isAnswered = false;
  const held = editor.definition(grant, '/robots').then((places) => {
    isAnswered = true;
    return places;
  });
  // Its file is governed by nothing, so it waits for no project.
  const outside = await editor.open(join(dist, 'other.yaml'), 'a: 1\n');
  expect(await editor.hover(outside, 'a')).toBe(null);
  expect(isAnswered).toBe(false);
  writeFileSync(join(dist, 'go'), '');
  expect((await held).length).toBe(1);
  expect(await editor.stop()).toBe(0);
});
