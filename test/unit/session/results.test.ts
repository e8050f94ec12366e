/** What is known of runs: verified lines of trusted keys, drafts, and whether they are about the text as it is now. */
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ledgerText } from '../../../server/src/language/ledger.ts';
import { ledgerOf } from '../../../server/src/session/ledgerAddress.ts';
import { moveResults, renamesAlong } from '../../../server/src/session/moved.ts';
import { sha256 } from '../../../server/src/workspace/files.ts';
import { evidenceOf, newKey, statementOf, verdictLine } from '../../support/verdictFiles.ts';
import { run } from '../reports/results.ts';
import { ResultsDesk, TEXT, twice } from './resultsDesk.ts';

let desk: ResultsDesk;
beforeEach(async () => {
  desk = await ResultsDesk.open();
});
afterEach(() => desk.dispose());

test('lines of a file that verifies are verdicts', async () => {
  const lines = [await desk.line('nominal'), await desk.line('lost_answer', twice())];
  desk.writeVerdicts(await desk.sealedText(lines));
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual(['nominal qualified signed', 'lost_answer failed signed']);
  const known = desk.results.scenarios('adapter.js').find(({ id }) => id === 'lost_answer');
  expect(known?.result?.rules.filter(({ held }) => !held).map(({ id }) => id)).toContain(
    'one_order_per_command',
  );
  expect(known?.judged).toEqual({ sha256: sha256(TEXT), text: TEXT });
  expect(known?.ledger).toBe(
    `loadline-ledger:${desk.folder}/adapter.verdicts.jsonl?line=2&run=6f1c0b52-33f5-4a0e-9d0c-3a1f1f1f2b11`,
  );
  expect(desk.changed).toEqual(['adapter.js']);
});

test('a line that was changed is no verdict, the others are', async () => {
  const lines = [await desk.line('nominal'), await desk.line('lost_answer', twice())];
  const text = await desk.sealedText(lines);
  desk.writeVerdicts(text.replace('"verdict":"failed"', '"verdict":"qualified"'));
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual(['nominal qualified signed']);
});

test('lines of a key that is not trusted are no verdicts, until it is', async () => {
  const stranger = await newKey();
  const lines = [await desk.line('nominal', undefined, stranger)];
  desk.writeVerdicts(await desk.sealedText(lines, stranger));
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual([]);
  desk.trusted.add(stranger.kid);
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual([]);
  await desk.results.refreshAll();
  expect(desk.known()).toEqual(['nominal qualified signed']);
});

test('bytes that are no UTF-8, and a link, are no verdict file', async () => {
  const text = await desk.sealedText([await desk.line('nominal')]);
  desk.writeVerdicts(Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]));
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual([]);
  writeFileSync(join(desk.folder, 'elsewhere'), text);
  writeFileSync(join(desk.folder, 'adapter-b.js'), TEXT);
  symlinkSync(join(desk.folder, 'elsewhere'), join(desk.folder, 'adapter-b.verdicts.jsonl'));
  await desk.results.refresh('adapter-b.js');
  expect(desk.known('adapter-b.js')).toEqual([]);
});

test('another text makes a verdict stale; undo makes it current again', async () => {
  desk.writeVerdicts(await desk.sealedText([await desk.line('nominal')]));
  await desk.results.refresh('adapter.js');
  desk.open('adapter.js', TEXT);
  expect(desk.known()).toEqual(['nominal qualified signed']);
  desk.open('adapter.js', TEXT.replace('// 3', '// three'));
  expect(desk.known()).toEqual(['nominal qualified signed stale']);
  expect(desk.results.scenarios('adapter.js')[0]?.judged?.text).toBe(TEXT);
  desk.open('adapter.js', TEXT);
  expect(desk.known()).toEqual(['nominal qualified signed']);
});

