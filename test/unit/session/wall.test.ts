/** The error wall: every handler that fails gives its empty answer and one line in the log. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CancellationTokenSource, type Diagnostic } from 'vscode-languageserver';
import { PROVIDERS } from '../../../server/src/language/diagnostics.ts';
import type { FileContext } from '../../../server/src/language/feature.ts';
import { DiagnosticsHub } from '../../../server/src/session/diagnosticsHub.ts';
import { Wall } from '../../../server/src/session/wall.ts';

function hub(context: (uri: string) => Promise<FileContext | null>): { hub: DiagnosticsHub; log: string[] } {
  const log: string[] = [];
  const parts = {
    wall: new Wall((text) => log.push(text.split('\n')[0] ?? '')),
    context,
    version: () => 1,
    uris: () => [],
    pulls: () => true,
    refresh: () => undefined,
    publish: () => undefined,
  };
  return { hub: new DiagnosticsHub(parts), log };
}

/** A file whose every property throws. */
function hostile(): FileContext {
  const target = Object.create(null) as FileContext;
  return new Proxy(target, {
    get: (_, name) => {
      // A promise is told from a value by this.
      if (name === 'then') return undefined;
      throw new Error(`no ${String(name)}`);
    },
  });
}

test('what fails gives the empty answer and one line; what is cancelled gives it and none', async () => {
  const log: string[] = [];
  const wall = new Wall((text) => log.push(text.split('\n')[0] ?? ''));
  const fail = () => {
    throw new Error('broken');
  };
  expect(await wall.guard('hover', null, fail)).toBe(null);
  expect(await wall.guard('completion', [], async () => Promise.reject(new Error('late')))).toEqual([]);
  expect(await wall.guard('lens', [1], () => [2])).toEqual([2]);
  const { token, cancel } = cancellation();
  const answered = wall.guard(
    'definition',
    'empty',
    async () => {
      cancel();
      return 'late';
    },
    token,
  );
  expect(await answered).toBe('empty');
  expect(await wall.guard('definition', 'empty', fail, token)).toBe('empty');
  expect(log).toEqual(['hover failed: Error: broken', 'completion failed: Error: late']);
});

test('a provider of diagnostics that fails says nothing, once', async () => {
  const { hub: diagnostics, log } = hub(async () => hostile());
  expect(await diagnostics.of('file:///adapter.js')).toEqual([] as Diagnostic[]);
  expect(log.map((line) => line.replace(/:.*/, ''))).toEqual(
    PROVIDERS.map(({ name }) => `${name} diagnostics failed`),
  );
});

test('a context that cannot be made gives no diagnostics', async () => {
  const { hub: diagnostics, log } = hub(async () => {
    throw new Error('no disk');
  });
  expect(await diagnostics.of('file:///adapter.js')).toEqual([]);
  expect(log).toEqual(['context failed: Error: no disk']);
});

test('every handler of the connection that answers is behind the wall, or refuses with a sentence', () => {
  const path = fileURLToPath(new URL('../../../server/src/connection.ts', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const handlers = text.split(/\n {2}(?=connection\.)/).slice(1);
  const answering = handlers.filter(
    (handler) => !/^connection\.(onInitialize|onShutdown|onNotification|onDid)/.test(handler),
  );
  expect(answering.length).toBeGreaterThan(10);
  const bare = answering.filter(
    (handler) => !/\bon\(|wall\.guard|refusing|diagnostics\.of|runs\.cancel/.test(handler),
  );
  expect(bare).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(300);
});

function cancellation(): { token: CancellationTokenSource['token']; cancel: () => void } {
  const source = new CancellationTokenSource();
  return { token: source.token, cancel: () => source.cancel() };
}
