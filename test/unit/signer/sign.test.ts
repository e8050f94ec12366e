/** What the signer signs, and each thing that it refuses, with its reason. */
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KeyPlace } from '../../../server/src/signer/keyPlace.ts';
import { loadKey } from '../../../server/src/signer/keys.ts';
import { Nonces } from '../../../server/src/signer/nonces.ts';
import { sign } from '../../../server/src/signer/sign.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import type { SignParams } from '../../../shared/src/signerProtocol.ts';
import { signParams } from './params.ts';
import { contentOf, filesIn, placeIn, temporaryFolder } from './support.ts';

let folder: string;
let place: KeyPlace;
let nonces: Nonces;

beforeEach(() => {
  folder = temporaryFolder();
  place = placeIn();
  nonces = new Nonces();
});

const params = (scenarios = ['nominal'], path = 'adapter.js') =>
  signParams(folder, scenarios, nonces.give(scenarios.length), path);
const runOf = ({ runs: [run] }: SignParams) => {
  if (run?.result.evidence === undefined) throw new Error('there is no run');
  return { ...run, evidence: run.result.evidence };
};
async function refusal(asked: SignParams): Promise<string> {
  const answer = await sign(asked, place, nonces);
  expect(filesIn(folder).filter((name) => name.includes('verdicts'))).toEqual([]);
  return answer.signed ? 'it was signed' : answer.reason;
}

describe('signs', () => {
  test('what follows from the evidence, and says where', async () => {
    const answer = await sign(await params(['overload', 'nominal']), place, nonces);
    const target = join(folder, 'adapter.verdicts.jsonl');
    const { kid } = await loadKey(place);
    expect(answer).toEqual({ signed: true, verdictFile: target, verdict: 'partial', kid, notes: [] });
    expect(contentOf(target).scenarios).toEqual(['nominal', 'overload']);
  });

  test('an adapter in a folder of the project, beside it', async () => {
    mkdirSync(join(folder, 'robots'));
    expect(await sign(await params(['nominal'], 'robots/left.cjs'), place, nonces)).toMatchObject({
      signed: true,
      verdictFile: join(folder, 'robots/left.verdicts.jsonl'),
    });
  });
});

describe('refuses an adapter', () => {
  test('that changed since it ran', async () => {
    const asked = await params();
    writeFileSync(asked.adapter, 'module.exports = {};');
    expect(await refusal(asked)).toBe(
      `${asked.adapter} changed since it ran; run it again to sign a verdict on it.`,
    );
  });

  test('that is gone, or that a link leads out of the folder to', async () => {
    const asked = await params();
    const outside = join(temporaryFolder(), 'adapter.js');
    renameSync(asked.adapter, outside);
    expect(await refusal(asked)).toBe(`${asked.adapter} does not exist.`);
    symlinkSync(outside, asked.adapter);
    expect(
      await refusal({ ...asked, ...(await params(['nominal'], 'other.js')), adapter: asked.adapter }),
    ).toBe(`${asked.adapter} leads out of ${folder}; an adapter is a file of the folder that judges it.`);
  });
});

describe('refuses a seed', () => {
  test('that does not derive from the adapter', async () => {
    const asked = await params();
    expect(await refusal({ ...asked, seed: asked.seed + 1 })).toBe(
      'The seed is not the one derived from the adapter and its contract; run without --seed to sign.',
    );
  });

  test('whose plan is not the one of the evidence', async () => {
    const asked = await params();
    Object.assign(runOf(asked).evidence.plan as object, { seed: await seedOf('a'.repeat(64), 'fleet/1.0') });
    expect(await refusal(asked)).toBe(
      'nominal is not signed: its plan is not the one that follows from the seed.',
    );
  });

  test('of another scenario', async () => {
    const asked = await params();
    runOf(asked).result.scenario = 'overload';
    expect(await refusal(asked)).toBe(
      'overload is not signed: its plan is not the one that follows from the seed.',
    );
  });
});