test.each([
  ['fleet.grant', 'loadline-grant'],
  ['vendor.openapi.yaml', 'yaml'],
  ['loadline.json', 'json'],
])('another %s makes it stale; undo makes it current again', async (name, language) => {
  desk.writeVerdicts(await desk.sealedText([await desk.line('nominal')]));
  await desk.results.refresh('adapter.js');
  const text = readFileSync(join(desk.folder, name), 'utf8');
  const states: string[][] = [];
  for (const each of [text, `${text}\n`, text]) {
    const uri = desk.open(name, each, language);
    await desk.workspace.noteChange(uri);
    await desk.project.refresh();
    states.push(desk.known());
  }
  expect(states).toEqual([
    ['nominal qualified signed'],
    ['nominal qualified signed stale'],
    ['nominal qualified signed'],
  ]);
});

test('a line whose rules are not known here is no verdict', async () => {
  const statement = await statementOf(await evidenceOf('nominal', undefined, TEXT), desk.key, TEXT);
  Object.assign(statement.predicate.inputs, desk.results.inputs(), { contract: 'fleet/0.9' });
  desk.writeVerdicts(await desk.sealedText([await verdictLine(statement, desk.key)]));
  await desk.results.refresh('adapter.js');
  expect(desk.known()).toEqual([]);
});

test('a byte order mark belongs to what was judged', () => {
  desk.write('adapter.js', `\uFEFF${TEXT}`);
  desk.open('adapter.js', TEXT);
  expect(desk.results.digestOf('adapter.js')).toBe(sha256(`\uFEFF${TEXT}`));
  desk.open('adapter.js', `${TEXT}\n`);
  expect(desk.results.digestOf('adapter.js')).toBe(sha256(`${TEXT}\n`));
});

test('a draft is about what it ran, whatever is edited meanwhile', async () => {
  const { judged } = desk;
  desk.open('adapter.js', TEXT);
  desk.results.noteRunning('adapter.js', ['lost_answer', 'silent']);
  expect(desk.known()).toEqual(['lost_answer running', 'silent running']);
  desk.open('adapter.js', `${TEXT}\n`);
  desk.results.noteResult('adapter.js', await desk.draft('lost_answer', twice()), judged);
  expect(desk.known()).toEqual(['lost_answer failed stale', 'silent running']);
  desk.results.noteEnded('adapter.js');
  desk.open('adapter.js', TEXT);
  expect(desk.known()).toEqual(['lost_answer failed']);
});

test('what did not run is said where nothing else is known, and is no verdict', async () => {
  const failed = run('nominal', { verdict: 'not_run', reason: 'engine', message: 'No engine answers.' });
  desk.results.noteResult('adapter.js', failed, desk.judged);
  expect(desk.known()).toEqual(['nominal not_run']);
  desk.results.noteResult('adapter.js', await desk.draft('nominal'), desk.judged);
  expect(desk.known()).toEqual(['nominal qualified']);
  desk.results.noteResult('adapter.js', failed, desk.judged);
  expect(desk.known()).toEqual(['nominal qualified']);
});

test('what is signed takes the place of the draft, and keeps its advice while the session remembers it', async () => {
  const advice = [{ code: 'fan-out' as const, text: 'Ask once.', saved: 2, sites: [] }];
  const credential = '6f1c0b52-33f5-4a0e-9d0c-3a1f1f1f2b11';
  desk.results.noteResult(
    'adapter.js',
    await desk.draft('nominal', undefined, { advice, credential }),
    desk.judged,
  );
  desk.writeVerdicts(await desk.sealedText([await desk.line('nominal')]));
  await desk.results.noteSigned('adapter.js', ['nominal']);
  expect(desk.known()).toEqual(['nominal qualified signed']);
  expect(desk.results.scenarios('adapter.js')[0]?.result?.advice).toEqual(advice);
});

test('results follow an adapter that is renamed, and go with one that is deleted', async () => {
  desk.results.noteResult('adapter.js', await desk.draft('lost_answer', twice()), desk.judged);
  desk.write('adapter-b.js', TEXT);
  desk.results.move('adapter.js', 'adapter-b.js');
  expect([desk.known(), desk.known('adapter-b.js')]).toEqual([[], ['lost_answer failed']]);
  desk.results.move('adapter-b.js', null);
  expect(desk.known('adapter-b.js')).toEqual([]);
});

