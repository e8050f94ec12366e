import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KeyPlace } from '../../../server/src/signer/keyPlace.ts';
import { loadKey, rotateKey, type SigningKey } from '../../../server/src/signer/keys.ts';
import { writeVerdicts } from '../../../server/src/signer/verdictFile.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import { ADAPTER, newKey, scenarios } from '../../support/verdictFiles.ts';
import { seesNoRobot } from './behaviour.ts';
import { contentOf, filesIn, type LineOptions, newsFor, placeIn, temporaryFolder } from './support.ts';

const NAME = 'adapter.verdicts.jsonl';

let folder: string;
let target: string;
let place: KeyPlace;
let key: SigningKey;

beforeEach(async () => {
  folder = temporaryFolder();
  target = join(folder, NAME);
  place = placeIn();
  key = await loadKey(place);
});

const write = async (ids: readonly string[], options: LineOptions = {}) =>
  writeVerdicts(await newsFor(folder, ids, key, options), key, place);
const bytes = () => readFileSync(target);
const sealOf = async () => sha256(bytes().toString('utf8').trimEnd().split('\n').at(-1) ?? '');
const verified = (options = {}) => verifyBytes(bytes(), { trusted: new Set([key.kid]), ...options });

describe('lines', () => {
  test('of the first scenario make a partial file that verifies', async () => {
    expect(await write(['nominal'])).toEqual({ verdict: 'partial', notes: [] });
    const { checkpoint } = contentOf(target);
    expect(checkpoint).toMatchObject({
      ...{ count: 1, verdict: 'partial', sequence: 1, previous: null },
      ...{ history: { runs: 1, failures: 0 }, key: key.publicKey },
    });
    expect(checkpoint).not.toHaveProperty('rotatedFrom');
    expect(await verified({ partial: true })).toMatchObject({ verified: true, trusted: true, lines: 1 });
    expect(filesIn(folder)).toEqual([NAME]);
  });

  test("are merged by scenario in the contract's order, and each checkpoint names the one before", async () => {
    await write(['overload']);
    const first = await sealOf();
    await write(['silent', 'nominal']);
    expect(contentOf(target).scenarios).toEqual(['nominal', 'overload', 'silent']);
    expect(contentOf(target).checkpoint).toMatchObject({
      sequence: 2,
      previous: first,
      history: { runs: 3 },
    });
    await write(['overload'], { behaviour: seesNoRobot() });
    const { scenarios: held, checkpoint } = contentOf(target);
    expect(held).toEqual(['nominal', 'overload', 'silent']);
    expect(checkpoint).toMatchObject({ sequence: 3, verdict: 'failed', history: { runs: 4, failures: 1 } });
    expect(await verified()).toMatchObject({ verified: true, verdict: 'failed' });
  });

  test('of every scenario make a qualified file', async () => {
    await write(scenarios.slice(0, 1));
    expect((await write(scenarios.slice(1))).verdict).toBe('qualified');
    expect(await verified()).toMatchObject({ verified: true, verdict: 'qualified', lines: 16, sequence: 2 });
  });

  test('of two qualifications at once are all kept', async () => {
    const parts = [['nominal'], ['overload', 'silent'], ['lost_answer'], ['throttled']];
    const news = await Promise.all(parts.map((ids) => newsFor(folder, ids, key)));
    await Promise.all(news.map((each) => writeVerdicts(each, key, place)));
    expect(contentOf(target).scenarios).toEqual([
      'nominal',
      'overload',
      'lost_answer',
      'silent',
      'throttled',
    ]);
    expect(contentOf(target).checkpoint).toMatchObject({ sequence: 4, history: { runs: 5, failures: 0 } });
    expect(filesIn(folder)).toEqual([NAME]);
  });
});

