import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readExisting } from '../../../server/src/signer/existing.ts';
import type { KeyPlace } from '../../../server/src/signer/keyPlace.ts';
import { loadKey, type SigningKey } from '../../../server/src/signer/keys.ts';
import { merge } from '../../../server/src/signer/merge.ts';
import { writeVerdicts } from '../../../server/src/signer/verdictFile.ts';
import { runsOfShard } from '../../../shared/src/evidence/shard.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import type { MergeParams } from '../../../shared/src/signerProtocol.ts';
import { fileOf, newKey, scenarios, sealed } from '../../support/verdictFiles.ts';
import { seesNoRobot } from './behaviour.ts';
import {
  contentOf,
  filesIn,
  type LineOptions,
  lineFor,
  newsFor,
  placeIn,
  temporaryFolder,
} from './support.ts';

const NAME = 'adapter.verdicts.jsonl';

let folder: string;
let out: string;
let place: KeyPlace;
let key: SigningKey;

beforeEach(async () => {
  folder = temporaryFolder();
  out = join(folder, NAME);
  place = placeIn();
  key = await loadKey(place);
});

interface ShardFile {
  file: string;
  key: SigningKey;
}

/** A shard's file in a folder of its own, signed by a key of its own. */
async function shardOf(
  ids: readonly string[],
  options: LineOptions = {},
  own = placeIn(),
): Promise<ShardFile> {
  const where = temporaryFolder();
  const shardKey = await loadKey(own);
  const news = await newsFor(where, ids, shardKey, options);
  await writeVerdicts(news, shardKey, own);
  return { file: news.target, key: shardKey };
}

function shardsOf(count: number): Promise<ShardFile[]> {
  const parts = Array.from({ length: count }, (_, part) =>
    runsOfShard(scenarios, { index: part + 1, count }),
  );
  return Promise.all(parts.map((ids) => shardOf(ids)));
}

const mergeOf = (shards: readonly ShardFile[], options: Partial<MergeParams> = {}) =>
  merge({ files: shards.map(({ file }) => file), target: out, partial: false, ...options }, place);
const verified = (keys: readonly SigningKey[], options = {}) =>
  verifyBytes(readFileSync(out), { trusted: new Set(keys.map(({ kid }) => kid)), ...options });
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('shards of every scenario', () => {
  test('make a whole file that each of the keys has a part in', async () => {
    const shards = await shardsOf(3);
    const keys = shards.map((shard) => shard.key);
    expect(await mergeOf(shards)).toEqual({
      merged: true,
      ...{ verdict: 'qualified', lines: 16, notes: [] },
      keys: [...keys, key].map(({ kid }) => kid),
    });
    const { checkpoint, scenarios: order } = contentOf(out);
    expect(order).toEqual(scenarios);
    expect(checkpoint).toMatchObject({
      ...{ count: 16, verdict: 'qualified', sequence: 1, previous: null, key: key.publicKey },
      ...{ history: { runs: 16, failures: 0 }, mergedFrom: keys.map(({ kid }) => kid) },
    });
    expect(await verified([...keys, key])).toMatchObject({ verified: true, trusted: true, lines: 16 });
    expect((await verified(keys)).failures).toMatchObject([{ line: 17, kind: 'key' }]);
    const withoutOne = await verified([...keys.slice(1), key]);
    expect(withoutOne.failures.map(({ line, kind }) => [line, kind])).toEqual(
      runsOfShard(scenarios, { index: 1, count: 3 }).map((id) => [scenarios.indexOf(id) + 1, 'key']),
    );
    expect(filesIn(folder)).toEqual([NAME]);
  });

  test('make the same lines in whatever order they are named', async () => {
    const shards = await shardsOf(2);
    await mergeOf(shards);
    const lines = linesOf(out).slice(0, -1);
    await mergeOf([...shards].reverse());
    expect(linesOf(out).slice(0, -1)).toEqual(lines);
    expect(lines).toEqual(
      scenarios.map((_, index) => linesOf(shards[index % 2]?.file ?? '')[Math.floor(index / 2)]),
    );
  });

  test('of one key name no other', async () => {
    const ids = [scenarios.slice(0, 7), scenarios.slice(7)];
    const shards = await Promise.all(ids.map((each) => shardOf(each, {}, place)));
    expect(await mergeOf(shards)).toMatchObject({ merged: true, keys: [key.kid] });
    expect(contentOf(out).checkpoint).not.toHaveProperty('mergedFrom');
    expect(await verified([key])).toMatchObject({ verified: true, trusted: true });
  });

  test('that were merged before are counted once, and the checkpoint follows the one before', async () => {
    const shards = await shardsOf(2);
    await mergeOf(shards);
    await mergeOf(shards);
    expect(contentOf(out).checkpoint).toMatchObject({ sequence: 2, history: { runs: 16, failures: 0 } });
    expect(filesIn(folder)).toEqual([NAME]);
  });

  test('keep what was run before in their counts', async () => {
    const own = placeIn();
    const [first = '', ...others] = scenarios;
    const again = await shardOf([first], {}, own);
    const shardKey = await loadKey(own);
    await writeVerdicts(await newsFor(join(again.file, '..'), [first], shardKey), shardKey, own);
    await mergeOf([again, await shardOf(others)]);
    expect(contentOf(out).checkpoint).toMatchObject({ history: { runs: 17, failures: 0 } });
  });
});