describe('refuses an outcome', () => {
  test.each<[string, (asked: SignParams) => void]>([
    ['verdict', (asked) => Object.assign(runOf(asked).result, { verdict: 'failed' })],
    ['rule', ({ runs: [run] }) => Object.assign(run?.result.rules[0] ?? {}, { held: false })],
    ['number of rules', ({ runs: [run] }) => run?.result.rules.pop()],
  ])('whose %s does not follow', async (_, change) => {
    const asked = await params();
    change(asked);
    expect(await refusal(asked)).toBe(
      'nominal is not signed: its verdict does not follow from its evidence.',
    );
  });

  test('of evidence that shows another one', async () => {
    const asked = await params();
    runOf(asked).evidence.record.orders.pop();
    expect(await refusal(asked)).toMatch(/^nominal is not signed: /);
  });

  test('of evidence that cannot be judged', async () => {
    const asked = await params();
    Object.assign(runOf(asked).evidence, { ledger: 'none' });
    expect(await refusal(asked)).toMatch(/^nominal is not signed: /);
  });

  test('of a run that did not happen, or whose evidence was left out', async () => {
    const asked = await params();
    const { result } = runOf(asked);
    const why = 'nominal is not signed: it has no evidence that a verdict follows from.';
    const { evidence: _, ...bare } = result;
    for (const changed of [bare, { ...result, verdict: 'not_run' as const }]) {
      const again = await params();
      expect(await refusal({ ...again, runs: [{ ...runOf(again), result: changed }] })).toBe(why);
    }
  });
});

describe('refuses facts', () => {
  const digests = ['document', 'grant', 'config', 'client', 'guest'] as const;
  test.each(digests)('without the digest of the %s', async (name) => {
    const asked = await params();
    expect(await refusal({ ...asked, inputs: { ...asked.inputs, [name]: '' } })).toBe(
      `The digest of the ${name} is missing.`,
    );
  });

  test('of another tier or clock than the run had', async () => {
    const why = 'nominal is not signed: it ran with another clock or in another tier than is stated.';
    for (const change of [{ tier: 'kernel' as const }, { clock: 'real' as const }]) {
      const asked = await params();
      expect(await refusal({ ...asked, environment: { ...asked.environment, ...change } })).toBe(why);
    }
  });

  test('of rules that it does not know', async () => {
    const asked = await params();
    expect(await refusal({ ...asked, inputs: { ...asked.inputs, contract: 'fleet/1.99' } })).toBe(
      'The contract fleet/1.99 is not one that this version can judge again.',
    );
  });

  test('of one scenario twice, or of none', async () => {
    const twice = await params();
    const why = 'A verdict file takes one run of each scenario, and at least one.';
    expect(await refusal({ ...twice, runs: [runOf(twice), runOf(twice)] })).toBe(why);
    expect(await refusal({ ...twice, runs: [] })).toBe(why);
  });
});

describe('takes each nonce once', () => {
  const why = 'A run names a nonce that was not given for it or is used up; run it again.';

  test('and none that it did not give', async () => {
    const asked = await params();
    expect(await refusal({ ...asked, runs: [{ ...runOf(asked), nonce: 'bm9uY2U' }] })).toBe(why);
  });

  test('whatever became of the run', async () => {
    const asked = await params();
    expect(await refusal({ ...asked, seed: 1 })).toMatch(/^The seed/);
    expect(await refusal(asked)).toBe(why);
  });

  test('and gives no two alike, and not any number', () => {
    const given = nonces.give(500);
    expect(new Set(given)).toHaveLength(500);
    expect(given[0]).toMatch(/^[\w-]{22}$/);
    for (const count of [0, -1, 1.5, 20_000]) expect(() => nonces.give(count)).toThrow('cannot be given');
  });
});

test('signs nothing where the key is gone', async () => {
  await loadKey(place);
  const asked = await params();
  renameSync(place.file, `${place.file}.away`);
  expect(await refusal(asked)).toContain(`is missing from ${place.file}`);
  expect(existsSync(place.file)).toBe(false);
});
