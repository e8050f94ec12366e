/** Lenses and diagnostics of adapters that ran, as text. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CodeLens, Diagnostic } from 'vscode-languageserver';
import { adapterLenses } from '../../../server/src/language/codeLens.ts';
import type { FileContext } from '../../../server/src/language/feature.ts';
import { runDiagnostics } from '../../../server/src/language/runDiagnostics.ts';
import { diagnosticText } from '../../support/lspClient.ts';
import { scenarios } from '../../support/verdictFiles.ts';
import { run } from '../reports/results.ts';
import { ResultsDesk, TEXT, twice } from '../session/resultsDesk.ts';

let desk: ResultsDesk;
beforeEach(async () => {
  desk = await ResultsDesk.open();
});
afterEach(() => desk.dispose());

/** `line: title, title` for each line that has some. */
function rows(lenses: readonly CodeLens[]): string[] {
  const byLine = new Map<number, string[]>();
  for (const { range, command } of lenses)
    byLine.set(range.start.line, [...(byLine.get(range.start.line) ?? []), command?.title ?? '']);
  return [...byLine].map(([line, titles]) => `${line + 1}: ${titles.join(', ')}`);
}

const TWICE = /^41:1 error rule\/one_order_per_command: 2 orders for command .*\(lost_answer\)$/;

async function drafted(): Promise<void> {
  desk.results.noteResult('adapter.js', await desk.draft('lost_answer', twice()), desk.judged);
}

function ofRule(found: readonly Diagnostic[]): Diagnostic | undefined {
  return found.find(({ code }) => code === 'rule/one_order_per_command');
}

test('rows before anything ran', async () => {
  expect(rows(await adapterLenses(await desk.context()))).toMatchInlineSnapshot(`
    [
      "1: Qualify adapter, Scenarios…",
      "39: ▶ overload, ▶ lost_answer, ▶ dropped_connection, ▶ server_error_after_accept, ▶ refused_order, ▶ silent, +6…",
    ]
  `);
});

test('rows as a run goes on, and after it', async () => {
  const context = await desk.context();
  desk.results.noteRunning('adapter.js', ['nominal', 'lost_answer']);
  const during = rows(await adapterLenses(context));
  await drafted();
  desk.results.noteResult('adapter.js', await desk.draft('nominal'), desk.judged);
  desk.results.noteResult('adapter.js', run('silent', { verdict: 'not_run' }), desk.judged);
  const after = rows(await adapterLenses(context));
  const edited = rows(await adapterLenses(await desk.context('adapter.js', `${TEXT}\n`)));
  expect({ during, after, edited }).toMatchInlineSnapshot(`
    {
      "after": [
        "1: Qualify adapter · 1/16 held, ▶ failed (1), Scenarios…",
        "39: ✗ failed lost_answer, ▶ overload, ▶ dropped_connection, ▶ server_error_after_accept, ▶ refused_order, ? did not run silent, +6…",
      ],
      "during": [
        "1: Qualify adapter · running 2, Scenarios…",
        "39: … running lost_answer, ▶ overload, ▶ dropped_connection, ▶ server_error_after_accept, ▶ refused_order, ▶ silent, +6…",
      ],
      "edited": [
        "1: Qualify adapter, ▶ failed (1), Scenarios…",
        "39: ✗ stale lost_answer, ▶ overload, ▶ dropped_connection, ▶ server_error_after_accept, ▶ refused_order, ? did not run silent, +6…",
      ],
    }
  `);
});

test('each lens does something, in less than 40 characters, six scenarios a row', async () => {
  for (const id of scenarios)
    desk.results.noteResult('adapter.js', await desk.draft(id, twice()), desk.judged);
  const lenses = await adapterLenses(await desk.context('adapter.js', `${TEXT}\n`));
  expect(lenses.filter(({ command }) => (command?.title.length ?? 40) >= 40)).toEqual([]);
  expect(new Set(lenses.map(({ command }) => command?.command))).toEqual(
    new Set(['loadline.server.qualify', 'loadline.pickScenario']),
  );
  expect(lenses.filter(({ range }) => range.start.line === 38).length).toBe(7);
});

test('rows stay while the text has no exports for a moment', async () => {
  const before = rows(await adapterLenses(await desk.context()));
  const broken = rows(await adapterLenses(await desk.context('adapter.js', `/* ${TEXT}`)));
  expect(broken).toEqual(before);
});

test('an untrusted workspace has no lenses', async () => {
  expect(await adapterLenses({ ...(await desk.context()), trusted: false })).toEqual([]);
});

test('a broken rule stands at the call that caused it, with the other calls and the ledger rows', async () => {
  await drafted();
  const context = await desk.context();
  const found = ofRule(await runDiagnostics(context));
  expect(diagnosticText(found ? [found] : [])).toEqual([expect.stringMatching(TWICE)]);
  expect(found?.codeDescription?.href).toMatch(/\/docs\/diagnostics\/rule\/one_order_per_command\.md$/);
  expect(related(found)).toMatchInlineSnapshot(`
    [
      "file:///adapter.js:40:1 lost_answer: another call that took part",
      "loadline-ledger:/adapter.verdicts.jsonl?draft=1&scenario=lost_answer:8:1 lost_answer, ledger row 3 at 0.02 s: The adapter places order m-ea36ce on r2, without a name.",
      "loadline-ledger:/adapter.verdicts.jsonl?draft=1&scenario=lost_answer:10:1 lost_answer, ledger row 5 at 0.04 s: The adapter places order m-435763 on r2, named cmd-fxjcbh6n3q54.",
      "loadline-ledger:/adapter.verdicts.jsonl?draft=1&scenario=lost_answer:25:1 lost_answer, ledger row 20 at 0.18 s: The adapter places order m-71aee9 on r2, without a name.",
      "loadline-ledger:/adapter.verdicts.jsonl?draft=1&scenario=lost_answer:28:1 lost_answer, ledger row 23 at 1.20 s: The adapter places order m-2245bb on r2, named cmd-ftsetudfrnrx.",
      "loadline-ledger:/adapter.verdicts.jsonl?draft=1&scenario=lost_answer:41:1 lost_answer, ledger row 36 at 1.32 s: The adapter places order m-e6367d on r3, without a name.",
    ]
  `);
});

