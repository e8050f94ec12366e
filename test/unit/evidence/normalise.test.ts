import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { Evidence } from '../../../shared/src/evidence/evidence.ts';
import { isNormalised, normalise } from '../../../shared/src/evidence/normalise.ts';
import { sameOutcome } from '../../../shared/src/evidence/statements.ts';
import type { Json } from '../../../shared/src/json.ts';
import { judge } from '../../../shared/src/judge.ts';
import { nameless, repeating, right } from '../fleet/behaviours.ts';
import { type Behaviour, Rig, Thrown } from '../fleet/rig.ts';

const SECRET = 'Jane Doe, 12 High Street';
const scenarios = fleet.scenarios.map(({ id }) => id);

function run(scenario: string, seed: number, behaviour: Behaviour): Promise<Evidence> {
  return new Rig(fleet.plan(scenario, seed)).run(behaviour);
}

async function requireSameJudgement(evidence: Evidence): Promise<Evidence> {
  const kept = await normalise(evidence, fleet.words);
  expect(sameOutcome(judge(evidence), judge(kept))).toBe(true);
  expect(await isNormalised(kept, fleet.words)).toBe(true);
  return kept;
}

test.each(scenarios)(
  'a right and two wrong adapters are judged alike before and after: %s',
  async (scenario) => {
    for (const behaviour of [right(), nameless(), repeating()]) {
      const evidence = await run(scenario, 11, behaviour);
      const kept = await requireSameJudgement(evidence);
      // What happened and when is untouched; only words may be replaced.
      expect(kept.ledger.map(({ seq, at, kind }) => ({ seq, at, kind }))).toEqual(
        evidence.ledger.map(({ seq, at, kind }) => ({ seq, at, kind })),
      );
      expect(kept.plan).toEqual(evidence.plan);
    }
  },
);

/** Gives in place of some results whatever is drawn, thrown or returned. */
function meddled(what: { on: string; at: number; value: Json; throws: boolean }): Behaviour {
  const good = right();
  let calls = 0;
  const meddle = async (name: string, result: Promise<Json>): Promise<Json> => {
    if (name !== what.on) return result;
    calls += 1;
    if (calls !== what.at) return result;
    await result;
    if (what.throws) throw new Thrown(JSON.stringify(what.value), what.value);
    return what.value;
  };
  return {
    inventory: (rig) => meddle('inventory', good.inventory(rig)),
    dispatch: (rig, ...rest) => meddle('dispatch', good.dispatch(rig, ...rest)),
    wait: (rig, ...rest) => meddle('wait', good.wait(rig, ...rest)),
    cancel: (rig, ...rest) => meddle('cancel', good.cancel(rig, ...rest)),
  };
}

const words = fc.constantFrom(
  ...fleet.words,
  'r1',
  'r2',
  'r3',
  '$odd',
  '',
  SECRET,
  `sha256:${'0'.repeat(64)}`,
);
const texts = fc.oneof(words, fc.string({ unit: 'grapheme' }), fc.string({ minLength: 250, maxLength: 300 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    texts,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  ),
}));

test('whatever an adapter gives or throws, the rules say the same of the normalised evidence', async () => {
  const drawn = fc.record({
    on: fc.constantFrom('inventory', 'dispatch', 'wait', 'cancel'),
    at: fc.integer({ min: 1, max: 3 }),
    value: value as fc.Arbitrary<Json>,
    throws: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(drawn, fc.constantFrom(...scenarios), fc.nat(1000), async (what, scenario, seed) => {
      const evidence = await run(scenario, seed, meddled(what));
      const kept = await requireSameJudgement(evidence);
      expect(JSON.stringify(kept)).not.toContain(SECRET);
    }),
    { numRuns: 300 },
  );
});

test('free text becomes its digest, wherever an adapter or a vendor said it', async () => {
  const evidence = await run('nominal', 3, right());
  const digest = `sha256:${await sha256(SECRET)}`;
  const [first] = evidence.steps;
  if (first === undefined) throw new Error('no step');
  first.result = { kind: 'threw', error: { isError: true, name: 'Error', message: SECRET, code: [SECRET] } };
  const refusal = { seq: evidence.ledger.length + 1, at: 9e6, kind: 'refusal', by: 'client' } as const;
  const none = { credential: null, step: null, call: null };
  evidence.ledger.push({ ...refusal, ...none, note: SECRET, key: SECRET, target: SECRET });
  evidence.end = { kind: 'broken', reason: 'load', text: SECRET };
  const kept = await normalise(evidence, fleet.words);
  expect(kept.steps[0]?.result).toEqual({
    kind: 'threw',
    error: { isError: true, name: 'Error', message: digest, code: [digest] },
  });
  expect(kept.ledger.at(-1)).toEqual({ ...refusal, ...none, note: digest, key: digest, target: digest });
  expect(kept.end).toEqual({ kind: 'broken', reason: 'load', text: 'The adapter does not load.' });
});

test('members that evidence does not have are left out, so a line that has one is in no signed form', async () => {
  const evidence = await run('nominal', 3, right());
  const kept = await normalise(evidence, fleet.words);
  expect(await isNormalised(kept, fleet.words)).toBe(true);
  const [row] = kept.trace;
  Object.assign(row ?? {}, { body: 'what was sent' });
  expect(await isNormalised(kept, fleet.words)).toBe(false);
});

test('texts longer than a mission id may be stay longer than one', async () => {
  const at = (length: number) => meddled({ on: 'dispatch', at: 1, value: 'm'.repeat(length), throws: false });
  const shapesOf = async (length: number) => {
    const evidence = await requireSameJudgement(await run('nominal', 3, at(length)));
    return judge(evidence).rules.find(({ id }) => id === 'kept_the_contracts_shapes')?.held;
  };
  expect(await shapesOf(256)).toBe(true);
  expect(await shapesOf(257)).toBe(false);
});
