/** Evidence with a good signature that would take long to judge: it is refused by its size, before it is judged. */
import { beforeAll, expect, test } from 'vitest';
import { runExcess } from '../../../shared/src/evidence/bounds.ts';
import type { Evidence, LedgerRow, OrderState } from '../../../shared/src/evidence/evidence.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import { verifyText } from '../../../shared/src/evidence/verify.ts';
import { evidenceOf, newKey, statementOf, verdictLine } from '../../support/verdictFiles.ts';

let key: SigningKey;
let nominal: Evidence;

beforeAll(async () => {
  key = await newKey();
  nominal = await evidenceOf('nominal');
});

/** What a verification says of a line that was signed as it is. */
async function failureOf(change: (evidence: Evidence) => void): Promise<{ kind: string; text: string }[]> {
  const statement = structuredClone(await statementOf(nominal, key));
  change(statement.predicate.evidence);
  const { failures } = await verifyText(`${await verdictLine(statement, key)}\n`, { line: 1 });
  return failures.map(({ kind, text }) => ({ kind, text }));
}

/** `count` orders of a stranger, accepted after everything else. */
function strangers(evidence: Evidence, count: number): void {
  const [first] = evidence.record.orders;
  if (first === undefined) throw new Error('no order');
  for (let n = 0; n < count; n += 1) {
    const order: OrderState = { ...first, id: `x${n}`, key: null, credential: 2 };
    const row: LedgerRow = {
      ...{ seq: evidence.ledger.length + 1, at: 1e6, kind: 'order', by: 'scenario', credential: 2 },
      ...{ step: null, call: null, order },
    };
    evidence.ledger.push(row);
    evidence.record.orders.push(order);
  }
}

function reads(evidence: Evidence, count: number): void {
  for (let n = 0; n < count; n += 1)
    evidence.ledger.push({
      ...{ seq: evidence.ledger.length + 1, at: 1e6, kind: 'read', by: 'client', credential: 1 },
      ...{ step: 1, call: null },
    });
}

function calls(evidence: Evidence, count: number): void {
  const last = evidence.trace.at(-1);
  if (last === undefined) throw new Error('no call');
  for (let n = 1; n <= count; n += 1) evidence.trace.push({ ...last, seq: last.seq + n });
}

test('each count past its bound is refused for its form', async () => {
  expect(await failureOf((evidence) => reads(evidence, 20_000))).toEqual([
    {
      kind: 'form',
      text: `evidence.ledger holds ${nominal.ledger.length + 20_000} entries, and at most 20000 may be there.`,
    },
  ]);
  expect((await failureOf((evidence) => strangers(evidence, 2_000))).map(({ kind }) => kind)).toEqual([
    'form',
  ]);
  expect((await failureOf((evidence) => calls(evidence, 40_000))).map(({ kind }) => kind)).toEqual(['form']);
}, 60_000);

test('evidence at its bounds is judged', async () => {
  const full = (evidence: Evidence) => {
    strangers(evidence, 2_000 - evidence.record.orders.length);
    reads(evidence, 20_000 - evidence.ledger.length);
    calls(evidence, 20_000);
  };
  expect(await failureOf(full)).toEqual([]);
}, 120_000);

test('a run that is past a bound is not signed, and what is no list is left to the judge', async () => {
  const evidence = structuredClone(nominal);
  reads(evidence, 20_000);
  await expect(statementOf(evidence, key)).rejects.toThrow('at most 20000 may be there.');
  expect(runExcess({ ledger: 7, record: null })).toBeNull();
});
