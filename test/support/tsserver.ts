/** The JavaScript service that editors have built in: up to TypeScript 6 its own server, over its own protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './loadline.ts';

interface Message {
  type: 'response' | 'event';
  request_seq?: number;
  event?: string;
  body?: unknown;
}

interface Completion {
  name: string;
  kind: string;
  kindModifiers?: string;
}

export interface Entry {
  name: string;
  /** A word of the file, not a member that it knows of. */
  isWord: boolean;
  isDeprecated: boolean;
}

/** What an editor asks it of a file that is open; places are behind the first occurrence of a text. */
export interface JavaScriptService {
  open(file: string, text: string): Promise<void>;
  complete(file: string, search: string): Promise<Entry[]>;
  /** The first line of the hover on the last character. */
  hover(file: string, search: string): Promise<string>;
  stop(): Promise<void>;
}

export class TsServer implements JavaScriptService {
  readonly child: ChildProcess;
  readonly #answers = new Map<number, (message: Message) => void>();
  /** Who waits for an event of a name. */
  readonly #events = new Map<string, (message: Message) => void>();
  readonly #texts = new Map<string, string>();
  #sequence = 0;
  #read = Buffer.alloc(0);

  constructor() {
    this.child = spawn(
      process.execPath,
      [join(root, 'node_modules/typescript/lib/tsserver.js'), '--disableAutomaticTypingAcquisition'],
      { stdio: ['pipe', 'pipe', 'ignore'] },
    );
    this.child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  async open(file: string, text: string): Promise<void> {
    this.#texts.set(file, text);
    const scriptKindName = file.endsWith('.ts') ? 'TS' : 'JS';
    this.#send('open', { file, fileContent: text, scriptKindName });
  }

  /** Replaces the first occurrence of a text, as typing it would. */
  edit(file: string, search: string, replacement: string): void {
    const end = this.#placeBehind(file, search);
    const { line, offset } = this.#placeBehind(file, search, 0);
    const insertString = replacement;
    this.#send('change', { file, line, offset, endLine: end.line, endOffset: end.offset, insertString });
    this.#texts.set(
      file,
      this.#textOf(file).replace(search, () => replacement),
    );
  }

  /** Number of the errors of a file that is a module or a script of its project. */
  async errors(file: string, delay = 0): Promise<number> {
    const found = new Promise<Message>((resolve) => this.#events.set('semanticDiag', resolve));
    this.#send('geterr', { files: [file], delay });
    return ((await found).body as { diagnostics: unknown[] }).diagnostics.length;
  }

  async complete(file: string, search: string): Promise<Entry[]> {
    const { body } = await this.#ask('completionInfo', { file, ...this.#placeBehind(file, search) });
    const entries = (body as { entries: Completion[] } | undefined)?.entries ?? [];
    return entries.map(({ name, kind, kindModifiers }) => ({
      name,
      isWord: kind === 'warning',
      isDeprecated: kindModifiers?.includes('deprecated') === true,
    }));
  }

  async hover(file: string, search: string): Promise<string> {
    const { line, offset } = this.#placeBehind(file, search);
    const { body } = await this.#ask('quickinfo', { file, line, offset: offset - 1 });
    return (body as { displayString: string } | undefined)?.displayString ?? '';
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.#send('exit', {});
    await ended;
  }

  #send(command: string, args: object): number {
    this.#sequence += 1;
    const message = { seq: this.#sequence, type: 'request', command, arguments: args };
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
    return this.#sequence;
  }

  #ask(command: string, args: object): Promise<Message> {
    return new Promise((resolve) => this.#answers.set(this.#send(command, args), resolve));
  }

  #take(chunk: Buffer): void {
    this.#read = Buffer.concat([this.#read, chunk]);
    for (;;) {
      const head = this.#read.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.#read.subarray(0, head).toString())?.[1]);
      if (head < 0 || this.#read.length < head + 4 + length) return;
      const message: Message = JSON.parse(this.#read.subarray(head + 4, head + 4 + length).toString());
      this.#read = this.#read.subarray(head + 4 + length);
      this.#answers.get(message.request_seq ?? -1)?.(message);
      this.#events.get(message.event ?? '')?.(message);
    }
  }

  /** 1-based. */
  #placeBehind(file: string, search: string, into = search.length): { line: number; offset: number } {
    const text = this.#textOf(file);
    const at = text.indexOf(search);
    if (at < 0) throw new Error(`"${search}" is not in the text.`);
    const before = text.slice(0, at + into).split('\n');
    return { line: before.length, offset: (before.at(-1)?.length ?? 0) + 1 };
  }

  #textOf(file: string): string {
    return this.#texts.get(file) ?? '';
  }
}
