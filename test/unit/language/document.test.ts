/** Lenses, hover, definition and the fix that grants, on the operations of a vendor document. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeActions } from '../../../server/src/language/codeAction.ts';
import {
  definitionInDocument,
  documentLenses,
  hoverDocument,
} from '../../../server/src/language/documentFeatures.ts';
import type { FileContext } from '../../../server/src/language/feature.ts';
import { grantPlace } from '../../../server/src/language/grantFeatures.ts';
import { exampleFolder } from '../../support/loadline.ts';
import { hoverText } from '../../support/lspClient.ts';
import { FeatureDesk } from './desk.ts';

const FILE = 'vendor.openapi.yaml';
const TEXT = readFileSync(`${exampleFolder}/${FILE}`, 'utf8');
const ADAPTER = readFileSync(`${exampleFolder}/adapter-v2.js`, 'utf8');

// One project for all: TypeScript takes a second to begin with.
let desk: FeatureDesk;
beforeAll(() => {
  desk = new FeatureDesk();
  desk.write('adapter-one.js', ADAPTER);
  desk.write('adapter-two.js', 'module.exports = { inventory: async () => fleet.listRobots() };\n');
  desk.write('adapter-three.js', 'module.exports = { inventory: async () => fleet.listRobots() };\n');
});
beforeEach(() => desk.documents.clear());
afterAll(() => desk.dispose());

async function contextOf(text: string, name = FILE): Promise<FileContext> {
  const uri = desk.open(name, text, name.endsWith('.json') ? 'json' : 'yaml');
  await desk.workspace.noteChange(uri);
  const context = await desk.workspace.context(uri);
  if (context === null) throw new Error(`${name} has no context.`);
  return context;
}

/** `the line: title`, in order. */
async function lensText(context: FileContext): Promise<string[]> {
  const lines = context.document.getText().split('\n');
  return (await documentLenses(context)).map(
    ({ range, command }) => `${lines[range.start.line]?.trim()} ${command?.title}`,
  );
}

const place = (context: FileContext, text: string, offset = 1) =>
  context.document.positionAt(context.document.getText().indexOf(text) + offset);

describe('lenses', () => {
  test('one per operation: granted, who uses it, or not granted; each leads to the grant', async () => {
    const context = await contextOf(TEXT);
    expect(await lensText(context)).toEqual([
      'get: granted · not used',
      'get: granted · used by 3 adapters',
      'get: granted · not used',
      'delete: not granted',
      'post: not granted',
      'post: granted · used by adapter-one.js',
      'get: granted · used by adapter-one.js',
      'post: granted · used by adapter-one.js',
    ]);
    const [, list, , remove] = await documentLenses(context);
    expect(list?.command).toMatchObject({
      command: 'loadline.server.showGrant',
      arguments: [{ uri: context.uri, operation: 'listRobots' }],
    });
    const { view } = context;
    if (view === null) throw new Error('There is no project.');
    const line = (name: string) => grantPlace(view, name).range.start.line;
    expect([line('listRobots'), line('cancelMission'), line('decommissionRobot')]).toEqual([2, 6, 6]);
    expect(remove?.command?.arguments).toEqual([{ uri: context.uri, operation: 'decommissionRobot' }]);
    expect(() => grantPlace(view, 'no\u202eSuch')).toThrow(
      'The project has no operation noSuch now; see its diagnostics.',
    );
  });

  test('two adapters are named', async () => {
    desk.open('adapter-three.js', 'module.exports = {};\n');
    expect((await lensText(await contextOf(TEXT)))[1]).toBe(
      'get: granted · used by adapter-one.js, adapter-two.js',
    );
  });

  test('stay where they were while the text is no document', async () => {
    const before = await lensText(await contextOf(TEXT));
    const broken = await contextOf(TEXT.replace('openapi: 3.1.0', 'openapi 3.1.0'));
    expect(broken.view?.project.surface).toBe(null);
    expect(await lensText(broken)).toEqual(before);
  });

  test('stand in the file that holds the operation, in JSON as in YAML', async () => {
    const path = {
      get: { operationId: 'listRobots', responses: { 200: { description: 'ok' } } },
      post: {
        operationId: 'listRobots',
        responses: { 201: { description: 'ok' } },
      },
    };
    desk.write('robots.json', JSON.stringify(path, null, 1));
    const root = `openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths:\n  /robots:\n    $ref: robots.json\n`;
    expect(await lensText(await contextOf(root))).toEqual([]);
    expect(await lensText(await contextOf(JSON.stringify(path, null, 1), 'robots.json'))).toEqual([
      '"get": { granted · used by 3 adapters',
      '"post": { cannot be called',
    ]);
  });

  test('are none in other files', async () => {
    expect(await documentLenses(await contextOf('a: 1\n', 'other.yaml'))).toEqual([]);
  });
});

