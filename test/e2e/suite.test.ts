/** The suite in the extension host of the newest editor and of the oldest that is supported. Its verdict comes over a socket. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterEach, expect, test } from 'vitest';
import { exampleFolder, root } from '../support/loadline.ts';
import type { Said } from './suite/index.ts';
import { vsix } from './support/windows.ts';
import { Workbench } from './support/workbench.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

/** A plain folder, the file that opens it, and beside it two folders with the example. */
function folders(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-folders-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['one', 'two']) cpSync(exampleFolder, join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'plain'));
  writeFileSync(join(folder, 'plain/plain.js'), 'console.log(1);\n');
  writeFileSync(join(folder, 'plain.code-workspace'), JSON.stringify({ folders: [{ path: 'plain' }] }));
  return folder;
}

/** Bundled into a folder of the project: mocha is found from there. */
async function compiled(): Promise<{ suite: string; stub: string }> {
  const folder = join(root, '.cache/e2e');
  await build({
    absWorkingDir: root,
    entryPoints: { suite: 'test/e2e/suite/index.ts' },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  // An editor runs a suite only beside an extension under development; the one under test is the installed package.
  const stub = join(folder, 'stub');
  mkdirSync(stub, { recursive: true });
  const manifest = { name: 'stub', publisher: 'loadline-tests', version: '0.0.1', engines: { vscode: '*' } };
  writeFileSync(join(stub, 'package.json'), JSON.stringify(manifest));
  return { suite: join(folder, 'suite.js'), stub };
}

/** Everything that the suite said until it ended, or until the extension host went away. */
function listen(path: string): { server: Server; said: Promise<Said[]> } {
  const heard: Said[] = [];
  const server = createServer();
  const said = new Promise<Said[]>((resolve) =>
    server.on('connection', (socket) => {
      const lines = createInterface({ input: socket });
      lines.on('line', (line) => heard.push(JSON.parse(line)));
      lines.once('close', () => resolve(heard));
    }),
  );
  server.listen(path);
  return { server, said };
}

test.each(['latest', 'oldest'] as const)('all of it passes in the %s editor', async (editor) => {
  const { suite, stub } = await compiled();
  const sockets = mkdtempSync(join(tmpdir(), 'loadline-suite-'));
  undo.push(() => rmSync(sockets, { recursive: true, force: true }));
  const socket = join(sockets, 's');
  const { server, said } = listen(socket);
  undo.push(() => server.close());
  const bench = await Workbench.open({
    folder: folders(),
    workspaceFile: 'plain.code-workspace',
    editor,
    vsix: [vsix],
    development: [stub],
    suite,
    env: { LOADLINE_SUITE_SOCKET: socket },
  });
  undo.push(() => bench.close());
  const all = await said;
  expect(all.filter(({ kind }) => kind === 'failed')).toEqual([]);
  expect(all.at(-1)).toEqual({ kind: 'ended', passed: 11, failed: 0 });
});
