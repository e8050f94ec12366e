/** A signed probe: rebuilt from its attempts, refused where anything in it was changed, and judged as a file. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import { canonical } from '../../../shared/src/evidence/canonical.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import type { ProbeStatement } from '../../../shared/src/evidence/statement.ts';
import { type VerifyOptions, verifyText } from '../../../shared/src/evidence/verify.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { ProbeAttempt } from '../../../shared/src/probe.ts';
import {
  CONFIG,
  probeEvidence,
  probeInputs,
  probeLine,
  probeStatementOf,
  sealedProbe,
} from '../../support/probeFiles.ts';
import { changesOf } from '../../support/tamper.ts';
import { evidenceOf, fileOf, newKey, statementOf, verdictLine } from '../../support/verdictFiles.ts';

let key: SigningKey;
/** One line each, of runc and runsc. */
let runc: string;
let runsc: string;

const gvisor = () =>
  probeEvidence((attempt) => (attempt.id === 'socket-tcp' ? { ...attempt, outcome: 'inside' } : attempt));
const statementFor = (runtime: string) =>
  probeStatementOf(runtime, runtime === 'runsc' ? { ...gvisor(), filter: 'runtime' } : probeEvidence(), key);
const lineFor = async (runtime: string) => probeLine(await statementFor(runtime), key);

beforeAll(async () => {
  key = await newKey();
  [runc, runsc] = [await lineFor('runc'), await lineFor('runsc')];
});

async function failuresOf(lines: readonly string[], options: VerifyOptions = {}): Promise<string[]> {
  const { failures, verified } = await verifyText(fileOf(lines), options);
  expect(verified).toBe(failures.length === 0);
  return failures.map(({ line, kind }) => `${line} ${kind}`);
}

/** A file of one line, its statement changed and signed anew. */
async function forged(change: (statement: ProbeStatement) => void): Promise<string[]> {
  const statement = structuredClone(await statementFor('runc'));
  change(statement);
  return failuresOf([await probeLine(statement, key)], { line: 1 });
}

test('a file of two runtimes verifies, and says what it does not establish', async () => {
  const file = fileOf([runc, runsc, await sealedProbe([runc, runsc], key)]);
  const result = await verifyText(file, { trusted: new Set([key.kid]) });
  expect(result).toMatchObject({
    ...{ verified: true, trusted: true, lines: 2, kind: 'probe', failures: [], verdict: 'qualified' },
    subject: { name: 'loadline.json', sha256: await sha256(CONFIG) },
  });
  expect(result.notEstablished[0]).toBe('That nothing else gets through: only what was tried is shown.');
  expect(result.notEstablished.join(' ')).not.toContain('adapter');
});

test('what attempts told is signed as a digest', async () => {
  const { predicate } = await statementFor('runc');
  const clone = predicate.evidence.attempts.find(({ id }) => id === 'clone');
  expect(clone?.text).toBe(`sha256:${await sha256('error 1')}`);
  expect(runc).not.toContain('error 1');
});

test('every field of a line, in the first two places where it has it, is refused when it changes', async () => {
  const places = new Map<string, number>();
  const lines = [runsc, await sealedProbe([runsc], key)];
  for (const line of lines)
    for (const { what, field, apply } of changesOf(JSON.parse(line) as Json)) {
      const before = places.get(field) ?? 0;
      places.set(field, before + 1);
      if (before >= 2) continue;
      const kinds = (await verifyText(`${canonical(apply())}\n`, { line: 1 })).failures.map(
        ({ kind }) => kind,
      );
      if (kinds.length !== 1 || !/^(form|signature)$/.test(kinds[0] ?? ''))
        throw new Error(`${what}: ${kinds.join(', ') || 'no failure'}`);
    }
  expect(places.size).toBeGreaterThan(150);
}, 120_000);