function related(found: Diagnostic | undefined): string[] | undefined {
  return found?.relatedInformation?.map(
    ({ location: { uri, range }, message }) =>
      `${uri.replace(desk.folder, '')}:${range.start.line + 1}:${range.start.character + 1} ${message}`,
  );
}

test('an editor without virtual documents gets the verdict file’s line, and of a draft the adapter', async () => {
  const without = (context: FileContext): FileContext => ({
    ...context,
    editor: { ...context.editor, textDocumentContent: false },
  });
  await drafted();
  const context = without(await desk.context());
  const places = async () =>
    related(ofRule(await runDiagnostics(context)))?.map((text) => text.split(' ')[0] ?? '') ?? [];
  expect(new Set(await places())).toEqual(new Set(['file:///adapter.js:40:1', 'file:///adapter.js:1:1']));
  desk.writeVerdicts(
    await desk.sealedText([await desk.line('nominal'), await desk.line('lost_answer', twice())]),
  );
  await desk.results.noteSigned('adapter.js', ['lost_answer']);
  expect(new Set(await places())).toEqual(
    new Set(['file:///adapter.js:40:1', 'file:///adapter.verdicts.jsonl:2:1']),
  );
});

test('after an edit the place moves along and is told as information; its own line changed, it is gone', async () => {
  desk.writeVerdicts(await desk.sealedText([await desk.line('lost_answer', twice())]));
  await desk.results.refresh('adapter.js');
  const current = await runDiagnostics(await desk.context());
  expect(diagnosticText(current)).toContainEqual(expect.stringMatching(TWICE));
  expect(current.map(({ code }) => code)).not.toContain('stale-verdict');
  const moved = await runDiagnostics(await desk.context('adapter.js', `// new\n${TEXT}`));
  expect(diagnosticText(moved)).toMatchInlineSnapshot(`
    [
      "42:1 information rule/one_order_per_command: 2 orders for command cmd-fxjcbh6n3q54: order m-ea36ce (row 3, 0.02 s) and order m-435763 (row 5, 0.04 s); 2 orders for command cmd-ftsetudfrnrx: order m-71aee9 (row 20, 0.18 s) and order m-2245bb (row 23, 1.201 s); 2 orders for command cmd-d8tyn8htr44x: order m-e6367d (row 36, 1.321 s) and order m-076a36 (row 38, 1.341 s); and 1 more of this kind. (lost_answer; judged before the last change)",
      "1:1 information stale-verdict: 1 signed verdict is about another text than this one: the adapter, the grant, the document or loadline.json has changed since. Qualify again, or undo the change.",
    ]
  `);
  const changed = TEXT.replace('return (await', 'return  (await');
  const gone = await runDiagnostics(await desk.context('adapter.js', changed));
  expect(ofRule(gone)).toBe(undefined);
  expect(gone.map(({ code }) => code)).toContain('stale-verdict');
  const back = await runDiagnostics(await desk.context());
  expect(diagnosticText(back)).toEqual(diagnosticText(current));
});

test('a verdict on a text that is not at hand has no places in this one', async () => {
  desk.writeVerdicts(await desk.sealedText([await desk.line('lost_answer', twice())]));
  await desk.results.refresh('adapter.js');
  const found = await runDiagnostics(await desk.context('adapter.js', `// new\n${TEXT}`));
  expect(found.map(({ code }) => code)).toEqual(['stale-verdict']);
});

test('advice is told once, as information, and not of another text', async () => {
  const advice = [
    { code: 'fan-out' as const, text: 'Ask once.', saved: 2, sites: [{ line: 40, column: 11 }] },
  ];
  for (const id of ['nominal', 'silent'])
    desk.results.noteResult('adapter.js', await desk.draft(id, undefined, { advice }), desk.judged);
  expect(diagnosticText(await runDiagnostics(await desk.context()))).toEqual([
    '40:11 information advice/fan-out: Ask once.',
  ]);
  expect(await runDiagnostics(await desk.context('adapter.js', `${TEXT}\n`))).toEqual([]);
});

test('a place outside of the text is its first line, and foreign words pass the gate', async () => {
  const draft = await desk.draft('lost_answer', twice());
  const rules = draft.rules.map((rule) =>
    rule.held ? rule : { ...rule, text: 'a\u202eb\n[c](command:x)', sites: [{ line: 4000, column: 9 }] },
  );
  desk.results.noteResult('adapter.js', { ...draft, rules }, desk.judged);
  const found = ofRule(await runDiagnostics(await desk.context()));
  expect(found?.range).toEqual({ start: { line: 0, character: 0 }, end: { line: 0, character: 18 } });
  expect(found?.message).toMatchInlineSnapshot(`"ab [c](command:x) (lost_answer)"`);
});
