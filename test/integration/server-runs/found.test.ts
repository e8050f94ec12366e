/** What explorations found, in the editor: listed, marked at its call, with evidence to replay, and run again on demand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type AdaptersAnswer,
  COMMANDS,
  type EvidenceAnswer,
  MESSAGES,
  type RunStarted,
  type ScenarioItem,
} from '../../../shared/src/protocol.ts';
import { diagnosticText, type Editor } from '../../support/lspClient.ts';
import { adapterText } from '../../support/runner.ts';
import { type Desk, ended, left, openDesk, outline, told } from './support.ts';

let desk: Desk;
beforeEach(() => {
  desk = openDesk();
});
afterEach(() => desk.close());

async function explore(editor: Editor, uri: string, params: object) {
  const { run } = await editor.command<RunStarted>(COMMANDS.explore, { uri, ...params });
  return { run, end: await ended(editor, run) };
}

async function foundIn(editor: Editor, uri: string): Promise<ScenarioItem[]> {
  const { adapters } = await editor.connection.sendRequest<AdaptersAnswer>(MESSAGES.adapters);
  return adapters.find((each) => each.uri === uri)?.found ?? [];
}

const short = ({ id, state, stale, signed }: ScenarioItem) => [id, state, stale, signed];

test('a schedule that an exploration found is listed, stands at its call, can be replayed, and runs again', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  expect(await foundIn(editor, uri)).toEqual([]);
  const { run, end } = await explore(editor, uri, { trials: 6 });
  const found = await foundIn(editor, uri);
  const first =
    'the 1st listRobots of the first inventory is handled, and a 500 comes in place of its answer';
  const second =
    'the 1st listRobots of the first inventory is handled, and the connection closes before its answer';
  const third = 'the 1st listRobots of the first inventory finds no connection';
  expect(found.map(({ id }) => id)).toEqual([first, second, third]);
  expect(found.map(short)).toEqual(found.map(({ id }) => [id, 'failed', false, false]));
  expect(end.verdict).toBe('failed');
  expect(end.text?.split('\n')[0]).toBe('3 found in 9 trials.');
  expect(outline(told(editor, run))).toEqual([
    ...['queued', 'running'],
    ...found.map(({ id }) => `scenario ${id} failed`),
  ]);

  const code = 'rule/kept_the_contracts_shapes';
  const [mark] = (await editor.pull(uri)).filter((each) => each.code === code);
  const line = desk.text.slice(0, desk.text.indexOf('.listRobots(')).split('\n').length;
  expect(mark && diagnosticText([mark])[0]).toMatch(new RegExp(`^${line}:\\d+ error ${code}: `));

  const asked = { uri, scenario: first };
  const { result, stale } = await editor.connection.sendRequest<EvidenceAnswer>(MESSAGES.evidence, asked);
  expect([result?.verdict, stale, result?.perOperation.listRobots]).toEqual(['failed', false, 2]);
  expect(result?.evidence?.trace.map(({ operation, status }) => [operation, status])[0]).toEqual([
    'listRobots',
    500,
  ]);

  // Mended: it is stale until it is run again, and then it holds.
  const mended = adapterText('adapter-v3.js');
  writeFileSync(desk.path, mended);
  await editor.edit(uri, desk.text, mended);
  const before = (await foundIn(editor, uri)).find(({ id }) => id === first);
  expect(before && short(before)).toEqual([first, 'failed', true, false]);
  const again = await explore(editor, uri, { found: [first] });
  expect([again.end.verdict, outline(told(editor, again.run))]).toEqual([
    'partial',
    ['queued', 'running', `scenario ${first} qualified`, 'ended partial'],
  ]);
  const after = (await foundIn(editor, uri)).find(({ id }) => id === first);
  expect(after && short(after)).toEqual([first, 'qualified', false, false]);
  expect(await left(editor)).toEqual([]);
});

test('what is not kept is refused in a sentence, and what cannot be read keeps nothing', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  await expect(explore(editor, uri, { found: [] })).rejects.toThrow(
    'Nothing was found in adapter.js yet; explore it first.',
  );
  const kept = join(desk.path, '../loadline.scenarios.json');
  writeFileSync(kept, '{"scenarios": [');
  expect(await foundIn(editor, uri)).toEqual([]);
  const schedule = { kind: 'x', operation: 'x', seed: 1, plan: { seed: 1 } };
  const entry = { adapter: 'adapter.js', sha256: '', fault: 'a \u202e b', rules: [], schedule };
  const hostile = JSON.stringify({ scenarios: [entry] });
  writeFileSync(kept, hostile);
  expect(await foundIn(editor, uri)).toEqual([]);
  writeFileSync(kept, JSON.stringify({ scenarios: [{ ...entry, fault: 'a b' }] }));
  expect((await foundIn(editor, uri)).map(short)).toEqual([['a b', 'none', false, false]]);
  writeFileSync(kept, '{"scenarios": [');
  await expect(explore(editor, uri, { found: ['gone'] })).rejects.toThrow(
    'loadline.scenarios.json does not keep "gone" any more.',
  );
  expect(readFileSync(kept, 'utf8')).toBe('{"scenarios": [');
});
