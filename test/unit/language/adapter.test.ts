/** What the features say in an adapter, as text, of files that the editor's own service knows and does not know. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adapterDiagnostics } from '../../../server/src/language/adapterDiagnostics.ts';
import { codeActions } from '../../../server/src/language/codeAction.ts';
import { completeAdapter } from '../../../server/src/language/completion.ts';
import { definitionInAdapter } from '../../../server/src/language/definition.ts';
import { hoverAdapter } from '../../../server/src/language/hover.ts';
import { signatureOfCall } from '../../../server/src/language/signatureHelp.ts';
import { writeTypings } from '../../../server/src/session/typings.ts';
import { completionText, diagnosticText, hoverText } from '../../support/lspClient.ts';
import { FeatureDesk } from './desk.ts';

const REFERENCE = '/// <reference path="./.loadline/fleet.d.ts" />\n';
const inDispatch = (code: string) =>
  `module.exports = {\n  async dispatch(robotId, target, commandId) {\n    ${code}\n  },\n};\n`;

let desk: FeatureDesk;
beforeAll(() => {
  desk = new FeatureDesk();
});
afterAll(() => desk.dispose());

/** Completions at the cursor; `bound`: the editor's own service speaks. */
async function completions(code: string, bound = false): Promise<string[]> {
  const { context, position } = await desk.ask(code);
  return completionText(await completeAdapter({ ...context, bound }, position));
}

test.each([
  ['body properties', 'await fleet.createMission(robotId, { | });', ['target', 'command_id']],
  ['what is in a variable', 'const m = await fleet.getMission(robotId); m.|', ['id', 'status']],
  [
    'literal values of an answer',
    "const m = await fleet.getMission(robotId); if (m.status === '|') return;",
    ['done', 'queued'],
  ],
] as const)('completion knows %s', async (_, code, expected) => {
  const labels = (await completions(inDispatch(code))).map((line) =>
    line.split(' | ')[0]?.replace(/\?$/, ''),
  );
  expect(labels).toEqual(expect.arrayContaining([...expected]));
});

test('completion in module.exports offers the functions of the contract that are not there', async () => {
  const labels = (await completions('module.exports = {\n  async inventory() {},\n  |\n};\n')).map(
    (line) => line.split(' | ')[0],
  );
  expect([...labels].sort()).toEqual(['cancel', 'dispatch', 'wait']);
});

test('completion is silent on what is not ours, and in bound files', async () => {
  expect(await completions(inDispatch('const text = robotId.|'))).toEqual([]);
  expect(await completions(inDispatch('Math.|'))).toEqual([]);
  expect(await completions(inDispatch('fleet.|'), true)).toEqual([]);
});

test('an editor without snippets gets plain text', async () => {
  const { context, position } = await desk.ask('module.exports = {\n  |\n};\n');
  const editor = { ...context.editor, snippets: false };
  const items = await completeAdapter({ ...context, editor }, position);
  expect(items.map(({ textEdit }) => textEdit?.newText).sort()).toEqual([
    'cancel',
    'dispatch',
    'inventory',
    'wait',
  ]);
  expect(items.map(({ insertTextFormat }) => insertTextFormat)).toEqual([1, 1, 1, 1]);
});

test.each([
  [
    'fleet.decommission|Robot(robotId);',
    '**Not granted**: the grant has no line for it, so the broker refuses every call.',
  ],
  ['fleet.create|Mission(robotId, {});', '**Granted** by `POST /robots/*/missions`'],
  ['const { list|Robots } = fleet;', '**Granted** by `GET /robots`'],
])('hover on %s says the grant, whole in an unbound file, alone in a bound one', async (code, sentence) => {
  const { context, position } = await desk.ask(inDispatch(code));
  const whole = hoverText(await hoverAdapter({ ...context, bound: false }, position));
  expect(whole?.split('\n\n')).toContain(sentence);
  expect(hoverText(await hoverAdapter({ ...context, bound: true }, position))).toBe(sentence);
});

test('hover shows the method as it is typed, and plain text where the editor has no markdown', async () => {
  const { context, position } = await desk.ask(inDispatch('fleet.create|Mission(robotId, {});'));
  const lines = async (markdown: boolean) =>
    hoverText(await hoverAdapter({ ...context, editor: { ...context.editor, markdown } }, position))?.split(
      '\n\n',
    );
  const signature = 'createMission(id: string, body: MissionOrder): Promise<MissionReceipt>';
  expect((await lines(true))?.slice(0, 4)).toEqual([
    `\`${signature}\``,
    '`POST /robots/{id}/missions`',
    '**Granted** by `POST /robots/*/missions`',
    'Order a robot to a target\\.',
  ]);
  expect((await lines(false))?.slice(0, 4)).toEqual([
    signature,
    'POST /robots/{id}/missions',
    'Granted by POST /robots/*/missions',
    'Order a robot to a target.',
  ]);
});

test('signature help speaks in unbound files', async () => {
  const { context, position } = await desk.ask(inDispatch('fleet.createMission(robotId, |)'));
  const help = await signatureOfCall({ ...context, bound: false }, position);
  expect([help?.signatures[0]?.label, help?.activeParameter]).toEqual([
    'createMission(id: string, body: MissionOrder): Promise<MissionReceipt>',
    1,
  ]);
  expect(await signatureOfCall({ ...context, bound: true }, position)).toBe(null);
});

test('the contract is a virtual text where the editor opens those, else the written one, else nowhere', async () => {
  const { context, position } = await desk.ask(inDispatch('').replace('dispatch', 'dis|patch'));
  const place = async (textDocumentContent: boolean) =>
    (
      await definitionInAdapter({ ...context, editor: { ...context.editor, textDocumentContent } }, position)
    ).map(({ uri }) => uri.replace(desk.folder, ''));
  expect(await place(true)).toEqual(['loadline-typings:/.loadline/fleet.d.ts']);
  expect(await place(false)).toEqual([]);
  const project = await desk.workspace.projectOf(join(desk.folder, 'adapter.js'));
  if (project) writeTypings(project);
  expect(await place(false)).toEqual(['file:///.loadline/fleet.d.ts']);
});

test('type errors of client calls are left to a service that says them', async () => {
  const said = async (text: string, bound: boolean) => {
    const { context } = await desk.ask(`|${text}`);
    return diagnosticText(await adapterDiagnostics({ ...context, bound }))
      .filter((line) => line.includes('client-type'))
      .map((line) => line.split(':').slice(0, 2).join(':'));
  };
  const wrong = inDispatch('await fleet.getMission(7);');
  expect(await said(wrong, false)).toEqual(['3:28 error client-type']);
  expect(await said(wrong, true)).toEqual([]);
  expect(await said(`// @ts-check\n${wrong}`, false)).toEqual([]);
});

test('fixes are those of findings under the cursor', async () => {
  const { context, position } = await desk.ask(
    `${REFERENCE}${inDispatch('fleet.decommission|Robot(robotId);')}`,
  );
  const actions = await codeActions(context, { start: position, end: position }, []);
  expect(actions.map(({ title }) => title)).toEqual(['Grant DELETE /robots/* in fleet.grant']);
  const above = { line: 0, character: 0 };
  expect(await codeActions(context, { start: above, end: above }, [])).toEqual([]);
});
