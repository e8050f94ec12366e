/** A verdict file changed in one place at a time: each change is refused, and for the right reason. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { canonical } from '../../../shared/src/evidence/canonical.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import { verifyText } from '../../../shared/src/evidence/verify.ts';
import type { Json } from '../../../shared/src/json.ts';
import { type Change, changesOf } from '../../support/tamper.ts';
import { fileOf, newKey, sealed, verdictLines } from '../../support/verdictFiles.ts';
import { nameless } from '../fleet/behaviours.ts';

let key: SigningKey;
/** The lines of a whole file, its checkpoint last; some of its runs failed. */
let lines: string[];
/** Changes tried, over all tests of this file. */
const tried = { form: 0, signature: 0 };

beforeAll(async () => {
  key = await newKey();
  const verdicts = await verdictLines(key, nameless);
  lines = [...verdicts, await sealed(verdicts, key)];
}, 60_000);

/** A line is checked alone: what is wrong with it does not depend on the others. */
async function kindsOf(line: string): Promise<string[]> {
  return (await verifyText(`${line}\n`, { line: 1 })).failures.map(({ kind }) => kind);
}

async function requireRefused({ what, apply }: Change, allowed: readonly string[]): Promise<void> {
  const kinds = await kindsOf(canonical(apply()));
  if (kinds.length !== 1 || !allowed.includes(kinds[0] ?? ''))
    throw new Error(`${what}: expected ${allowed.join(' or ')}, got ${kinds.join(', ') || 'no failure'}`);
  tried[kinds[0] as 'form' | 'signature'] += 1;
}

/** A change of a value within a form that stays right is the signature's to find; any other may be the form's. */
function kindsFor({ what }: Change): readonly string[] {
  const free = what.startsWith('.statement.predicate.evidence.');
  return free ? ['signature'] : ['form', 'signature'];
}

test('the file as it is verifies', async () => {
  const result = await verifyText(fileOf(lines));
  expect(result.failures).toEqual([]);
  expect(result).toMatchObject({ verified: true, lines: 16, keys: [key.kid], verdict: 'failed' });
});

test('every member of one verdict line and of the checkpoint, one at a time', async () => {
  const shortest = lines.slice(0, -1).reduce((a, b) => (b.length < a.length ? b : a));
  let changes = 0;
  for (const line of [shortest, lines.at(-1) ?? ''])
    for (const change of changesOf(JSON.parse(line) as Json)) {
      await requireRefused(change, kindsFor(change));
      changes += 1;
    }
  expect(changes).toBeGreaterThan(5_000);
}, 240_000);

test('every field of the other lines, in the first three places where the file has it', async () => {
  const places = new Map<string, number>();
  for (const line of lines)
    for (const change of changesOf(JSON.parse(line) as Json)) {
      const before = places.get(change.field) ?? 0;
      places.set(change.field, before + 1);
      if (before < 3) await requireRefused(change, kindsFor(change));
    }
  expect(places.size).toBeGreaterThan(500);
}, 240_000);

test('every kind of byte, anywhere in a line', async () => {
  const bytes = fc.record({
    line: fc.nat(lines.length - 1),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    put: fc.oneof(
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\t', '\r', '\0', '\u00a0', '\ufeff'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
    ),
    instead: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(bytes, async ({ line: index, at, put, instead }) => {
      const line = lines[index] ?? '';
      const place = Math.floor(at * line.length);
      const changed = line.slice(0, place) + put + line.slice(place + (instead ? 1 : 0));
      fc.pre(changed !== line && !put.includes('\n'));
      expect(await kindsOf(changed)).toMatchObject([expect.stringMatching(/^(form|signature)$/)]);
      tried.form += 1;
    }),
    { numRuns: 1_000 },
  );
}, 120_000);

test('spare bits and other spellings of header and signature', async () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const line = JSON.parse(lines[0] ?? '') as { signature: string; protected: string };
  const last = line.signature.at(-1) ?? '';
  // The last character carries two bits of the signature: the 15 others with the same two decode to the same bytes.
  const same = [...alphabet].filter(
    (one) => one !== last && alphabet.indexOf(one) >> 4 === alphabet.indexOf(last) >> 4,
  );
  expect(same).toHaveLength(15);
  for (const one of same)
    expect(await kindsOf(canonical({ ...line, signature: line.signature.slice(0, -1) + one }))).toEqual([
      'form',
    ]);
  for (const signature of [`${line.signature}==`, `${line.signature}A`, `+${line.signature.slice(1)}`])
    expect(await kindsOf(canonical({ ...line, signature }))).toEqual(['form']);
  const header = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const known = { alg: 'EdDSA', kid: key.kid, typ: 'loadline-verdict+jws' };
  expect(header(known)).toBe(line.protected);
  const { typ, ...without } = known;
  const headers: [unknown, string][] = [
    [{ ...known, alg: 'none' }, 'signature'],
    [{ ...known, alg: 'HS256' }, 'signature'],
    [{ ...known, alg: 'Ed25519' }, 'signature'],
    [{ ...known, typ: 'loadline-checkpoint+jws' }, 'form'],
    [{ ...known, crit: [] }, 'form'],
    [{ ...known, b64: false }, 'form'],
    [{ typ, ...without }, 'form'],
    [without, 'form'],
    [[], 'form'],
    [null, 'form'],
    [{ ...known, kid: 'x'.repeat(43) }, 'signature'],
  ];
  for (const [value, kind] of headers)
    expect(await kindsOf(canonical({ ...line, protected: header(value) }))).toEqual([kind]);
});

test('the same value in other bytes', async () => {
  const [line = ''] = lines;
  const value = JSON.parse(line) as Record<string, Json>;
  const others = [
    JSON.stringify(value, null, 1).replaceAll('\n', ' '),
    JSON.stringify({ statement: value.statement, signature: value.signature, protected: value.protected }),
    line.replace('"protected"', '"\\u0070rotected"'),
    line.replace('{', '{"protected":"x",'),
    line.replace('"statement":{', '"statement":{},"statement":{'),
    line.replace('"seed":', '"seed":1,"seed":'),
    line.replace(/"seed":(\d+)/, '"seed":$1.0'),
    line.replace(/"seed":(\d+)/, '"seed":$1e0'),
    line.replace(/"at":0,/, '"at":-0,'),
    `${line} `,
    ` ${line}`,
    `${line}\r`,
    `\ufeff${line}`,
    `${line}{}`,
    `${line},`,
    '',
    'null',
    '[]',
  ];
  for (const other of others) {
    expect(other).not.toBe(line);
    expect(await kindsOf(other)).toEqual(['form']);
  }
});

test('the number of changes tried is in the thousands', () => {
  expect(tried.signature).toBeGreaterThan(5_000);
  expect(tried.form).toBeGreaterThan(1_000);
  process.stdout.write(`changes tried and refused: ${JSON.stringify(tried)}\n`);
});