describe('a file that is not ours to change', () => {
  const conflicted = (text: string) => text.replace('\n', '\n<<<<<<< HEAD\n');
  const cut = (text: string) => text.slice(0, -40);
  const unsealed = (text: string) => `${text.split('\n')[0]}\n`;
  test.each([
    ['conflicted', conflicted, 'it holds the markers of a merge conflict.'],
    [
      'cut off',
      cut,
      'it is not one that your key signed (form, line 0): The file does not end with a line feed.',
    ],
    [
      'without its checkpoint',
      unsealed,
      'it is not one that your key signed (missing, line 1): The file does not end with a checkpoint.',
    ],
    [
      'of notes',
      () => 'my notes\n',
      'it is not one that your key signed (form, line 1): The line is not JSON.',
    ],
    [
      'empty',
      () => '',
      'it is not one that your key signed (form, line 0): The file does not end with a line feed.',
    ],
  ])('%s is set aside', async (_, change, why) => {
    await write(['nominal']);
    const text = change(bytes().toString('utf8'));
    writeFileSync(target, text);
    const { notes } = await write(['overload']);
    expect(notes).toEqual([`${NAME} was set aside as ${NAME}.set-aside-1: ${why}`]);
    expect(readFileSync(`${target}.set-aside-1`, 'utf8')).toBe(text);
    expect(contentOf(target)).toMatchObject({ scenarios: ['overload'], checkpoint: { sequence: 2 } });
    expect(await verified({ partial: true })).toMatchObject({ verified: true });
  });

  test("of another's key is set aside, under the next free name", async () => {
    const stranger = await newKey();
    const elsewhere = placeIn();
    await writeVerdicts(await newsFor(folder, ['nominal'], stranger), stranger, elsewhere).catch(
      () => undefined,
    );
    mkdirSync(elsewhere.folder, { recursive: true });
    await writeVerdicts(await newsFor(folder, ['nominal'], stranger), stranger, elsewhere);
    writeFileSync(`${target}.set-aside-1`, 'earlier');
    const foreign = bytes();
    const { notes } = await write(['nominal']);
    expect(notes).toEqual([
      `${NAME} was set aside as ${NAME}.set-aside-2: it is not one that your key signed (key, line 1): The key ${stranger.kid} is not among the trusted ones.`,
    ]);
    expect(readFileSync(`${target}.set-aside-1`, 'utf8')).toBe('earlier');
    expect(readFileSync(`${target}.set-aside-2`)).toEqual(foreign);
  });

  test('that is older than the one signed last is set aside, and the count goes on', async () => {
    await write(['nominal']);
    copyFileSync(target, join(folder, 'old'));
    await write(['overload'], { behaviour: seesNoRobot() });
    const newest = await sealOf();
    copyFileSync(join(folder, 'old'), target);
    const { notes } = await write(['silent']);
    expect(notes).toEqual([
      `${NAME} was set aside as ${NAME}.set-aside-1: it is older than the one that was signed last here (older).`,
    ]);
    expect(contentOf(target)).toMatchObject({
      scenarios: ['silent'],
      checkpoint: { sequence: 3, previous: newest, history: { runs: 3, failures: 1 } },
    });
  });
});

