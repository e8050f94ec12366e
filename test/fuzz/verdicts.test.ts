/** Verdict files with chance at their bytes, and lines of any JSON: always a kind, never an exception, never verified. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { canonical } from '../../shared/src/evidence/canonical.ts';
import type { SigningKey } from '../../shared/src/evidence/jws.ts';
import { verifyBytes, verifyText } from '../../shared/src/evidence/verify.ts';
import type { Json } from '../../shared/src/json.ts';
import { fileOf, newKey, sealed, verdictLines } from '../support/verdictFiles.ts';
import { Random } from './random.ts';

const SEED = 20_260_110;
const FILES = 10_000;
const LINES = 10_000;
/** One line of so many is also put in place of a real one. */
const AMONG = 100;
const KINDS = [
  ...[
    'form',
    'signature',
    'key',
    'missing',
    'order',
    'verdict',
    'stale',
    'partial',
    'older',
    'version',
    'expect',
  ],
] as const;

/** A small file: two verdict lines and a checkpoint, which is `partial` and verifies when that is allowed. */
let file: Buffer;
let lines: string[];

beforeAll(async () => {
  const key: SigningKey = await newKey();
  const all = await verdictLines(key);
  const shortest = [...all].sort((a, b) => a.length - b.length).slice(0, 2);
  const verdicts = all.filter((line) => shortest.includes(line));
  lines = [...verdicts, await sealed(verdicts, key, { verdict: 'partial' })];
  file = Buffer.from(fileOf(lines));
}, 60_000);

function mutated(random: Random): Buffer {
  let bytes = Buffer.from(file);
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const [at, from] = [random.below(bytes.length), random.below(bytes.length)];
    const piece = file.subarray(from, from + 1 + random.below(60));
    const kind = random.below(6);
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    else if (kind === 1) bytes = bytes.subarray(0, at);
    else if (kind === 2)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(60))]);
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)]);
    else bytes = Buffer.from(bytes.toString('utf8').split('\n').reverse().join('\n'));
    if (bytes.length === 0) return bytes;
  }
  return bytes;
}

function countKinds(
  kinds: Record<string, number>,
  failures: readonly { kind: string; text: string }[],
  where: string,
): void {
  if (failures.length === 0) expect.fail(`${where}: no failure`);
  for (const { kind, text } of failures) {
    if (!(KINDS as readonly string[]).includes(kind) || text === '')
      expect.fail(`${where}: ${kind} ${JSON.stringify(text)}`);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
}

test('the file as it is verifies', async () => {
  const { verified, failures, verdict } = await verifyBytes(file, { partial: true });
  expect([verified, failures, verdict]).toEqual([true, [], 'partial']);
});

test(`${FILES} files with changed bytes (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const kinds: Record<string, number> = {};
  const count = { attempts: 0, refused: 0, verified: 0, unchanged: 0 };
  for (let index = 0; index < FILES; index += 1) {
    const bytes = mutated(random);
    count.attempts += 1;
    if (bytes.equals(file)) {
      count.unchanged += 1;
      continue;
    }
    const where = `seed ${SEED}, file ${index}: ${JSON.stringify(bytes.toString('latin1').slice(-400))}`;
    const { verified, failures } = await verifyBytes(bytes, { partial: true });
    countKinds(kinds, failures, where);
    count[verified ? 'verified' : 'refused'] += 1;
  }
  console.info(`verdict files: ${JSON.stringify({ ...count, kinds })}`);
  // What is hit depends on the key's bytes, which differ from run to run; what comes of it does not.
  expect([count.attempts, count.verified, count.refused + count.unchanged]).toEqual([FILES, 0, FILES]);
});

test(`${LINES} lines of any JSON, alone and some in place of a real one (seed ${SEED})`, async () => {
  const kinds: Record<string, number> = {};
  const count = { attempts: 0, refused: 0, verified: 0 };
  const signed = JSON.parse(lines[0] ?? '') as { [key: string]: Json };
  const statement = signed.statement as { [key: string]: Json };
  const predicate = statement.predicate as { [key: string]: Json };
  const any = fc.jsonValue({ maxDepth: 4 });
  // Half of them have the envelope of a real line, so that what is inside is looked at too.
  const value = fc.oneof(
    any,
    any.map((inner) => ({ ...signed, statement: inner })),
    any.map((inner) => ({ ...signed, statement: { ...statement, predicate: inner } })),
    fc.tuple(fc.constantFrom(...Object.keys(predicate)), any).map(([name, inner]) => ({
      ...signed,
      statement: { ...statement, predicate: { ...predicate, [name]: inner } },
    })),
    fc
      .tuple(fc.constantFrom('protected', 'signature', 'extra', '__proto__'), any)
      .map(([name, inner]) => ({ ...signed, [name]: inner })),
  );
  const values = fc.sample(value, { numRuns: LINES, seed: SEED });
  for (const [index, one] of values.entries()) {
    let text: string;
    try {
      text = canonical(one as Json);
    } catch {
      text = JSON.stringify(one);
    }
    const where = `seed ${SEED}, line ${index}: ${text.slice(0, 400)}`;
    if (text === lines[0]) expect.fail(`${where} is the real one`);
    const alone = await verifyText(`${text}\n`, { line: 1 });
    count.attempts += 1;
    countKinds(kinds, alone.failures, where);
    count[alone.verified ? 'verified' : 'refused'] += 1;
    // The real lines around it cost their whole rebuilding each time.
    if (index % AMONG !== 0) continue;
    const among = await verifyText(fileOf([text, ...lines.slice(1)]), { partial: true });
    if (among.verified) expect.fail(`${where} verified among real lines`);
    countKinds(kinds, among.failures, where);
  }
  console.info(`verdict lines: ${JSON.stringify({ ...count, kinds })}`);
  expect(count).toEqual({ attempts: LINES, refused: LINES, verified: 0 });
});
