/** Hovers in verdict files, and results that follow renamed and deleted adapters. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkspaceEdit } from 'vscode-languageserver';
import { type AdaptersAnswer, MESSAGES } from '../../../shared/src/protocol.ts';
import { type Editor, hoverText, uriOf } from '../../support/lspClient.ts';
import { type Desk, ended, openDesk, qualify } from './support.ts';

let desk: Desk;
let editor: Editor;
let uri: string;
beforeEach(async () => {
  desk = openDesk();
  editor = await desk.start();
  uri = await editor.open(desk.path, desk.text);
  await ended(editor, await qualify(editor, uri, { scenarios: ['lost_answer'] }));
});
afterEach(() => desk.close());

/** `name: scenario state` of what is known. */
async function known(): Promise<string[]> {
  const { adapters } = await editor.connection.sendRequest<AdaptersAnswer>(MESSAGES.adapters, {});
  return adapters.flatMap(({ name, scenarios }) =>
    scenarios
      .filter(({ state }) => state !== 'none')
      .map(({ id, state, signed }) => `${name}: ${id} ${state}${signed ? ' signed' : ''}`),
  );
}

test('hover on a line says what it is', async () => {
  const verdicts = await editor.open(desk.verdicts, readFileSync(desk.verdicts, 'utf8'));
  expect(
    hoverText(await editor.hover(verdicts, '"scenario":'))
      ?.split('\n\n')
      .slice(0, 2),
  ).toEqual([
    '**✓ valid** `lost_answer of adapter.js: failed`',
    'The bytes are as a trusted key signed them, and the verdict follows from its evidence.',
  ]);
});

test('results and verdict file go along with a renamed adapter, and go with a deleted one', async () => {
  expect(await known()).toEqual(['adapter.js: lost_answer failed signed']);
  const moved = join(desk.folder, 'adapter-b.js');
  const files = [{ oldUri: uri, newUri: uriOf(moved) }];
  const edit = await editor.connection.sendRequest<WorkspaceEdit>('workspace/willRenameFiles', { files });
  const verdicts = join(desk.folder, 'adapter-b.verdicts.jsonl');
  expect(edit.documentChanges).toEqual([
    {
      kind: 'rename',
      oldUri: uriOf(desk.verdicts),
      newUri: uriOf(verdicts),
      options: { ignoreIfExists: true },
    },
  ]);
  renameSync(desk.verdicts, verdicts);
  renameSync(desk.path, moved);
  await editor.close(uri);
  await editor.connection.sendNotification('workspace/didRenameFiles', { files });
  expect(await known()).toEqual(['adapter-b.js: lost_answer failed signed']);
  rmSync(moved);
  await editor.connection.sendNotification('workspace/didDeleteFiles', { files: [{ uri: uriOf(moved) }] });
  expect(await known()).toEqual([]);
});
