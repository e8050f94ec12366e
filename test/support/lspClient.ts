/** An editor of the language server, without an editor: a real connection over stdio, answers as values. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import {
  type CodeAction,
  type CompletionItem,
  type CompletionList,
  type Diagnostic,
  type Hover,
  type InitializeResult,
  type Location,
  type PublishDiagnosticsParams,
  Range,
  type SignatureHelp,
} from 'vscode-languageserver';
import { type InitializationOptions, MESSAGES, type StatusParams } from '../../shared/src/protocol.ts';
import { root } from './loadline.ts';

export interface EditorOptions {
  /** Paths of workspace folders. */
  folders: string[];
  /** Pull diagnostics instead of taking them. */
  pull?: boolean;
  /** The editor watches files for the server. Default true. */
  watching?: boolean;
  /** The section `loadline` as `workspace/configuration` answers it; absent: the editor knows no such request. */
  settings?: (uri: string) => unknown;
  options?: InitializationOptions;
  /** What starts the server; default: node with the built server. */
  command?: string[];
  env?: NodeJS.ProcessEnv;
}

const LANGUAGES = new Map([
  ['.js', 'javascript'],
  ['.grant', 'loadline-grant'],
  ['.json', 'json'],
  ['.yaml', 'yaml'],
]);

export const uriOf = (path: string): string => pathToFileURL(path).href;

export class Editor {
  readonly child: ChildProcess;
  readonly connection: MessageConnection;
  /** Of every message that the server sent, in order. */
  readonly received: { method: string; params: unknown }[] = [];
  readonly ended: Promise<number | null>;
  initialized: InitializeResult = { capabilities: {} };
  settings: EditorOptions['settings'];
  stderr = '';
  /** Everything that the server wrote on stdout. */
  readonly written: Buffer[] = [];
  readonly #texts = new Map<string, { version: number; text: string }>();
  readonly #waiting = new Set<() => void>();

  private constructor(child: ChildProcess, stdin: Writable, stdout: Readable, options: EditorOptions) {
    this.child = child;
    this.settings = options.settings;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => child.once('exit', resolve));
    stdout.on('data', (chunk: Buffer) => this.written.push(chunk));
    this.connection = createMessageConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    );
    this.connection.onNotification((method, params) => this.#note(method, params));
    this.connection.onRequest((method, params) => this.#answer(method, params));
    this.connection.listen();
  }

  static async start(options: EditorOptions): Promise<Editor> {
    const [command = process.execPath, ...args] = options.command ?? [
      process.execPath,
      join(root, 'dist/server.js'),
      '--stdio',
    ];
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    });
    if (!child.stdin || !child.stdout) throw new Error('The server has no stdio.');
    const editor = new Editor(child, child.stdin, child.stdout, options);
    editor.initialized = await editor.connection.sendRequest('initialize', initializeParams(options));
    await editor.connection.sendNotification('initialized', {});
    return editor;
  }

  async open(path: string, text: string): Promise<string> {
    const uri = uriOf(path);
    const languageId = LANGUAGES.get(/\.\w+$/.exec(path)?.[0] ?? '') ?? 'plaintext';
    this.#texts.set(uri, { version: 1, text });
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: 1, text },
    });
    return uri;
  }

  /** Replaces the first occurrence of `search`, as typing it would. */
  async edit(uri: string, search: string, replacement: string): Promise<void> {
    const { version, text } = this.#textOf(uri);
    const at = text.indexOf(search);
    if (at < 0) throw new Error(`"${search}" is not in ${uri}.`);
    const next = text.slice(0, at) + replacement + text.slice(at + search.length);
    const range = { start: positionIn(text, at), end: positionIn(text, at + search.length) };
    this.#texts.set(uri, { version: version + 1, text: next });
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: version + 1 },
      contentChanges: [{ range, text: replacement }],
    });
  }

  async close(uri: string): Promise<void> {
    this.#texts.delete(uri);
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  /** Position params of the first occurrence of a text, `offset` characters into it. */
  at(uri: string, search: string, offset = 0): object {
    const { text } = this.#textOf(uri);
    const index = text.indexOf(search);
    if (index < 0) throw new Error(`"${search}" is not in ${uri}.`);
    return { textDocument: { uri }, position: positionIn(text, index + offset) };
  }

  /** Items as the list means them: with what it says of all. */
  async complete(uri: string, search: string): Promise<CompletionItem[]> {
    const { items, itemDefaults } = await this.completionList(uri, search);
    const { editRange, ...others } = itemDefaults ?? {};
    return items.map(({ textEditText, ...item }) => {
      const newText = textEditText ?? item.label;
      const textEdit = Range.is(editRange) ? { textEdit: { range: editRange, newText } } : {};
      return { ...others, ...textEdit, ...item };
    });
  }

  /** The list as it is sent. */
  async completionList(uri: string, search: string): Promise<CompletionList> {
    const at = this.at(uri, search, search.length);
    const answer = await this.connection.sendRequest<CompletionList | []>('textDocument/completion', at);
    return Array.isArray(answer) ? { isIncomplete: false, items: answer } : answer;
  }

  resolve(item: CompletionItem): Promise<CompletionItem> {
    return this.connection.sendRequest('completionItem/resolve', item);
  }

  hover(uri: string, search: string, offset = 1): Promise<Hover | null> {
    return this.connection.sendRequest('textDocument/hover', this.at(uri, search, offset));
  }

  signature(uri: string, search: string): Promise<SignatureHelp | null> {
    return this.connection.sendRequest('textDocument/signatureHelp', this.at(uri, search, search.length));
  }

  definition(uri: string, search: string, offset = 1): Promise<Location[]> {
    return this.connection.sendRequest('textDocument/definition', this.at(uri, search, offset));
  }

  actions(uri: string, diagnostic: Diagnostic): Promise<CodeAction[]> {
    return this.connection.sendRequest('textDocument/codeAction', {
      textDocument: { uri },
      range: diagnostic.range,
      context: { diagnostics: [diagnostic] },
    });
  }

  async pull(uri: string): Promise<Diagnostic[]> {
    const report: { items: Diagnostic[] } = await this.connection.sendRequest('textDocument/diagnostic', {
      textDocument: { uri },
    });
    return report.items;
  }

  /** The next pushed diagnostics of the text as it is now; those that come already count. */
  async pushed(uri: string): Promise<Diagnostic[]> {
    const { version } = this.#textOf(uri);
    const found = await this.until(() => this.publications(uri).findLast((each) => each.version === version));
    return found.diagnostics;
  }

  publications(uri: string): PublishDiagnosticsParams[] {
    return this.notifications<PublishDiagnosticsParams>('textDocument/publishDiagnostics').filter(
      (each) => each.uri === uri,
    );
  }

  statuses(): StatusParams[] {
    return this.notifications<StatusParams>(MESSAGES.status);
  }

  notifications<Params>(method: string): Params[] {
    return this.received.filter((each) => each.method === method).map(({ params }) => params as Params);
  }

  /** Waits for messages of the server until `find` gives something. */
  async until<Found>(find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  command<Answer>(command: string, params: object): Promise<Answer> {
    return this.connection.sendRequest('workspace/executeCommand', { command, arguments: [params] });
  }

  /** Says that files changed on disk: 1 made, 2 changed, 3 deleted. */
  changed(path: string, type: 1 | 2 | 3 = 2): Promise<void> {
    return this.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: uriOf(path), type }],
    });
  }

  /** Every message that the server wrote, answers too. */
  messages(): unknown[] {
    let rest = Buffer.concat(this.written);
    const found: unknown[] = [];
    for (;;) {
      const head = rest.indexOf('\r\n\r\n');
      if (head < 0) return found;
      const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, head).toString())?.[1]);
      found.push(JSON.parse(rest.subarray(head + 4, head + 4 + length).toString()));
      rest = rest.subarray(head + 4 + length);
    }
  }

  /** Ends the server as an editor does; gives its exit code. */
  async stop(): Promise<number | null> {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    const code = await this.ended;
    this.connection.dispose();
    return code;
  }

  #textOf(uri: string): { version: number; text: string } {
    const known = this.#texts.get(uri);
    if (known === undefined) throw new Error(`${uri} is not open.`);
    return known;
  }

  #note(method: string, params: unknown): void {
    this.received.push({ method, params });
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #answer(method: string, params: unknown): unknown {
    this.#note(method, params);
    if (method === 'window/showDocument') return { success: true };
    if (method !== 'workspace/configuration') return null;
    const { items } = params as { items: { scopeUri?: string }[] };
    return items.map(({ scopeUri = '' }) => this.settings?.(scopeUri) ?? null);
  }
}