describe('a file of other facts', () => {
  const history = () => join(folder, '.loadline/history');

  test('goes to the history when the adapter changed; its counts start anew, and come back with it', async () => {
    await write(['nominal', 'overload']);
    const [old, seal] = [bytes(), await sealOf()];
    const kept = join(history(), `adapter.${seal.slice(0, 12)}.verdicts.jsonl`);
    const { notes } = await write(['nominal'], { adapter: `${ADAPTER}\n` });
    expect(notes).toEqual([
      `${NAME} starts anew, since adapter, inputs or environment changed; the old one is ${kept}.`,
    ]);
    expect(readFileSync(kept)).toEqual(old);
    expect(contentOf(target).checkpoint).toMatchObject({ sequence: 2, previous: seal, history: { runs: 1 } });
    await write(['silent']);
    expect(contentOf(target)).toMatchObject({
      scenarios: ['silent'],
      checkpoint: { sequence: 3, history: { runs: 3, failures: 0 } },
    });
    expect(filesIn(history())).toHaveLength(2);
  });

  test.each<[string, LineOptions['change']]>([
    ['the grant', ({ predicate }) => Object.assign(predicate.inputs, { grant: 'a'.repeat(64) })],
    ['the tier', ({ predicate }) => Object.assign(predicate.environment, { tier: 'kernel' })],
  ])('goes to the history when %s changed; the counts of the adapter go on', async (_, change) => {
    await write(['nominal']);
    await write(['overload'], change === undefined ? {} : { change });
    expect(contentOf(target)).toMatchObject({
      scenarios: ['overload'],
      checkpoint: { history: { runs: 2 } },
    });
    expect(filesIn(history())).toHaveLength(1);
  });

  test('is not led elsewhere by a link, and stays as it was', async () => {
    await write(['nominal']);
    const old = bytes();
    symlinkSync(temporaryFolder(), join(folder, '.loadline'));
    await expect(write(['nominal'], { adapter: `${ADAPTER}\n` })).rejects.toThrow(
      `${join(folder, '.loadline')} is no folder, so no older verdict is kept there; move it away.`,
    );
    expect(bytes()).toEqual(old);
    expect(filesIn(folder)).toEqual(['.loadline', NAME]);
  });

  test('that is gone leaves its number and counts behind', async () => {
    await write(['nominal']);
    const seal = await sealOf();
    rmSync(target);
    await write(['nominal']);
    expect(contentOf(target).checkpoint).toMatchObject({ sequence: 2, previous: seal, history: { runs: 2 } });
  });
});

describe('a target that is no regular file', () => {
  test.each([
    ['link', () => symlinkSync('elsewhere', target)],
    ['folder', () => mkdirSync(target)],
    ['pipe', () => execFileSync('mkfifo', [target])],
  ])('%s: refused and left alone', async (_, make) => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'untouched');
    make();
    const before = lstatSync(target).ino;
    await expect(write(['nominal'])).rejects.toThrow(
      `${target} is no regular file, so no verdict is written there; move it away.`,
    );
    expect([lstatSync(target).ino, readFileSync(elsewhere, 'utf8')]).toEqual([before, 'untouched']);
    expect(filesIn(folder)).toEqual([NAME, 'elsewhere'].sort());
  });
});

describe('after a rotation', () => {
  test('lines of the old key stay, and the checkpoint of the new one names it', async () => {
    await write(['nominal']);
    const seal = await sealOf();
    const { rotatedFrom } = await rotateKey(place);
    key = await loadKey(place);
    await write(['overload']);
    expect(contentOf(target)).toMatchObject({
      scenarios: ['nominal', 'overload'],
      checkpoint: { sequence: 2, previous: seal, rotatedFrom, key: key.publicKey },
    });
    const both = new Set([key.kid, rotatedFrom]);
    expect(await verified({ partial: true, trusted: both })).toMatchObject({ verified: true, trusted: true });
    await write(['silent']);
    expect(contentOf(target).checkpoint).toMatchObject({ sequence: 3, rotatedFrom });
    await write(['nominal']);
    expect(contentOf(target)).toMatchObject({ scenarios: ['nominal', 'overload', 'silent'] });
    expect(contentOf(target).checkpoint).not.toHaveProperty('rotatedFrom');
  });

  test('and another one, lines of the first key make no file any more', async () => {
    await write(['nominal']);
    for (const scenario of ['overload', 'silent']) {
      await rotateKey(place);
      key = await loadKey(place);
      await write([scenario]);
    }
    expect(contentOf(target)).toMatchObject({ scenarios: ['silent'], checkpoint: { sequence: 3 } });
    expect(filesIn(join(folder, '.loadline/history'))).toHaveLength(1);
    expect(existsSync(`${target}.set-aside-1`)).toBe(false);
  });
});

test('a lost head costs nothing but the look back', async () => {
  await write(['nominal']);
  writeFileSync(place.heads, '{"damaged');
  await write(['overload']);
  expect(contentOf(target).checkpoint).toMatchObject({ sequence: 2, history: { runs: 2 } });
});