describe('nothing is written, and it is named,', () => {
  const refusal = async (shards: readonly ShardFile[], options: Partial<MergeParams> = {}) => {
    const answer = await mergeOf(shards, options);
    expect(filesIn(folder)).toEqual([]);
    if (answer.merged) throw new Error('it was merged');
    return answer.failures.map(({ file, line, kind }) => [file, line, kind]);
  };

  test('where a file does not verify', async () => {
    const [one, two] = [await shardOf(scenarios.slice(0, 8)), await shardOf(scenarios.slice(8))];
    const text = readFileSync(two.file, 'utf8');
    writeFileSync(two.file, text.replace('"verdict":"qualified"', '"verdict":"failed"'));
    expect(await refusal([one, two])).toEqual([[two.file, 1, 'signature']]);
    writeFileSync(two.file, fileOf(text.trimEnd().split('\n').slice(1)));
    expect((await refusal([one, two])).map(([file, , kind]) => [file, kind])).toContainEqual([
      two.file,
      'missing',
    ]);
  });

  test('where a key is not among the trusted ones', async () => {
    const [one, two] = [await shardOf(scenarios.slice(0, 15)), await shardOf(scenarios.slice(15))];
    expect(await refusal([one, two], { trusted: [one.key.kid] })).toEqual([
      [two.file, 1, 'key'],
      [two.file, 2, 'key'],
    ]);
  });

  test('where a scenario is missing, unless a partial file is asked for', async () => {
    const shards = [await shardOf(['nominal', 'overload'])];
    expect(await refusal(shards)).toEqual([['', 0, 'partial']]);
    expect(await mergeOf(shards, { partial: true })).toMatchObject({ merged: true, verdict: 'partial' });
  });

  test('where a scenario has two runs', async () => {
    const shards = [await shardOf(scenarios), await shardOf(['nominal'], { behaviour: seesNoRobot() })];
    expect(await refusal(shards)).toEqual([[shards[1]?.file, 1, 'order']]);
  });

  test('where they are about another adapter, other inputs or another environment', async () => {
    const most = await shardOf(scenarios.slice(1));
    const [first = ''] = scenarios;
    const other = await shardOf([first], { adapter: '// another\n' });
    expect(await refusal([most, other])).toEqual([[other.file, 1, 'verdict']]);
    const granted = await shardOf([first], {
      change: ({ predicate }) => {
        predicate.inputs.grant = 'e'.repeat(64);
      },
    });
    expect(await refusal([most, granted])).toEqual([[granted.file, 1, 'stale']]);
    const elsewhere = await shardOf([first], {
      change: ({ predicate }) => {
        predicate.environment.engine = { name: 'Docker', version: '27.0.1' };
      },
    });
    expect(await refusal([most, elsewhere])).toEqual([[elsewhere.file, 1, 'partial']]);
  });

  test('where a file cannot be read or is none', async () => {
    expect(await merge({ files: [join(folder, 'none')], target: out, partial: true }, place)).toEqual({
      merged: false,
      reason: `${join(folder, 'none')} cannot be read: the system said ENOENT; correct that and run again.`,
      failures: [],
    });
  });
});

test('a line that two files have is kept once, and said', async () => {
  const whole = await shardOf(scenarios, {}, place);
  const copy = { ...whole, file: join(temporaryFolder(), NAME) };
  writeFileSync(copy.file, readFileSync(whole.file));
  const answer = await mergeOf([whole, copy]);
  expect(answer).toMatchObject({ merged: true, verdict: 'qualified', lines: 16 });
  expect(answer.merged && answer.notes.length).toBe(16);
});

test('another file in the way is set aside', async () => {
  const stranger = await shardOf(['nominal']);
  writeFileSync(out, readFileSync(stranger.file));
  const answer = await mergeOf(await shardsOf(2));
  expect(answer).toMatchObject({ merged: true, verdict: 'qualified' });
  expect(filesIn(folder)).toEqual([NAME, `${NAME}.set-aside-1`]);
});

test('a run that is signed afterwards starts the file anew, and the merged one is kept', async () => {
  await mergeOf(await shardsOf(2));
  const { notes, verdict } = await writeVerdicts(await newsFor(folder, ['nominal'], key), key, place);
  expect([verdict, notes]).toEqual(['partial', [expect.stringContaining('merged from files of other keys')]]);
  expect(filesIn(folder)).toEqual(['.loadline', NAME]);
});

test('a checkpoint that names keys does not make its file ours', async () => {
  const stranger = await newKey();
  const line = (await lineFor('nominal', key)).text;
  const others = (await lineFor('overload', stranger)).text;
  const seal = await sealed([line, others], stranger, { mergedFrom: [key.kid, stranger.kid] });
  const existing = await readExisting(Buffer.from(fileOf([line, others, seal])), [key.kid]);
  expect(existing.kind).toBe('foreign');
});

test.each([
  ['none', []],
  ['one twice', ['a'.repeat(43), 'a'.repeat(43)]],
  ['something else', ['a key']],
])('a checkpoint that names %s is in no form of ours', async (_name, mergedFrom) => {
  const line = (await lineFor('nominal', key)).text;
  const file = fileOf([line, await sealed([line], key, { mergedFrom })]);
  const { failures } = await verifyBytes(Buffer.from(file), { partial: true });
  expect(failures).toContainEqual(expect.objectContaining({ line: 2, kind: 'form' }));
});