function initializeParams({ folders, pull, watching = true, settings, options }: EditorOptions): object {
  return {
    processId: process.pid,
    rootUri: folders[0] === undefined ? null : uriOf(folders[0]),
    workspaceFolders: folders.map((folder) => ({ uri: uriOf(folder), name: folder })),
    ...(options === undefined ? {} : { initializationOptions: options }),
    capabilities: {
      workspace: {
        workspaceFolders: true,
        configuration: settings !== undefined,
        didChangeWatchedFiles: { dynamicRegistration: watching },
        codeLens: { refreshSupport: true },
        textDocumentContent: { dynamicRegistration: true },
        diagnostics: { refreshSupport: pull === true },
      },
      window: { showDocument: { support: true } },
      textDocument: {
        completion: {
          completionItem: { snippetSupport: true, resolveSupport: { properties: ['documentation'] } },
          completionList: { itemDefaults: ['editRange', 'insertTextFormat', 'data'] },
        },
        hover: { contentFormat: ['markdown', 'plaintext'] },
        publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true },
        ...(pull ? { diagnostic: { dynamicRegistration: false } } : {}),
      },
    },
  };
}

function positionIn(text: string, offset: number): { line: number; character: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length - 1;
  return { line, character: offset - (before.lastIndexOf('\n') + 1) };
}

/** One line per item: `label | detail`, struck through where it is deprecated. */
export function completionText(items: readonly CompletionItem[]): string[] {
  return [...items]
    .sort((a, b) => ((a.sortText ?? a.label) < (b.sortText ?? b.label) ? -1 : 1))
    .map(({ label, detail, tags }) => {
      const name = tags?.includes(1) ? `~~${label}~~` : label;
      return detail === undefined ? name : `${name} | ${detail}`;
    });
}

/** `line:column severity code: message`, 1-based, severities as words. */
export function diagnosticText(diagnostics: readonly Diagnostic[]): string[] {
  const words = ['', 'error', 'warning', 'information', 'hint'];
  return diagnostics.map(
    ({ range: { start }, severity = 0, code, message }) =>
      `${start.line + 1}:${start.character + 1} ${words[severity]} ${code}: ${message}`,
  );
}

export function hoverText(hover: Hover | null): string | null {
  if (hover === null) return null;
  const { contents } = hover;
  return typeof contents === 'object' && 'value' in contents ? contents.value : JSON.stringify(contents);
}

/** Whether a command is on PATH. */
export function isInstalled(command: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, command)));
}
