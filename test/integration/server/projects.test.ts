/** Several folders, a restart, files that nothing governs or that two do, and a large document. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleFolder } from '../../support/loadline.ts';
import { completionText, Editor, hoverText, uriOf } from '../../support/lspClient.ts';

const ADAPTER = readFileSync(join(exampleFolder, 'adapter-v2.js'), 'utf8');
const UNGRANTED = ADAPTER.replace('fleet.cancelMission(missionId)', 'fleet.decommissionRobot(missionId)');
const FILES = ['loadline.json', 'fleet.grant', 'vendor.openapi.yaml'];

let base: string;
const editors: Editor[] = [];

/** A project folder below the base, by the example's files. */
function project(name: string, changes: Record<string, string> = {}): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  for (const file of FILES) writeFileSync(join(folder, file), readFileSync(join(exampleFolder, file)));
  for (const [file, text] of Object.entries(changes)) writeFileSync(join(folder, file), text);
  return folder;
}

async function start(options: Parameters<typeof Editor.start>[0]): Promise<Editor> {
  const editor = await Editor.start(options);
  editors.push(editor);
  return editor;
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'loadline-projects-'));
});

afterEach(async () => {
  for (const editor of editors.splice(0)) await editor.stop();
  rmSync(base, { recursive: true, force: true });
});

test('two folders have a grant, settings and a client each', async () => {
  const config = readFileSync(join(exampleFolder, 'loadline.json'), 'utf8');
  const one = project('one');
  const two = project('two', {
    'fleet.grant': 'GET /robots\nDELETE /robots/*\n',
    'loadline.json': config.replace('"client": "fleet"', '"client": "depot"'),
  });
  const editor = await start({
    folders: [one, two],
    pull: true,
    settings: (uri) => ({ severity: { 'not-granted': uri.includes('/two/') ? 'hint' : 'warning' } }),
  });
  const first = await editor.open(join(one, 'adapter.js'), UNGRANTED);
  const second = await editor.open(join(two, 'adapter.js'), UNGRANTED.replaceAll('fleet.', 'depot.'));
  const said = async (uri: string) =>
    (await editor.pull(uri))
      .filter(({ code }) => code === 'not-granted')
      .map(({ severity, message }) => `${severity} ${/allow (\w+)/.exec(String(message))?.[1]}`);
  expect(await said(first)).toEqual(['2 decommissionRobot']);
  expect(await said(second)).toEqual(['4 createMission', '4 getMission']);
});

test('a folder that is added later is known, and its adapters are listed', async () => {
  const one = project('one', { 'adapter.js': ADAPTER });
  const two = project('two', { 'adapter.js': ADAPTER });
  const editor = await start({ folders: [one] });
  const names = async () => {
    const { adapters } = await editor.connection.sendRequest<{ adapters: { uri: string }[] }>(
      'loadline/adapters',
      {},
    );
    return adapters.map(({ uri }) => uri);
  };
  expect(await names()).toEqual([uriOf(join(one, 'adapter.js'))]);
  const folder = (path: string) => ({ uri: uriOf(path), name: path });
  await editor.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
    event: { added: [folder(two)], removed: [] },
  });
  expect(await names()).toEqual([uriOf(join(one, 'adapter.js')), uriOf(join(two, 'adapter.js'))]);
});

test('a server that was killed is replaced by one that says the same', async () => {
  const folder = project('one');
  const path = join(folder, 'adapter.js');
  const first = await Editor.start({ folders: [folder], pull: true });
  const before = await first.pull(await first.open(path, UNGRANTED));
  first.child.kill('SIGKILL');
  await first.ended;
  first.connection.dispose();
  const second = await start({ folders: [folder], pull: true });
  expect(await second.pull(await second.open(path, UNGRANTED))).toEqual(before);
  expect(before.map(({ code }) => code)).toEqual(['not-granted']);
});

