/** The readable view of a verdict file: its rows, whose keys, and what becomes of a hostile file. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verdictRows } from '../../../server/src/language/verdictRows.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import type { KeyOwner, VerdictFileAnswer } from '../../../shared/src/protocol.ts';
import { newKey } from '../../support/verdictFiles.ts';
import { ResultsDesk, TEXT, twice } from '../session/resultsDesk.ts';

let desk: ResultsDesk;
let text: string;
beforeEach(async () => {
  desk = await ResultsDesk.open();
  text = await desk.sealedText([await desk.line('nominal'), await desk.line('lost_answer', twice())]);
});
afterEach(() => desk.dispose());

async function answerOf(
  file: string,
  owner: KeyOwner = 'mine',
  change: { mayTrust?: boolean; name?: string } = {},
): Promise<VerdictFileAnswer> {
  return verdictRows({
    name: 'adapter.verdicts.jsonl',
    text: file,
    result: await verifyBytes(new TextEncoder().encode(file), { partial: true }),
    comparison: desk.results.comparison('adapter.verdicts.jsonl'),
    trusted: new Map(owner === 'unknown' ? [] : [[desk.key.kid, owner]]),
    mayTrust: true,
    ledgerOf: (line, run) => `ledger ${line} ${run}`,
    ...change,
  });
}

/** `line state: facts | name verdict: broken rules, whose key`. */
function shown({ rows }: VerdictFileAnswer): string[] {
  return rows.map(({ line, label, facts, says }) => {
    const why = facts.map(({ kind, text: fact }) => ` [${kind}: ${fact}]`).join('');
    const what =
      says === null
        ? 'nothing'
        : `${says.name} ${says.verdict}: ${says.broken.map(({ id }) => id).join(', ') || 'none'}, ${says.whose}`;
    return `${line} ${label}${why} | ${what}`;
  });
}

test('each line is a row: its state, what ran, what broke, whose key', async () => {
  const answer = await answerOf(text);
  expect(shown(answer)).toEqual([
    '1 ✓ valid | nominal qualified: none, mine',
    '2 ✓ valid | lost_answer failed: one_order_per_command, ended_as_it_should, mine',
    '3 ✓ valid | checkpoint 1 failed: none, mine',
  ]);
  expect(answer.summary).toBe('Verified. 2 lines and the checkpoint that seals them: failed.');
  expect(answer.adapter).toBe(`file://${join(desk.folder, 'adapter.js')}`);
  expect(answer.keys).toEqual([{ kid: desk.key.kid, whose: 'mine', lines: 3, jwk: desk.key.publicKey }]);
  const says = answer.rows[1]?.says;
  expect(says).toMatchObject({
    scenario: 'lost_answer',
    subject: 'adapter.js',
    sha256: desk.judged.sha256,
    endedAt: '2026-01-05T10:00:01.250Z',
    kid: desk.key.kid,
    ledger: 'ledger 2 6f1c0b52-33f5-4a0e-9d0c-3a1f1f1f2b11',
  });
  expect(says?.broken[0]?.text).toMatch(/^2 orders|two orders|orders/);
  expect(says?.notEstablished).toHaveLength(6);
  expect(answer.rows[2]?.says?.ledger).toBe(null);
});

test('one changed byte is refused with its kind; what the line says is not shown', async () => {
  const answer = await answerOf(text.replace('"verdict":"failed"', '"verdict":"fAiled"'));
  expect(shown(answer)[1]).toMatch(/^2 ✗ (forged|damaged) \[(signature|form): .+\] \| nothing$/);
  expect(shown(answer)[2]).toBe('3 ✗ not whole | checkpoint 1 failed: none, mine');
  expect(answer.whole).toBe(false);
  expect(answer.summary).toMatch(/^NOT verified: line 2, (signature|form): /);
});

test('a trusted key and a stranger are told apart, and a stranger shows no ledger', async () => {
  expect(shown(await answerOf(text, 'trusted'))[0]).toBe('1 ✓ valid | nominal qualified: none, trusted');
  const stranger = await answerOf(text, 'unknown');
  expect(shown(stranger)[0]).toBe('1 ? untrusted | nominal qualified: none, unknown');
  expect(stranger.rows[0]?.says?.ledger).toBe(null);
  expect(stranger.keys[0]?.whose).toBe('unknown');
  expect(stranger.summary).toMatch(/^As it was signed, but by a key that is neither yours nor trusted/);
  const other = await newKey();
  const both = [...text.split('\n').slice(0, 2), await desk.line('silent', undefined, other), ''].join('\n');
  expect((await answerOf(both)).keys.map(({ whose, lines }) => `${whose} ${lines}`)).toEqual([
    'mine 2',
    'unknown 1',
  ]);
});

test('an adapter that changed makes its rows stale', async () => {
  desk.open('adapter.js', `${TEXT}\n`);
  const answer = await answerOf(text);
  expect(shown(answer)[0]).toBe(
    '1 ○ stale [stale: the adapter changed since] | nominal qualified: none, mine',
  );
  expect(answer.summary).toBe(
    'As it was signed, but stale: the adapter changed since. 2 lines and the checkpoint that seals them: failed.',
  );
  expect(answer.rows[0]?.says?.ledger).toMatch(/^ledger 1 /);
});

test('an untrusted workspace says that own keys were not asked for', async () => {
  const { summary, mayTrust } = await answerOf(text, 'unknown', { mayTrust: false });
  expect(mayTrust).toBe(false);
  expect(summary).toMatch(/ This workspace is not trusted, so your own keys were not asked for\.$/);
});

test('a line of 100 MB, control characters and what is no JSON stay small and say what is wrong', async () => {
  const huge = await answerOf(`${'x'.repeat(100 * 1024 * 1024)}\n`);
  expect(shown(huge)).toEqual(['1 ✗ damaged [form: The line is longer than 8388608 bytes.] | nothing']);
  const hostile = await answerOf('\u001b[31m\u202e<img src=x>\u0007\n<<<<<<< HEAD\n', 'mine', {
    name: 'a\u202e\n<b>.verdicts.jsonl',
  });
  expect(shown(hostile)).toEqual([
    '1 ✗ damaged [form: The line is not JSON.] | nothing',
    '2 ✗ damaged [form: The line is not JSON.] | nothing',
  ]);
  expect(hostile.name).toBe('a <b>.verdicts.jsonl');
  expect(JSON.stringify([huge, hostile]).length).toBeLessThan(4000);
});

test('many lines are cut, and a file that is no verdict file has no rows', async () => {
  const many = await answerOf('x\n'.repeat(300));
  expect(many.rows).toHaveLength(200);
  expect(many.summary).toBe(
    'NOT verified: line 1, form: The line is not JSON. And 299 more. The first 200 of 300 lines are shown.',
  );
  const endless = await answerOf('x\n'.repeat(20_000));
  expect(endless.rows).toEqual([]);
  expect(endless.summary).toBe('NOT verified: form: The file has more than 10000 lines.');
});