describe('hover', () => {
  test('says route, grant, signature and callers, on the method and on the operationId', async () => {
    const context = await contextOf(TEXT);
    const id = await hoverDocument(context, place(context, 'createMission', 3));
    expect(hoverText(id)?.split('\n\n')).toEqual([
      '`createMission`',
      '`createMission(id: string, body: MissionOrder): Promise<MissionReceipt>`',
      '`POST /robots/{id}/missions`',
      '**Granted** by `POST /robots/*/missions`',
      'Order a robot to a target\\.',
      expect.stringMatching(/^The mission starts at once/),
      'The body field `/command_id` names the order: a repeat with the same value is the same order.',
      'Answers: `200`, `201`, `401`, `404`, `409`, `422`, `429`, `500`, `503`',
      'Called by `adapter-one.js`',
    ]);
    const line = context.document.positionAt(TEXT.indexOf('operationId: createMission')).line - 1;
    const method = await hoverDocument(context, { line, character: 5 });
    expect(hoverText(method)).toBe(hoverText(id));
    expect(context.document.getText(method?.range)).toBe('post');
    expect(context.document.getText(id?.range)).toBe('createMission');
  });

  test('of an operation that is not granted says so, without a signature', async () => {
    const context = await contextOf(TEXT);
    const text = hoverText(await hoverDocument(context, place(context, 'decommissionRobot')));
    expect(text?.split('\n\n').slice(0, 3)).toEqual([
      '`decommissionRobot`',
      '`DELETE /robots/{id}`',
      '**Not granted**: the grant has no line for it, so the broker refuses every call.',
    ]);
    expect(text?.split('\n\n').at(-1)).toBe('No adapter here calls it.');
  });

  test.each(['operationId', 'tags:', 'summary: List', '/robots:', 'title'])('is none on %s', async (text) => {
    const context = await contextOf(TEXT);
    expect(await hoverDocument(context, place(context, text))).toBe(null);
  });

  test('shows hostile words as plain text', async () => {
    const evil = 'Call \\u202e[x](command:evil) `b` <img src=x> **now**';
    const context = await contextOf(
      TEXT.replace('summary: List every robot of the fleet.', `summary: "${evil}"`),
    );
    const text = hoverText(await hoverDocument(context, place(context, 'listRobots')));
    expect(text).toContain('Call \\[x\\]\\(command \\:evil\\) \\`b\\` &lt;img src\\=x\\> \\*\\*now\\*\\*');
    expect(text).not.toMatch(/\u202e/);
  });

  test('in an editor without markdown has no marks', async () => {
    const context = await contextOf(TEXT);
    const plain = { ...context, editor: { ...context.editor, markdown: false } };
    const hover = await hoverDocument(plain, place(context, 'operationId: health', 14));
    expect(hover?.contents).toMatchObject({ kind: 'plaintext' });
    expect(hoverText(hover)?.split('\n\n').at(-1)).toBe('No adapter here calls it.');
  });
});

test('definition is the line of the grant, of what is granted', async () => {
  const context = await contextOf(TEXT);
  const said = (name: string) =>
    definitionInDocument(context, place(context, name)).map(
      ({ uri, range }) => `${uri.split('/').at(-1)}:${range.start.line + 1}`,
    );
  expect([said('createMission'), said('decommissionRobot')]).toEqual([['fleet.grant:5'], []]);
});

describe('the fix that grants', () => {
  const titles = async (name: string) => {
    const context = await contextOf(TEXT);
    const at = place(context, name);
    return (await codeActions(context, { start: at, end: at }, [])).map(({ title, edit }) => [
      title,
      ...Object.values(edit?.changes ?? {}).flatMap((edits) => edits.map(({ newText }) => newText)),
    ]);
  };

  test('stands on an operation that is not granted', async () => {
    expect(await titles('updateFirmware')).toEqual([
      ['Grant POST /robots/*/firmware in fleet.grant', '\nPOST /robots/*/firmware'],
    ]);
  });

  test('does not stand on one that is, and on nothing', async () => {
    expect(await titles('createMission')).toEqual([]);
    expect(await titles('title')).toEqual([]);
  });
});
