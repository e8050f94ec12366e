/** The language server starts over stdio, from its own bundle and from the command line. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { version } from '../../../package.json';
import { root } from '../../support/loadline.ts';

test.each([['server.js'], ['cli.js']])(
  'dist/%s --stdio answers initialize and ends on exit',
  async (bundle) => {
    const child = spawn(process.execPath, [join(root, 'dist', bundle), '--stdio'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.listen();
    const result = await connection.sendRequest('initialize', {
      processId: null,
      rootUri: null,
      capabilities: {},
    });
    expect(result).toMatchObject({
      capabilities: { textDocumentSync: { openClose: true, change: 2, save: true } },
      serverInfo: { name: 'loadline', version },
    });
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    expect(await ended).toBe(0);
    connection.dispose();
  },
);
