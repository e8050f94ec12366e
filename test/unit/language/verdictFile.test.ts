/** Verdict files as they are read: each line's state, what is wrong with it, what it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adapterLenses } from '../../../server/src/language/codeLens.ts';
import { runDiagnostics } from '../../../server/src/language/runDiagnostics.ts';
import { hoverVerdictFile } from '../../../server/src/language/verdictFile.ts';
import { diagnosticText, hoverText } from '../../support/lspClient.ts';
import { newKey } from '../../support/verdictFiles.ts';
import { ResultsDesk, TEXT, twice } from '../session/resultsDesk.ts';

let desk: ResultsDesk;
let text: string;
beforeEach(async () => {
  desk = await ResultsDesk.open();
  text = await desk.sealedText([await desk.line('nominal'), await desk.line('lost_answer', twice())]);
});
afterEach(() => desk.dispose());

async function shown(file: string): Promise<{ lenses: string[]; said: string[] }> {
  const context = await desk.context('adapter.verdicts.jsonl', file, 'jsonl');
  return {
    lenses: (await adapterLenses(context)).map(
      ({ range, command }) => `${range.start.line + 1} ${command?.title}`,
    ),
    said: diagnosticText(await runDiagnostics(context)).map((each) => each.replaceAll(desk.key.kid, 'KEY')),
  };
}

test('lines that are valid say so and lead to their ledger', async () => {
  expect(await shown(text)).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ✓ valid · nominal",
        "1 qualified: open ledger",
        "2 ✓ valid · lost_answer",
        "2 failed: open ledger",
        "3 ✓ valid · checkpoint 1",
      ],
      "said": [],
    }
  `);
  const context = await desk.context('adapter.verdicts.jsonl', text, 'jsonl');
  const commands = (await adapterLenses(context)).map(({ command }) => [
    command?.command,
    command?.arguments,
  ]);
  expect(commands.slice(0, 2)).toEqual([
    ['loadline.server.verify', [{ uri: context.uri }]],
    ['loadline.openLedger', [{ uri: `file://${desk.folder}/adapter.js`, scenario: 'nominal' }]],
  ]);
});

test('a line that was changed is forged; one that is no line is damaged', async () => {
  const forged = text.replace('"verdict":"failed"', '"verdict":"qualified"');
  expect(await shown(forged)).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ✓ valid · nominal",
        "1 qualified: open ledger",
        "2 ✗ forged",
        "3 ✗ not whole · checkpoint 1",
      ],
      "said": [
        "2:1 error verdict-file/signature: The signature does not belong to this statement and key.",
      ],
    }
  `);
  expect(await shown(text.replace('{"protected"', '{ "protected"'))).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ✗ damaged",
        "2 ✓ valid · lost_answer",
        "2 failed: open ledger",
        "3 ✗ not whole · checkpoint 1",
      ],
      "said": [
        "1:1 error verdict-file/form: The line is not in canonical form (RFC 8785).",
      ],
    }
  `);
  expect(await shown('<<<<<<< HEAD\n')).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ✗ damaged",
      ],
      "said": [
        "1:1 error verdict-file/form: The line is not JSON.",
      ],
    }
  `);
  expect(await shown(text.trimEnd())).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ✗ damaged",
        "2 ✗ damaged",
        "3 ✗ damaged",
      ],
      "said": [
        "1:1 error verdict-file/form: The file does not end with a line feed.",
      ],
    }
  `);
});

test('lines of a stranger are no verdicts', async () => {
  desk.trusted.clear();
  expect(await shown(text)).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ? untrusted · nominal",
        "2 ? untrusted · lost_answer",
        "3 ? untrusted · checkpoint 1",
      ],
      "said": [
        "1:1 information verdict-file/key: The key KEY is neither yours nor among those of loadline.trustedKeys, so these are not shown as verdicts.",
      ],
    }
  `);
});

test('a line that was taken from another file is forged', async () => {
  const other = await newKey();
  const [line = ''] = [await desk.line('silent', undefined, other)];
  const [first, ...rest] = text.split('\n');
  expect((await shown([first, line, ...rest].join('\n'))).lenses).toMatchInlineSnapshot(`
    [
      "1 ✓ valid · nominal",
      "1 qualified: open ledger",
      "2 ✗ forged · silent",
      "3 ✗ forged · lost_answer",
      "4 ✗ not whole · checkpoint 1",
    ]
  `);
});

test('files that changed since make lines stale, and are named', async () => {
  desk.open('adapter.js', `${TEXT}\n`);
  const grant = readFileSync(join(desk.folder, 'fleet.grant'), 'utf8');
  await desk.workspace.noteChange(desk.open('fleet.grant', `${grant}\n`, 'loadline-grant'));
  expect(await shown(text)).toMatchInlineSnapshot(`
    {
      "lenses": [
        "1 ○ stale · nominal",
        "1 qualified: open ledger",
        "2 ○ stale · lost_answer",
        "2 failed: open ledger",
        "3 ○ stale · checkpoint 1",
      ],
      "said": [
        "1:1 information stale-verdict: What was judged has changed since: the adapter, the grant. Qualify again, or undo the change.",
      ],
    }
  `);
});

test('hover says what is established and what is not', async () => {
  const context = await desk.context('adapter.verdicts.jsonl', text, 'jsonl');
  const at = (line: number) => hoverVerdictFile(context, { line, character: 5 });
  expect(
    hoverText(await at(1))?.replaceAll(desk.key.kid.replaceAll(/([_-])/g, '\\$1'), 'KEY'),
  ).toMatchInlineSnapshot(`
    "**✓ valid** \`lost_answer of adapter.js: failed\`

    The bytes are as a trusted key signed them, and the verdict follows from its evidence.

    - broken\\: one\\_order\\_per\\_command, ended\\_as\\_it\\_should
    - rules fleet/1\\.0, seed 93588941
    - docker 20\\.10\\.24, runc, tier container, virtual clock
    - ran from 2026\\-01\\-05T10\\:00\\:00\\.000Z to 2026\\-01\\-05T10\\:00\\:01\\.250Z, as stated
    - key KEY

    Not established:
    - What the guest says is a claim\\: the values returned, the places in the code, and that module\\.exports did it and not other code of the file\\.
    - The ledger is the vendor's account as it was read\\.
    - Ledger, trace, tier and image are the runner's word, which judging again cannot prove\\.
    - The clock is the host's, and times are stated, not proven\\.
    - Nothing vouches for the key\\: whose it is has to be known from elsewhere\\.
    - That this is the newest file of its subject cannot be seen from the file\\."
  `);
  expect(
    hoverText(await at(2))
      ?.split('\n\n')
      .slice(0, 2),
  ).toMatchInlineSnapshot(`
    [
      "**✓ valid** \`checkpoint 1 of adapter.js: failed\`",
      "The bytes are as a trusted key signed them, and the verdict follows from its evidence.",
    ]
  `);
  expect(await at(3)).toBe(null);
});

test('what a forged line says passes the gate', async () => {
  const forged = text.replace('"scenario":"lost_answer"', '"scenario":"![x](command:y)\u202e<img>"');
  const context = await desk.context('adapter.verdicts.jsonl', forged, 'jsonl');
  const hovers = await Promise.all(
    [0, 1, 2].map((line) => hoverVerdictFile(context, { line, character: 0 })),
  );
  const all = hovers.map(hoverText).join('\n');
  expect(all).not.toMatch(/\u202e|(?<!\\)!\[|(?<!\\)<img|\]\(command/);
});

test('a file that no loadline.json governs is checked as far as it goes', async () => {
  const context = await desk.context('adapter.verdicts.jsonl', text, 'jsonl');
  const lenses = await adapterLenses({ ...context, view: null });
  expect(lenses.map(({ command }) => command?.title)).toEqual([
    '? untrusted · nominal',
    '? untrusted · lost_answer',
    '? untrusted · checkpoint 1',
  ]);
});
