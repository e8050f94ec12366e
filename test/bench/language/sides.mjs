/** The two that are compared, behind one form: a server, one adapter open in it, and what an editor asks. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies, root } from '../../../scripts/lib/setup.mjs';
import { loadSource } from '../../../scripts/load-source.mjs';
import { KEY, REST } from './subjects.mjs';

const ORACLE = `${root}test/oracle`;
/** Of a published diagnostic the wait of both after the last key, in ms: that of our server. */
export const WAIT_MS = 150;

/** Folders of both, made once: theirs with the types made of the document. Remove `folder` afterwards. */
export async function foldersOf(subject) {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-bench-'));
  const document = `document${extname(subject.document)}`;
  const ours = join(folder, 'ours');
  mkdirSync(ours);
  cpSync(subject.document, join(ours, document));
  writeFileSync(join(ours, 'vendor.grant'), subject.grant);
  const { client } = subject;
  const config = { contract: 'fleet/1', client, openapi: document, grant: 'vendor.grant' };
  writeFileSync(
    join(ours, 'loadline.json'),
    JSON.stringify({ ...config, vendor: 'simulated:fleet', adapters: ['adapter.js'] }),
  );
  const theirs = join(folder, 'theirs');
  mkdirSync(join(theirs, 'node_modules'), { recursive: true });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(`${ORACLE}/node_modules/${name}`, join(theirs, 'node_modules', name));
  writeFileSync(join(theirs, 'schema.d.ts'), await typesOf(subject.document));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
  };
  writeFileSync(join(theirs, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(join(ours, 'adapter.js'), subject.ours.text);
  writeFileSync(join(theirs, 'adapter.ts'), subject.theirs.text);
  return { ours, theirs, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function typesOf(document) {
  installDependencies(ORACLE);
  const { default: generate, astToString } = await import(
    pathToFileURL(`${ORACLE}/node_modules/openapi-typescript/dist/index.mjs`).href
  );
  return astToString(await generate(pathToFileURL(document), { silent: true }));
}

/** Bytes that a process holds in memory. */
function memoryOf({ pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

export class Ours {
  /** @param pull whether the editor asks for diagnostics; it is told them where it does not */
  static async start(folder, { ours: side }, { text = side.text, pull = true } = {}) {
    const { Editor } = await loadSource('test/support/lspClient.ts');
    const editor = await Editor.start({ folders: [folder], pull });
    return new Ours(editor, side, await editor.open(join(folder, 'adapter.js'), text));
  }

  constructor(editor, side, uri) {
    Object.assign(this, { editor, side, uri });
  }

  edit(search, replacement) {
    return this.editor.edit(this.uri, search, replacement);
  }

  async labels() {
    return (await this.editor.complete(this.uri, this.side.caret)).map(({ label }) => label);
  }

  /** Number of findings, asked for. */
  async findings() {
    return (await this.editor.pull(this.uri)).length;
  }

  /** Number of findings, as they are published after the wait. */
  async published() {
    return (await this.editor.pushed(this.uri)).length;
  }

  memory() {
    return memoryOf(this.editor.child);
  }

  stop() {
    return this.editor.stop();
  }
}

export class Theirs {
  static async start(folder, { theirs: side }, { text = side.text } = {}) {
    const { TsServer } = await loadSource('test/support/tsserver.ts');
    const server = new TsServer();
    const file = join(folder, 'adapter.ts');
    await server.open(file, text);
    return new Theirs(server, side, file);
  }

  constructor(server, side, file) {
    Object.assign(this, { server, side, file });
  }

  async edit(search, replacement) {
    this.server.edit(this.file, search, replacement);
  }

  async labels() {
    return (await this.server.complete(this.file, this.side.caret)).map(({ name }) => name);
  }

  findings() {
    return this.server.errors(this.file);
  }

  published() {
    return this.server.errors(this.file, WAIT_MS);
  }

  memory() {
    return memoryOf(this.server.child);
  }

  stop() {
    return this.server.stop();
  }
}

/** What a text is while a call is being written. */
export const unfinished = (side) => side.text.replace(REST, () => side.unfinished);

/** Types a key, or takes it back: every second one. */
export function toggle(side, count) {
  return count % 2 === 0
    ? side.edit(`${KEY.search};`, `${KEY.typed};`)
    : side.edit(`${KEY.typed};`, `${KEY.search};`);
}