test('at most 200 drafts are kept, the newest', async () => {
  const draft = await desk.draft('nominal');
  mkdirSync(join(desk.folder, 'broken'));
  for (let index = 0; index <= 200; index += 1)
    desk.results.noteResult(`broken/adapter-${index}.js`, draft, desk.judged);
  const states = ['broken/adapter-0.js', 'broken/adapter-1.js', 'broken/adapter-200.js'].map((name) => {
    desk.write(name, TEXT);
    return desk.known(name);
  });
  expect(states).toEqual([[], ['nominal qualified'], ['nominal qualified']]);
});

test('an address names one run: a newer one has another', async () => {
  desk.results.noteResult('adapter.js', await desk.draft('lost_answer', twice()), desk.judged);
  const address = () =>
    desk.results.scenarios('adapter.js').find(({ id }) => id === 'lost_answer')?.ledger ?? '';
  const first = address();
  const file = join(desk.folder, 'adapter.verdicts.jsonl');
  expect(first).toBe(`loadline-ledger:${file}?draft=1&scenario=lost_answer`);
  const of = ledgerOf(first);
  if (of === null) throw new Error('no address');
  const result = desk.results.byAddress(of, 'adapter.js');
  expect(result?.evidence && ledgerText(result, result.evidence).split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^Ledger of lost_answer: the vendor's own account, \d+ rows\. Verdict: failed\.$/),
    expect.stringMatching(/^Broken: .*one_order_per_command \(rows \d+/),
  ]);
  desk.results.noteResult('adapter.js', await desk.draft('lost_answer'), desk.judged);
  expect(desk.results.byAddress(of, 'adapter.js')).toBe(undefined);
  expect(address()).toBe(`loadline-ledger:${file}?draft=2&scenario=lost_answer`);
});

test('an address is read as it was given and as an editor escapes it', () => {
  const of = { verdictFile: '/a b/#1/adapter.verdicts.jsonl', run: { line: 2, id: 'x-1' } };
  const given = 'loadline-ledger:/a%20b/%231/adapter.verdicts.jsonl?line=2&run=x-1';
  expect(ledgerOf(given)).toEqual(of);
  expect(ledgerOf(given.replace('line=2&run=x-1', 'line%3D2%26run%3Dx-1'))).toEqual(of);
  expect(['loadline-ledger:/a', 'loadline-ledger:/a?line=2', 'loadline-ledger:/a?%ZZ'].map(ledgerOf)).toEqual(
    [null, null, null],
  );
});

test('a verdict file is compared with the files of today', async () => {
  const { adapterUri, adapter, ...inputs } = desk.results.comparison('adapter.verdicts.jsonl');
  expect([adapterUri, adapter]).toEqual([`file://${desk.folder}/adapter.js`, sha256(TEXT)]);
  expect(inputs).toMatchObject(desk.results.inputs());
  expect(desk.results.comparison('other.verdicts.jsonl').adapter).toBe('');
});

test('a verdict file is renamed with its adapter, and what is known follows', async () => {
  desk.writeVerdicts(await desk.sealedText([await desk.line('lost_answer', twice())]));
  await desk.results.refresh('adapter.js');
  const uri = (name: string) => `file://${desk.folder}/${name}`;
  const to = (name: string | null) => [{ from: uri('adapter.js'), to: name === null ? null : uri(name) }];
  expect(renamesAlong([desk.project], to('adapter-b.js'))).toEqual([
    {
      kind: 'rename',
      oldUri: uri('adapter.verdicts.jsonl'),
      newUri: uri('adapter-b.verdicts.jsonl'),
      options: { ignoreIfExists: true },
    },
  ]);
  expect(renamesAlong([desk.project], [...to('helper.js'), ...to(null)])).toEqual([]);
  for (const name of ['adapter.js', 'adapter.verdicts.jsonl'])
    renameSync(join(desk.folder, name), join(desk.folder, name.replace('adapter', 'adapter-b')));
  await moveResults(new Map([[desk.project, desk.results]]), to('adapter-b.js'));
  expect([desk.known(), desk.known('adapter-b.js')]).toEqual([[], ['lost_answer failed signed']]);
  expect(renamesAlong([desk.project], to('adapter-c.js'))).toEqual([]);
});