test('an adapter that no loadline.json names has one sentence and a fix', async () => {
  const folder = project('one');
  const editor = await start({ folders: [base] });
  const outside = await editor.open(join(base, 'adapter.js'), ADAPTER);
  const unnamed = await editor.open(join(folder, 'orders.js'), ADAPTER);
  const problem = (uri: string) => editor.until(() => editor.statuses().find((each) => each.uri === uri));
  expect(await problem(outside)).toEqual({
    uri: outside,
    verdict: 'none',
    busy: false,
    engine: null,
    problem: 'No loadline.json governs adapter.js; put one beside it, as Loadline: New Adapter does.',
  });
  expect((await problem(unnamed)).problem).toBe(
    'The "adapters" of loadline.json do not match orders.js; add it there to have it judged.',
  );
  const [fix] = await editor.connection.sendRequest<{ title: string; edit: { changes: object } }[]>(
    'textDocument/codeAction',
    {
      textDocument: { uri: unnamed },
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      context: { diagnostics: [] },
    },
  );
  expect(fix?.title).toBe('Add orders.js to the adapters of loadline.json');
  expect(Object.keys(fix?.edit.changes ?? {})).toEqual([uriOf(join(folder, 'loadline.json'))]);
});

test('an adapter that two loadline.json files name says which one counts not', async () => {
  const config = JSON.parse(readFileSync(join(exampleFolder, 'loadline.json'), 'utf8'));
  const outer = project('outer', {
    'loadline.json': JSON.stringify({ ...config, adapters: ['**/adapter*.js'] }),
  });
  const inner = project('outer/inner');
  const editor = await start({ folders: [base] });
  const uri = await editor.open(join(inner, 'adapter.js'), ADAPTER);
  const { problem } = await editor.until(() =>
    editor.statuses().find((each) => each.uri === uri && each.problem),
  );
  expect(problem).toBe(
    `adapter.js is named by ${join(outer, 'loadline.json')} as well, which does not count; take it out of "adapters" there.`,
  );
});

test('a loadline.json with errors shows them in itself and leaves adapters without answers', async () => {
  const folder = project('one');
  const path = join(folder, 'loadline.json');
  const editor = await start({ folders: [folder], pull: true });
  const config = await editor.open(path, readFileSync(path, 'utf8'));
  const uri = await editor.open(join(folder, 'adapter.js'), UNGRANTED);
  expect(await editor.pull(config)).toEqual([]);
  await editor.edit(config, '"client"', '"cleint"');
  expect((await editor.pull(config)).map(({ code }) => code).sort()).toEqual([
    'config-missing-key',
    'config-unknown-key',
  ]);
  expect(await editor.pull(uri)).toEqual([]);
  expect(await editor.hover(uri, 'createMission')).toBe(null);
  await editor.edit(config, '"cleint"', '"client"');
  expect((await editor.pull(uri)).map(({ code }) => code)).toEqual(['not-granted']);
});

test('a document of 1,200 operations is served', async () => {
  const count = 1200;
  const paths = Array.from(
    { length: count },
    (_, index) => `  /things${index}/{id}:
    get:
      operationId: getThing${index}
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object, properties: { value${index}: { type: number } } } } } } }
`,
  );
  const folder = project('large', {
    'vendor.openapi.yaml': `openapi: 3.1.0\ninfo: { title: Large, version: '1' }\npaths:\n${paths.join('')}`,
    'fleet.grant': Array.from({ length: count }, (_, index) => `GET /things${index}/*\n`).join(''),
  });
  const editor = await start({ folders: [folder], pull: true });
  const text = `module.exports = {\n  async inventory() {\n    const thing = await fleet.getThing1199('a');\n    return fleet.;\n  },\n};\n`;
  const uri = await editor.open(join(folder, 'adapter.js'), text);
  const labels = (await editor.complete(uri, 'return fleet.')).map(({ label }) => label);
  expect(labels.length).toBe(count);
  expect(new Set(labels).size).toBe(count);
  expect(hoverText(await editor.hover(uri, 'getThing1199'))?.split('\n\n')[1]).toBe('`GET /things1199/{id}`');
  await editor.edit(uri, 'return fleet.', 'return thing.');
  expect(completionText(await editor.complete(uri, 'return thing.'))).toEqual([
    expect.stringMatching(/^value1199\b/),
  ]);
});
