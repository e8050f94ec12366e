/** Who speaks about a file: the grid of reference, written typings and running service. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTypings } from '../../../server/src/session/typings.ts';
import { Desk } from './support.ts';

const REFERENCE = '/// <reference path="./.loadline/fleet.d.ts" />\n';
const BODY = 'module.exports = {};\n';

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk.dispose());

async function isBound(
  text: string,
  state: { trusted: boolean; javascriptService: boolean },
  typings: 'none' | 'old' | 'current',
  name = 'adapter.js',
): Promise<boolean | undefined> {
  const project = await desk.workspace.projectOf(join(desk.folder, name));
  if (typings === 'old') {
    mkdirSync(join(desk.folder, '.loadline'));
    writeFileSync(join(desk.folder, '.loadline/fleet.d.ts'), 'declare const fleet: any;\n');
  }
  if (typings === 'current' && project !== null) writeTypings(project);
  desk.workspace.setEditorState(state);
  return (await desk.workspace.context(desk.open(name, text)))?.bound;
}

const RUNS = { trusted: true, javascriptService: true };

test.each([
  ['with all of it', REFERENCE, RUNS, 'current', true],
  ['without a reference', '', RUNS, 'current', false],
  ['without typings', REFERENCE, RUNS, 'none', false],
  ['with other typings', REFERENCE, RUNS, 'old', false],
  ['without a service', REFERENCE, { trusted: true, javascriptService: false }, 'current', false],
  [
    'without trust, where no service runs',
    REFERENCE,
    { trusted: false, javascriptService: true },
    'current',
    false,
  ],
  ['without reference and service', '', { trusted: true, javascriptService: false }, 'current', false],
  ['without anything', '', { trusted: true, javascriptService: false }, 'none', false],
] as const)('%s a file is bound: %#', async (_, head, state, typings, expected) => {
  expect(await isBound(head + BODY, state, typings)).toBe(expected);
});

test.each([
  ['#!/usr/bin/env node\n// An adapter.\n/* of\n   two lines */\n\n', '', true],
  ["'use strict';\n", '', false],
  ['', '/* no end\n', true],
  ['/* ', '*/\n', false],
  ['const text = `\n', '`;\n', false],
])('a reference counts above the first statement alone: %#', async (before, after, expected) => {
  expect(await isBound(`${before}${REFERENCE}${after}${BODY}`, RUNS, 'current')).toBe(expected);
});

test.each([
  ["/// <reference path='.loadline/fleet.d.ts'/>\n", true],
  ['///<reference   path = "./.loadline/fleet.d.ts"   />\r\n', true],
  ['// <reference path="./.loadline/fleet.d.ts" />\n', false],
  ['/// <reference types="./.loadline/fleet.d.ts" />\n', false],
  ['/// <reference path="./.loadline/other.d.ts" />\n', false],
  ['/// <reference path="../.loadline/fleet.d.ts" />\n', false],
])('the reference has to lead to the typings: %s', async (head, expected) => {
  expect(await isBound(head + BODY, RUNS, 'current')).toBe(expected);
});

test('an adapter in a folder below refers upwards', async () => {
  mkdirSync(join(desk.folder, 'broken'));
  const head = '/// <reference path="../.loadline/fleet.d.ts" />\n';
  expect(await isBound(head + BODY, RUNS, 'current', 'broken/adapter-x.js')).toBe(true);
});

test('a grant that changes unbinds until the typings are written again', async () => {
  expect(await isBound(REFERENCE + BODY, RUNS, 'current')).toBe(true);
  desk.write('fleet.grant', 'GET /robots\n');
  const adapter = desk.open('adapter.js', REFERENCE + BODY);
  await desk.workspace.noteChange(adapter.replace('adapter.js', 'fleet.grant'));
  expect((await desk.workspace.context(adapter))?.bound).toBe(false);
  const project = await desk.workspace.projectOf(join(desk.folder, 'adapter.js'));
  if (project !== null) writeTypings(project);
  expect((await desk.workspace.context(adapter))?.bound).toBe(true);
});
