/** The JavaScript service that editors have built in: TypeScript's own server, over its own protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './loadline.ts';

interface Message {
  type: 'response' | 'event';
  request_seq?: number;
  body?: unknown;
}

export interface Entry {
  name: string;
  /** `warning`: a word of the file, not a member that it knows of. */
  kind: string;
  kindModifiers?: string;
}

export class TsServer {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (message: Message) => void>();
  #sequence = 0;
  #read = Buffer.alloc(0);

  constructor() {
    this.#child = spawn(
      process.execPath,
      [join(root, 'node_modules/typescript/lib/tsserver.js'), '--disableAutomaticTypingAcquisition'],
      { stdio: ['pipe', 'pipe', 'ignore'] },
    );
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  open(file: string, fileContent: string): void {
    this.#send('open', { file, fileContent, scriptKindName: 'JS' });
  }

  /** What the editor would list behind the first occurrence of a text. */
  async complete(file: string, text: string, search: string): Promise<Entry[]> {
    const { body } = await this.#ask('completionInfo', { file, ...placeBehind(text, search) });
    return (body as { entries: Entry[] } | undefined)?.entries ?? [];
  }

  /** The first line of the hover on the last character of a text. */
  async hover(file: string, text: string, search: string): Promise<string> {
    const place = placeBehind(text, search);
    const { body } = await this.#ask('quickinfo', { file, ...place, offset: place.offset - 1 });
    return (body as { displayString: string } | undefined)?.displayString ?? '';
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#send('exit', {});
    await ended;
  }

  #send(command: string, args: object): number {
    this.#sequence += 1;
    const message = { seq: this.#sequence, type: 'request', command, arguments: args };
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
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
    }
  }
}

/** 1-based. */
function placeBehind(text: string, search: string): { line: number; offset: number } {
  const at = text.indexOf(search);
  if (at < 0) throw new Error(`"${search}" is not in the text.`);
  const before = text.slice(0, at + search.length).split('\n');
  return { line: before.length, offset: (before.at(-1)?.length ?? 0) + 1 };
}