describe('a line that its key signed, though it does not follow', () => {
  type Predicate = ProbeStatement['predicate'];
  const cases: [what: string, kind: string, change: (predicate: Predicate) => void][] = [
    [
      'an attempt that got through, and nothing said of it',
      'verdict',
      (p) => setFirst(p, { outcome: 'survived' }),
    ],
    ['what may not happen inside', 'verdict', (p) => setFirst(p, { outcome: 'inside' })],
    ['what an attempt told in words', 'form', (p) => setFirst(p, { text: 'error 1' })],
    ['an attempt left out', 'verdict', ({ evidence }) => void evidence.attempts.pop()],
    ['an attempt twice', 'verdict', ({ evidence }) => void evidence.attempts.push(firstOf({ evidence }))],
    ['a verdict of its own', 'verdict', ({ outcome }) => void Object.assign(outcome, { verdict: 'failed' })],
    [
      "a guest's own kernel where there is none",
      'verdict',
      ({ evidence }) => void Object.assign(evidence, { filter: 'runtime' }),
    ],
    [
      'another loadline.json',
      'verdict',
      ({ inputs }) => void Object.assign(inputs, { config: 'a'.repeat(64) }),
    ],
    [
      'a list of attempts that is not known',
      'version',
      ({ inputs }) => void Object.assign(inputs, { rules: 'probe/1.99' }),
    ],
    ['more attempts than any probe makes', 'form', ({ evidence }) => flood(evidence)],
  ];
  test.each(cases)('%s: %s', async (_what, kind, change) => {
    expect(await forged(({ predicate }) => change(predicate))).toEqual([`1 ${kind}`]);
  });

  function firstOf({ evidence }: Pick<Predicate, 'evidence'>): ProbeAttempt {
    const [attempt] = evidence.attempts;
    if (attempt === undefined) throw new Error('no attempt');
    return attempt;
  }

  function setFirst(predicate: Predicate, change: Partial<ProbeAttempt>): void {
    Object.assign(firstOf(predicate), change);
  }

  function flood(evidence: Predicate['evidence']): void {
    const attempt = firstOf({ evidence });
    evidence.attempts = Array.from({ length: 20_001 }, (_, index) => ({ ...attempt, id: `${index}` }));
  }
});

describe('a file', () => {
  test('whose lines stand in another order, or twice', async () => {
    expect(await failuresOf([runsc, runc, await sealedProbe([runsc, runc], key)])).toEqual(['2 order']);
    expect(await failuresOf([runc, runc, await sealedProbe([runc, runc], key)])).toEqual([
      '2 order',
      '2 order',
    ]);
  });

  test('that holds lines of two kinds', async () => {
    const verdict = await verdictLine(await statementOf(await evidenceOf('nominal'), key), key);
    const seal = await sealedProbe([runc, verdict], key, { verdict: 'qualified' });
    expect(await failuresOf([runc, verdict, seal])).toEqual(['2 form', '2 verdict']);
  });

  test('of a probe that did not try everything is partial', async () => {
    const evidence = probeEvidence((attempt) => (attempt.id === 'clone' ? null : attempt));
    const statement = await probeStatementOf('runc', evidence, key);
    expect(statement.predicate.outcome).toMatchObject({ verdict: 'partial' });
    expect(statement.predicate.outcome.rules[4]).toMatchObject({ held: false, notTried: ['clone'] });
    const line = await probeLine(statement, key);
    const lines = [line, await sealedProbe([line], key)];
    expect(await failuresOf(lines)).toEqual(['2 partial']);
    expect(await failuresOf(lines, { partial: true })).toEqual([]);
  });

  test('is compared with loadline.json, never with an adapter', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const lines = [runc, await sealedProbe([runc], key)];
    const at = (config: string) => ({ atHand: { adapter: bytes('other'), config: bytes(config) } });
    expect(await failuresOf(lines, at(CONFIG))).toEqual([]);
    expect(await failuresOf(lines, at('{}'))).toEqual(['1 stale']);
    expect(await failuresOf(lines, { expect: { grant: 'b'.repeat(64) } })).toEqual(['1 expect']);
    expect(await failuresOf(lines, { expect: { grant: (await probeInputs()).grant } })).toEqual([]);
  });
});

test('evidence from which nothing follows is not signed', async () => {
  await expect(probeStatementOf('runc', gvisor(), key)).rejects.toThrow(Unjudgeable);
  await expect(probeStatementOf('runc', { ...gvisor(), filter: 'runtime' }, key)).rejects.toThrow(
    "The filter is said to be that of a guest's own kernel, and the tier is not.",
  );
});
