/** What a verification says of whole files: lines moved, checkpoints exchanged, forged verdicts, the reader's demands. */
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import type { CheckpointPredicate, VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import { expectedOf, trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import { type VerifyOptions, verifyBytes, verifyText } from '../../../shared/src/evidence/verify.ts';
import {
  ADAPTER,
  evidenceOf,
  fileOf,
  newKey,
  sealed,
  statementOf,
  verdictLine,
  verdictLines,
} from '../../support/verdictFiles.ts';
import { nameless, right } from '../fleet/behaviours.ts';

let key: SigningKey;
let otherKey: SigningKey;
/** Sixteen verdict lines of an adapter that holds, and of one that does not, of the same file and key. */
let good: string[];
let bad: string[];
/** The same of another adapter. */
let foreign: string[];

beforeAll(async () => {
  [key, otherKey] = [await newKey(), await newKey()];
  good = await verdictLines(key);
  bad = await verdictLines(key, nameless);
  foreign = await verdictLines(key, right, `${ADAPTER}// another one\n`);
}, 60_000);

async function failuresOf(lines: readonly string[], options: VerifyOptions = {}): Promise<string[]> {
  const { failures, verified } = await verifyText(fileOf(lines), options);
  expect(verified).toBe(failures.length === 0);
  return failures.map(({ line, kind }) => `${line} ${kind}`);
}

async function whole(changes: Partial<CheckpointPredicate> = {}): Promise<string[]> {
  return [...good, await sealed(good, key, changes)];
}

const swapped = (lines: readonly string[], a: number, b: number): string[] =>
  lines.map((line, index) => (index === a ? lines[b] : index === b ? lines[a] : line) ?? '');

test('a whole file verifies, and says what it does not establish', async () => {
  const file = fileOf(await whole());
  const result = await verifyText(file);
  expect(result).toMatchObject({
    verified: true,
    lines: 16,
    keys: [key.kid],
    trusted: false,
    failures: [],
    verdict: 'qualified',
    sequence: 1,
    subject: { name: 'adapter.js', sha256: await sha256(ADAPTER) },
  });
  expect(result.notEstablished).toHaveLength(7);
  expect(await verifyBytes(new TextEncoder().encode(file))).toEqual(result);
});

describe('lines', () => {
  test('each dropped', async () => {
    const lines = await whole();
    for (let index = 0; index < 16; index += 1) {
      const failures = await failuresOf(lines.toSpliced(index, 1));
      expect(failures).toContain('16 missing');
      expect(failures).toContain('16 verdict');
      expect(failures.filter((each) => each.endsWith('order'))).toHaveLength(15 - index);
    }
    expect(await failuresOf(lines.slice(0, -1))).toEqual(['16 missing']);
    expect(await failuresOf([])).toEqual(['0 form']);
  });

  test('swapped, repeated, added', async () => {
    const lines = await whole();
    expect(await failuresOf(swapped(lines, 2, 3))).toEqual(['3 order', '4 order', '4 order']);
    expect(await failuresOf(swapped(lines, 15, 16))).toEqual(['17 missing']);
    const [first = ''] = lines;
    expect(await failuresOf([first, ...lines])).toContain('2 order');
    expect(await failuresOf(lines.toSpliced(16, 0, first))).toEqual(['17 order', '17 order', '18 verdict']);
    expect(await failuresOf([lines.at(-1) ?? '', ...lines])).toContain('1 order');
  });

  test('replaced by one from another file', async () => {
    const lines = await whole();
    for (const index of [0, 7, 15]) {
      expect(await failuresOf(lines.with(index, foreign[index] ?? ''))).toEqual([
        `${index + 1} order`,
        `${index + 1} verdict`,
        '17 missing',
        '17 verdict',
      ]);
      expect(await failuresOf(lines.with(index, bad[index] ?? ''))).toContain(`${index + 1} order`);
    }
  });

  test('the checkpoint of another file under them', async () => {
    const older = await sealed(bad, key);
    const failures = await failuresOf([...good, older]);
    expect(failures).toContain('17 missing');
    expect(failures).toContain('17 verdict');
    expect(failures.filter((each) => each.endsWith('order')).length).toBeGreaterThan(0);
  });

  test('one line on its own', async () => {
    const file = fileOf(await whole());
    expect(await verifyText(file, { line: 3 })).toMatchObject({ verified: true, lines: 1, verdict: null });
    expect((await verifyText(file, { line: 3 })).notEstablished[0]).toBe(
      'Only line 3 was looked at: that the file is whole, and its verdict, are not shown.',
    );
    expect(await verifyText(file, { line: 17 })).toMatchObject({
      verified: true,
      lines: 0,
      verdict: 'qualified',
    });
    expect((await verifyText(file, { line: 18 })).failures).toEqual([
      { line: 18, kind: 'missing', text: 'The file has 17 lines, and no line 18.' },
    ]);
  });
});

describe('bytes', () => {
  test('of the file', async () => {
    const file = fileOf(await whole());
    const kinds = async (text: string) => (await verifyText(text)).failures.map(({ kind }) => kind);
    expect(await kinds(file.slice(0, -1))).toEqual(['form']);
    expect(await kinds(`${file}\n`)).toEqual(['form']);
    expect(new Set(await kinds(file.replaceAll('\n', '\r\n')))).toEqual(new Set(['form']));
    expect((await verifyText(`\ufeff${file}`)).failures[0]).toMatchObject({ line: 1, kind: 'form' });
    const bytes = new TextEncoder().encode(file);
    expect((await verifyBytes(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]))).failures[0]?.kind).toBe('form');
    expect((await verifyBytes(new Uint8Array([...bytes, 0xff, 10]))).failures).toEqual([
      { line: 0, kind: 'form', text: 'The file is not UTF-8.' },
    ]);
  });

  test('beyond the limits, before any parser', async () => {
    const text = async (line: string) => (await verifyText(`${line}\n`, { line: 1 })).failures[0]?.text;
    expect(await text(`${'['.repeat(97)}`)).toBe('The line is nested more than 96 deep.');
    expect(await text(`{"a":${'{"a":'.repeat(100_000)}`)).toBe('The line is nested more than 96 deep.');
    expect(await text(`"${'['.repeat(200)}"`)).toMatch(/^line/);
    expect(await text(`"${'\u20ac'.repeat(3 * 1024 * 1024)}"`)).toBe(
      'The line is longer than 8388608 bytes.',
    );
    expect((await verifyBytes(new Uint8Array(128 * 1024 * 1024 + 1))).failures[0]?.text).toBe(
      'The file is longer than 134217728 bytes.',
    );
    expect((await verifyText('\n'.repeat(10_001))).failures[0]?.text).toBe(
      'The file has more than 10000 lines.',
    );
  });
});

