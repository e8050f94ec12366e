/** Written typings: whole, ours, inside the folder, kept current where they are. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OpenProject } from '../../../server/src/session/openProject.ts';
import {
  areTypingsCurrent,
  refreshTypings,
  typingsText,
  writeTypings,
} from '../../../server/src/session/typings.ts';
import { Desk } from './support.ts';

let desk: Desk;
let file: string;
beforeEach(() => {
  desk = new Desk();
  file = join(desk.folder, '.loadline/fleet.d.ts');
});
afterEach(() => desk.dispose());

async function project(): Promise<OpenProject> {
  const found = await desk.workspace.projectOf(desk.folder);
  if (found === null) throw new Error('There is no project.');
  return found;
}

test('the header names the digest of what follows; nothing else is written but an ignore file', async () => {
  const view = await project();
  expect(writeTypings(view)).toBe(file);
  const [header = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const digest = createHash('sha256').update(rest.join('\n')).digest('hex');
  expect(header).toBe(
    `// Written by Loadline from the vendor document and the grant; it is written again when they change. sha256:${digest}`,
  );
  expect(rest.join('\n')).toContain('declare const fleet: FleetApi.Client;');
  expect(rest.join('\n')).toContain('declare namespace FleetContract {');
  expect(readdirSync(join(desk.folder, '.loadline')).sort()).toEqual(['.gitignore', 'fleet.d.ts']);
  expect(areTypingsCurrent(view)).toBe(true);
});

test('what is not granted is deprecated in them, with the reason', async () => {
  const text = typingsText(await project());
  expect(text).toMatch(/@deprecated not granted: the grant has no line for it\s+\*\/\s+decommissionRobot\(/);
});

test('they are written again when the grant changes, but never made by that', async () => {
  const view = await project();
  refreshTypings(view);
  expect(existsSync(file)).toBe(false);
  writeTypings(view);
  const before = readFileSync(file, 'utf8');
  desk.write('fleet.grant', 'GET /robots\n');
  view.outdate();
  await view.refresh();
  refreshTypings(view);
  expect(readFileSync(file, 'utf8')).toBe(typingsText(view));
  expect(readFileSync(file, 'utf8')).not.toBe(before);
});

test("a person's own file of that name is left alone", async () => {
  mkdirSync(join(desk.folder, '.loadline'));
  writeFileSync(file, 'declare const fleet: any;\n');
  refreshTypings(await project());
  expect(readFileSync(file, 'utf8')).toBe('declare const fleet: any;\n');
});

test('a folder that is a link is not written through', async () => {
  mkdirSync(join(desk.folder, 'elsewhere'));
  symlinkSync(join(desk.folder, 'elsewhere'), join(desk.folder, '.loadline'));
  const view = await project();
  expect(() => writeTypings(view)).toThrow(
    `The typings are not written: ${join(desk.folder, '.loadline')} is a link; remove it.`,
  );
  expect(readdirSync(join(desk.folder, 'elsewhere'))).toEqual([]);
});

test('a file that is a link is replaced, and what it led to stays', async () => {
  mkdirSync(join(desk.folder, '.loadline'));
  writeFileSync(join(desk.folder, 'target'), 'mine\n');
  symlinkSync(join(desk.folder, 'target'), file);
  const view = await project();
  expect(areTypingsCurrent(view)).toBe(false);
  writeTypings(view);
  expect(readFileSync(join(desk.folder, 'target'), 'utf8')).toBe('mine\n');
  expect(areTypingsCurrent(view)).toBe(true);
});

test('without a surface there is nothing to write', async () => {
  desk.write('fleet.grant', '');
  desk.write(
    'loadline.json',
    '{"contract": "fleet/1", "client": "fleet", "openapi": "none.yaml", "grant": "fleet.grant", "vendor": "simulated:fleet"}',
  );
  const view = await project();
  expect(() => writeTypings(view)).toThrow(
    'The typings are not written: loadline.json, the document or the grant has errors.',
  );
});
