/** Two services on one file: what the editor's own JavaScript service says and what we say never repeats a label. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exampleFolder, projectFolder } from '../../support/loadline.ts';
import { completionText, Editor, hoverText } from '../../support/lspClient.ts';
import { NativeTypeScript } from '../../support/nativeTypeScript.ts';
import { type Entry, type JavaScriptService, TsServer } from '../../support/tsserver.ts';

const BODY = readFileSync(join(exampleFolder, 'adapter-v2.js'), 'utf8').replace(
  '=> fleet.listRobots()',
  '=> fleet.',
);
const BOUND = `/// <reference path="./.loadline/fleet.d.ts" />\n${BODY}`;
/** Where both are asked: behind these words. */
const PLACES = [
  '=> fleet.',
  'const body = { ',
  'fleet.createMission(',
  'error.',
  'module.exports = {\n  ',
  'const { robots',
];
const OPERATIONS = [
  'cancelMission',
  'createMission',
  'decommissionRobot',
  'getMission',
  'getRobot',
  'health',
  'listRobots',
  'updateFirmware',
];

const SERVICES: [string, (folder: string) => JavaScriptService][] = [
  ['TypeScript 6', () => new TsServer()],
  ['TypeScript 7', (folder) => new NativeTypeScript(folder)],
];

/** Words of the file are offered by the editor wherever something might stand; it says so by their kind. */
const known = (entries: Entry[]): Entry[] => entries.filter(({ isWord }) => !isWord);

let project: ReturnType<typeof projectFolder>;
let path: string;
let editor: Editor;

beforeEach(async () => {
  project = projectFolder({ 'adapter.js': BODY });
  path = join(project.folder, 'adapter.js');
  editor = await Editor.start({
    folders: [project.folder],
    options: { trusted: true, javascriptService: true },
  });
});

afterEach(async () => {
  await editor.stop();
  project.remove();
});

describe.each(SERVICES)('beside %s', (_, start) => {
  let service: JavaScriptService;
  beforeEach(() => {
    service = start(project.folder);
  });
  afterEach(() => service.stop());

  test('a bound file is left to the editor: it knows every operation, and which are not granted', async () => {
    const uri = await editor.open(path, BOUND);
    await editor.command('loadline.server.writeTypings', { uri });
    await service.open(path, BOUND);
    for (const place of PLACES) expect(await editor.complete(uri, place)).toEqual([]);
    const theirs = known(await service.complete(path, '=> fleet.'));
    expect(theirs.map(({ name }) => name).sort()).toEqual(OPERATIONS);
    expect(theirs.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name)).toEqual([
      'decommissionRobot',
      'updateFirmware',
    ]);
    expect(await service.hover(path, 'fleet.createMission')).toBe(
      '(method) FleetApi.Client.createMission(id: string, body: FleetApi.MissionOrder): Promise<FleetApi.MissionReceipt>',
    );
    expect(hoverText(await editor.hover(uri, 'createMission'))).toBe(
      '**Granted** by `POST /robots/*/missions`',
    );
    expect(await editor.signature(uri, 'fleet.createMission(')).toBe(null);
    expect(await editor.hover(uri, 'dispatch(')).toBe(null);
  });

  test('in an unbound file the editor knows no member of the client, and no label comes from both', async () => {
    const uri = await editor.open(path, BODY);
    await service.open(path, BODY);
    const ours = (await editor.complete(uri, '=> fleet.')).map(({ label }) => label);
    expect([...ours].sort()).toEqual(OPERATIONS);
    for (const place of PLACES) {
      const theirs = known(await service.complete(path, place)).map(({ name }) => name);
      const said = (await editor.complete(uri, place)).map(({ label }) => label);
      const union = [...theirs, ...said];
      expect(
        union.filter((label, index) => union.indexOf(label) !== index),
        place,
      ).toEqual([]);
    }
    expect(known(await service.complete(path, '=> fleet.'))).toEqual([]);
    expect(await service.hover(path, 'fleet.createMission')).toBe('any');
  });
});

test('an editor that turns its service off gets full answers at once', async () => {
  const uri = await editor.open(path, BOUND);
  await editor.command('loadline.server.writeTypings', { uri });
  expect(await editor.complete(uri, '=> fleet.')).toEqual([]);
  await editor.connection.sendNotification('loadline/editorState', { javascriptService: false });
  expect(completionText(await editor.complete(uri, '=> fleet.')).length).toBe(OPERATIONS.length);
  await editor.connection.sendNotification('loadline/editorState', { javascriptService: true });
  expect(await editor.complete(uri, '=> fleet.')).toEqual([]);
});