describe('signed by the right key, and yet', () => {
  /** A line whose statement was changed before it was signed. */
  async function forged(
    change: (statement: VerdictStatement) => void,
    scenario = 'lost_answer',
  ): Promise<string> {
    const statement = await statementOf(await evidenceOf(scenario, nameless()), key);
    change(statement);
    return verdictLine(statement, key);
  }

  async function kindOf(line: string): Promise<string[]> {
    return (await verifyText(`${line}\n`, { line: 1 })).failures.map(({ kind }) => kind);
  }

  type Forgery = [string, (statement: VerdictStatement) => void];
  const outcome: Forgery[] = [
    [
      'the verdict says qualified',
      ({ predicate }) => Object.assign(predicate.outcome, { verdict: 'qualified' }),
    ],
    [
      'every rule is said to have held',
      ({ predicate }) => {
        predicate.outcome.verdict = 'qualified';
        for (const rule of predicate.outcome.rules) rule.held = true;
      },
    ],
    ['a rule is left out', ({ predicate }) => void predicate.outcome.rules.pop()],
    [
      'a sentence is another',
      ({ predicate }) => Object.assign(predicate.outcome.rules[0] ?? {}, { text: 'Fine.' }),
    ],
    ['rows are others', ({ predicate }) => Object.assign(predicate.outcome.rules[3] ?? {}, { ledger: [] })],
    ['the second order is gone', ({ predicate }) => void predicate.evidence.ledger.splice(20, 1)],
    ['the record is another', ({ predicate }) => void predicate.evidence.record.orders.pop()],
    [
      'the plan expects less',
      ({ predicate }) => Object.assign(predicate.evidence.plan as object, { ends: [] }),
    ],
    ['the scenario is another', ({ predicate }) => Object.assign(predicate.inputs, { scenario: 'nominal' })],
    ['the scenario is none', ({ predicate }) => Object.assign(predicate.inputs, { scenario: 'trial' })],
    ['the seed is another', ({ predicate }) => Object.assign(predicate.inputs, { seed: 1 })],
    ['the faults are others', ({ predicate }) => Object.assign(predicate.inputs, { faults: [] })],
    [
      'the plan has another digest',
      ({ predicate }) => Object.assign(predicate.inputs, { plan: '0'.repeat(64) }),
    ],
    ['the adapter is another', ({ subject }) => Object.assign(subject[0].digest, { sha256: '0'.repeat(64) })],
    ['there is no evidence', ({ predicate }) => Object.assign(predicate, { evidence: {} })],
    [
      'the evidence is of no contract',
      ({ predicate }) => Object.assign(predicate.evidence, { contract: 'fleet/9' }),
    ],
  ];
  test.each(outcome)('%s: refused as a verdict that does not follow', async (_, change) => {
    expect(await kindOf(await forged(() => undefined))).toEqual([]);
    expect(await kindOf(await forged(change))).toEqual(['verdict']);
  });

  const form: Forgery[] = [
    ['the statement has a further member', (statement) => Object.assign(statement, { note: 1 })],
    [
      'evidence has a further member',
      ({ predicate }) => Object.assign(predicate.evidence.trace[0] ?? {}, { body: 1 }),
    ],
    ['the adapter is a path', ({ subject }) => Object.assign(subject[0], { name: '../adapter.js' })],
    ['there are two adapters', ({ subject }) => void (subject as object[]).push(subject[0])],
    [
      'the type is another',
      (statement) => Object.assign(statement, { predicateType: 'urn:loadline:marks:v1' }),
    ],
    [
      'the evidence quotes what an adapter said',
      ({ predicate }) => {
        const step = predicate.evidence.steps.find(({ export: name }) => name === 'cancel');
        if (step !== undefined) step.result = { kind: 'returned', value: { owner: 'Jane Doe' } };
      },
    ],
  ];
  test.each(form)('%s: refused for its form', async (_, change) => {
    expect(await kindOf(await forged(change))).toEqual(['form']);
  });

  test('the key in the line is another', async () => {
    const put = ({ predicate }: VerdictStatement) =>
      Object.assign(predicate.run, { key: otherKey.publicKey });
    expect(await kindOf(await forged(put))).toEqual(['signature']);
  });

  test('the rules are of a version that is not known here: not forged, and said on its own', async () => {
    const later = (statement: VerdictStatement) =>
      Object.assign(statement.predicate.inputs, { contract: 'fleet/1.99' });
    const line = await forged(later);
    expect(await kindOf(line)).toEqual(['version']);
    expect(await failuresOf([line, await sealed([line], key, { verdict: 'failed' })])).toEqual(['1 version']);
  });

  test('the checkpoint says something else than its lines', async () => {
    const says = async (changes: Partial<CheckpointPredicate>) => failuresOf(await whole(changes));
    expect(await says({ verdict: 'failed' })).toEqual(['17 verdict']);
    expect(await says({ verdict: 'partial' }).then((all) => all.sort())).toEqual([
      '17 partial',
      '17 verdict',
    ]);
    expect(await says({ count: 15 })).toEqual(['17 form']);
    expect(await says({ sequence: 2 })).toEqual(['17 form']);
    expect(await says({ sequence: 0 })).toEqual(['17 form']);
    expect(await says({ previous: '0'.repeat(64) })).toEqual(['17 form']);
    expect(await says({ history: { runs: 1, failures: 2 } })).toEqual(['17 form']);
    expect(await says({ history: { runs: 40, failures: 2 }, sequence: 3, previous: '0'.repeat(64) })).toEqual(
      [],
    );
    expect(await failuresOf([...bad, await sealed(bad, key, { verdict: 'qualified' })])).toEqual([
      '17 verdict',
    ]);
  });

  test('the lines do not share inputs or environment: no whole verdict', async () => {
    const statement = await statementOf(await evidenceOf('nominal'), key);
    statement.predicate.environment.tier = 'kernel';
    const lines = good.with(0, await verdictLine(statement, key));
    expect(await failuresOf([...lines, await sealed(lines, key, { verdict: 'qualified' })])).toEqual([
      '17 verdict',
    ]);
    expect(await failuresOf([...lines, await sealed(lines, key)])).toEqual(['17 partial']);
  });

  test('the scenarios are not in the order of the contract, or one is there twice', async () => {
    const lines = swapped(good, 4, 5);
    expect(await failuresOf([...lines, await sealed(lines, key)])).toEqual(['6 order']);
    const again = await statementOf(await evidenceOf('nominal'), key);
    again.predicate.run.nonce = 'another';
    const twice = [...good.slice(0, 1), await verdictLine(again, key), ...good.slice(1)];
    const failures = await failuresOf([...twice, await sealed(twice, key, { verdict: 'qualified' })]);
    expect(failures).toEqual(['2 order', '18 verdict']);
  });
});

