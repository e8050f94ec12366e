/** Of an untrusted workspace the server starts no process, opens no socket, writes nothing and reads nothing outside. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleFolder, root } from '../../support/loadline.ts';
import { completionText, Editor, uriOf } from '../../support/lspClient.ts';

const ADAPTER = `/// <reference path="./.loadline/fleet.d.ts" />\n${readFileSync(join(exampleFolder, 'adapter-v2.js'), 'utf8')}`;
const CALLS =
  'execve,execveat,socket,connect,bind,open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,symlink,symlinkat,link,linkat,truncate';

let base: string;
let folder: string;
let log: string;
let connections: number;
let listener: ReturnType<typeof createServer>;

/** A cloned folder that reaches for everything outside: a parent's files, links, an address. */
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'loadline-untrusted-'));
  folder = join(base, 'clone');
  log = join(base, 'strace.log');
  connections = 0;
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  mkdirSync(join(folder, '.loadline'), { recursive: true });
  mkdirSync(join(folder, 'inner'));
  const secret = 'components:\n  schemas:\n    Secret: { type: string, description: outside }\n';
  for (const name of ['secret.yaml', 'secret.grant', 'secret.jsonl', 'secret.js', 'loadline.json'])
    writeFileSync(join(base, name), name.endsWith('.yaml') ? secret : 'outside\n');
  for (const name of ['loadline.json', 'fleet.grant'])
    writeFileSync(join(folder, name), readFileSync(join(exampleFolder, name)));
  const schemas = [
    `    FromAddress: { $ref: "http://127.0.0.1:${port}/a.yaml#/components/schemas/Secret" }`,
    '    FromAbove: { $ref: "../secret.yaml#/components/schemas/Secret" }',
    '    FromLink: { $ref: "link.yaml#/components/schemas/Secret" }',
  ].join('\n');
  const document = readFileSync(join(exampleFolder, 'vendor.openapi.yaml'), 'utf8');
  writeFileSync(
    join(folder, 'vendor.openapi.yaml'),
    document.replace(/^ {2}schemas:\n/m, `  schemas:\n${schemas}\n`),
  );
  writeFileSync(join(folder, 'adapter.js'), ADAPTER);
  writeFileSync(
    join(folder, '.loadline/fleet.d.ts'),
    '// Written by Loadline from the vendor document and the grant; it is written again when they change. sha256:0\n',
  );
  symlinkSync(join(base, 'secret.yaml'), join(folder, 'link.yaml'));
  symlinkSync(join(base, 'secret.jsonl'), join(folder, 'adapter.verdicts.jsonl'));
  symlinkSync(join(base, 'secret.js'), join(folder, 'adapter-link.js'));
});

afterEach(() => {
  listener.close();
  rmSync(base, { recursive: true, force: true });
});

test('no process, no socket, no file outside, nothing written', async () => {
  const editor = await Editor.start({
    folders: [folder],
    settings: () => ({ draftOnSave: 'nominal' }),
    options: { trusted: false, javascriptService: true },
    watching: false,
    command: [
      'strace',
      '-f',
      '-qq',
      '-e',
      `trace=${CALLS}`,
      '-o',
      log,
      process.execPath,
      join(root, 'dist/server.js'),
      '--stdio',
    ],
  });
  const uri = await editor.open(join(folder, 'adapter.js'), ADAPTER);
  await editor.open(
    join(folder, 'vendor.openapi.yaml'),
    readFileSync(join(folder, 'vendor.openapi.yaml'), 'utf8'),
  );
  await editor.open(join(folder, 'adapter-link.js'), 'module.exports = {};\n');
  // Above the folder there is a loadline.json too; it governs nothing of an untrusted workspace.
  await editor.open(join(base, 'secret.js'), 'module.exports = {};\n');
  expect(await editor.pushed(uri)).toEqual([]);
  expect(completionText(await editor.complete(uri, '=> fleet.')).length).toBe(8);
  expect(await editor.hover(uri, 'createMission')).not.toBe(null);
  await editor.definition(uri, 'createMission');
  await editor.connection.sendRequest('textDocument/codeLens', { textDocument: { uri } });
  await editor.connection.sendRequest('loadline/adapters', {});
  await editor.edit(uri, 'ATTEMPTS = 40', 'ATTEMPTS = 41');
  await editor.connection.sendNotification('textDocument/didSave', { textDocument: { uri } });
  await editor.changed(join(folder, 'fleet.grant'));
  expect(await editor.pushed(uri)).toEqual([]);
  const params = { uri };
  for (const command of ['qualify', 'qualifyAll', 'probe', 'writeTypings'])
    await expect(editor.command(`loadline.server.${command}`, params)).rejects.toThrow(/not trusted/);
  await expect(editor.command('loadline.server.verify', params)).rejects.toThrow('There is no verdict file');
  expect(await editor.stop()).toBe(0);

  const calls = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes(' = -1 '));
  const of = (names: RegExp) => calls.filter((line) => names.test(line.replace(/^\d+ +/, '')));
  expect(of(/^execve(at)?\(/).length).toBe(1);
  expect(of(/^(socket|connect|bind)\(/)).toEqual([]);
  expect(
    of(
      /^(creat|unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|symlink|symlinkat|link|linkat|truncate)\(/,
    ),
  ).toEqual([]);
  expect(
    of(/^open(at)?\(/).filter((line) => /O_WRONLY|O_RDWR|O_CREAT/.test(line) && !line.includes('"/dev/')),
  ).toEqual([]);
  const opened = of(/^open(at)?\(/).flatMap((line) => /"([^"]*)"/.exec(line)?.[1] ?? []);
  expect(opened).toContain(join(folder, 'loadline.json'));
  expect(opened.filter((path) => path.startsWith(base) && !path.startsWith(folder))).toEqual([]);
  expect(opened.filter((path) => /link|verdicts/.test(path))).toEqual([]);
  expect(connections).toBe(0);
  expect(uriOf(folder)).toMatch(/^file:/);
});
