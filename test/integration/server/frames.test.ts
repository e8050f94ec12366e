/** What a broken editor sends: frames in pieces, frames that are none, requests about nothing. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../support/loadline.ts';

interface Answer {
  id?: number | null;
  result?: unknown;
  error?: { code: number };
}

class RawServer {
  readonly child = spawn(process.execPath, [join(root, 'dist/server.js'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  readonly ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
  #read = Buffer.alloc(0);
  #wake = (): void => undefined;

  constructor() {
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.#read = Buffer.concat([this.#read, chunk]);
      this.#wake();
    });
  }

  write(text: string): Promise<void> {
    return new Promise((resolve) => this.child.stdin.write(text, () => resolve()));
  }

  send(message: object): Promise<void> {
    return this.write(frame(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  /** The answer to the request of that id. */
  async answer(id: number | null): Promise<Answer> {
    for (;;) {
      for (const message of this.#messages()) if (message.id === id && !('method' in message)) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #messages(): Answer[] {
    const text = this.#read.toString();
    return text
      .split(/Content-Length: \d+\r\n\r\n/)
      .filter((part) => part !== '')
      .flatMap((part) => {
        try {
          return [JSON.parse(part) as Answer];
        } catch {
          return [];
        }
      });
  }
}

const frame = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { processId: null, rootUri: null, capabilities: {} },
};

async function stop(server: RawServer): Promise<number | null> {
  await server.send({ id: 99, method: 'shutdown' });
  await server.answer(99);
  await server.send({ method: 'exit' });
  return server.ended;
}

test('a frame that arrives in pieces is one message', async () => {
  const server = new RawServer();
  const text = frame(JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }));
  for (let at = 0; at < text.length; at += 7) await server.write(text.slice(at, at + 7));
  expect((await server.answer(1)).result).toMatchObject({ serverInfo: { name: 'loadline' } });
  expect(await stop(server)).toBe(0);
});

test('a frame that is no JSON, and one that is no request, are passed over', async () => {
  const server = new RawServer();
  await server.send(INITIALIZE);
  await server.answer(1);
  await server.write(frame('{"jsonrpc": "2.0", "id": 2, '));
  await server.write(frame('[]'));
  await server.write(frame('{"jsonrpc":"2.0","id":3}'));
  await server.send({ id: 4, method: 'loadline/unknown' });
  expect((await server.answer(4)).error?.code).toBe(-32601);
  expect(await stop(server)).toBe(0);
});

test.each([
  [
    'textDocument/hover',
    { textDocument: { uri: 'file:///nowhere/a.js' }, position: { line: 9, character: 9 } },
    null,
  ],
  [
    'textDocument/hover',
    { textDocument: { uri: 'untitled:Untitled-1' }, position: { line: 0, character: 0 } },
    null,
  ],
  [
    'textDocument/hover',
    { textDocument: { uri: 'file:///%zz/%00' }, position: { line: 0, character: 0 } },
    null,
  ],
  [
    'textDocument/completion',
    { textDocument: { uri: 'file:///nowhere/a.js' }, position: { line: 0, character: 0 } },
    { isIncomplete: false, items: [] },
  ],
  ['textDocument/codeLens', { textDocument: { uri: 'git:/a.js?HEAD' } }, []],
  [
    'textDocument/definition',
    { textDocument: { uri: 'vscode-notebook-cell:/a.js' }, position: { line: 0, character: 0 } },
    [],
  ],
  ['loadline/adapters', {}, { adapters: [] }],
])('%s about nothing is answered with nothing', async (method, params, empty) => {
  const server = new RawServer();
  await server.send(INITIALIZE);
  await server.answer(1);
  await server.send({ id: 2, method, params });
  expect((await server.answer(2)).result).toEqual(empty);
  expect(await stop(server)).toBe(0);
});

test('the server ends when the editor is gone', async () => {
  const server = new RawServer();
  await server.send(INITIALIZE);
  await server.answer(1);
  await server.write('Content-Length: 4000\r\n\r\n{"half":');
  server.child.stdin.end();
  expect(await server.ended).not.toBe(null);
});