describe('what the reader asks', () => {
  test('keys that are trusted', async () => {
    const jwks = (...keys: SigningKey[]) => trustedKeyIds({ keys: keys.map(({ publicKey }) => publicKey) });
    const lines = await whole();
    const trusting = await verifyText(fileOf(lines), { trusted: await jwks(otherKey, key) });
    expect(trusting).toMatchObject({ verified: true, trusted: true });
    expect(trusting.notEstablished).toHaveLength(6);
    const failures = await failuresOf(lines, { trusted: await jwks(otherKey) });
    expect(failures).toEqual(Array.from({ length: 17 }, (_, index) => `${index + 1} key`));
    await expect(trustedKeyIds([])).rejects.toThrow('no JWKS');
    expect(await trustedKeyIds({ keys: [null, { kty: 'EC', crv: 'P-256' }] })).toEqual(new Set());
  });

  test('a key that the checkpoint does not name, unless it was rotated from', async () => {
    const seal = (changes: Partial<CheckpointPredicate> = {}) => sealed(good, otherKey, changes);
    expect(await failuresOf([...good, await seal()])).toContain('1 key');
    const rotated = [...good, await seal({ rotatedFrom: key.kid })];
    expect(await failuresOf(rotated)).toEqual([]);
    const { keys } = await verifyText(fileOf(rotated));
    expect(keys).toEqual([key.kid, otherKey.kid]);
    expect(await failuresOf(rotated, { trusted: new Set([otherKey.kid]) })).toContain('1 key');
  });

  test('a whole verdict', async () => {
    const lines = good.slice(0, 3);
    const partial = [...lines, await sealed(lines, key)];
    expect(await failuresOf(partial)).toEqual(['4 partial']);
    expect(await failuresOf(partial, { partial: true })).toEqual([]);
  });

  test('no older file than one that is known', async () => {
    const older = await whole();
    const replaced = await sha256(older.at(-1) ?? '');
    const newer = await whole({ sequence: 2, previous: replaced, history: { runs: 32, failures: 0 } });
    const newest = await sha256(newer.at(-1) ?? '');
    expect(await failuresOf(older)).toEqual([]);
    expect(await failuresOf(older, { atLeast: 1 })).toEqual([]);
    expect(await failuresOf(older, { atLeast: 2 })).toEqual(['17 older']);
    expect(await failuresOf(newer, { atLeast: 2 })).toEqual([]);
    expect(await failuresOf(older, { atLeast: newest })).toEqual(['17 older']);
    expect(await failuresOf(newer, { atLeast: newest })).toEqual([]);
    expect(await failuresOf(newer, { atLeast: replaced })).toEqual([]);
    expect((await verifyText(fileOf(newer), { atLeast: 2 })).notEstablished).toHaveLength(6);
  });

  test('files that are as they were judged', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const said = async (atHand: VerifyOptions['atHand'] & object) => {
      const { failures } = await verifyText(fileOf(await whole()), { atHand });
      return failures.map(({ line, kind, text }) => `${line} ${kind} ${text}`);
    };
    const same = { document: bytes('document'), grant: bytes('grant'), config: bytes('config') };
    expect(await said({ adapter: bytes(ADAPTER), ...same })).toEqual([]);
    expect(await said({ adapter: bytes(`${ADAPTER} `) })).toEqual(['1 stale The adapter has changed since.']);
    expect(await said({ adapter: bytes(ADAPTER.replaceAll('\n', '\r\n')) })).toEqual([
      '1 stale The adapter has changed since: only its line endings differ.',
    ]);
    expect(await said({ ...same, grant: bytes('grants') })).toEqual(['1 stale The grant has changed since.']);
    expect(await said({ ...same, document: bytes('') })).toEqual([
      '1 stale The vendor document has changed since.',
    ]);
    expect(await said({ ...same, config: bytes('{}') })).toEqual([
      '1 stale The loadline.json has changed since.',
    ]);
  });

  test('inputs that a protected branch holds', async () => {
    const lines = await whole();
    const expected = { grant: await sha256('grant'), contract: 'fleet/1.0' };
    expect(await failuresOf(lines, { expect: expectedOf(expected) })).toEqual([]);
    const failures = await failuresOf(lines, {
      expect: expectedOf({ ...expected, document: '0'.repeat(64) }),
    });
    expect(failures).toEqual(Array.from({ length: 16 }, (_, index) => `${index + 1} expect`));
    for (const wrong of [null, [], {}, { grant: 1 }, { grants: 'x' }, { grant: 'x', more: 'y' }])
      expect(() => expectedOf(wrong)).toThrow('The expectation');
  });
});
