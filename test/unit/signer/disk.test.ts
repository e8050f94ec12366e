/** Disks that are full or read-only, folders that may not be written: said in a sentence, and nothing is lost. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { keyPlace } from '../../../server/src/signer/keyPlace.ts';
import { loadKey } from '../../../server/src/signer/keys.ts';
import { writeVerdicts } from '../../../server/src/signer/verdictFile.ts';
import { ADAPTER } from '../../support/verdictFiles.ts';
import { contentOf, filesIn, newsFor, placeIn, smallDisk, temporaryFolder } from './support.ts';

const NAME = 'adapter.verdicts.jsonl';
const NOBODY = 65_534;

afterEach(() => process.seteuid?.(0));

test('a full disk leaves the old file as it was', async () => {
  const folder = smallDisk(256 * 1024);
  const place = placeIn();
  const key = await loadKey(place);
  const target = join(folder, NAME);
  await writeVerdicts(await newsFor(folder, ['nominal'], key), key, place);
  const [old, head] = [readFileSync(target), readFileSync(place.heads)];
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail - 2) * bsize));
  const more = await newsFor(folder, ['overload', 'silent'], key);
  const full = `${target} cannot be written: the disk is full; free some space and run again.`;
  await expect(writeVerdicts(more, key, place)).rejects.toThrow(full);
  expect(readFileSync(target)).toEqual(old);
  expect(readFileSync(place.heads)).toEqual(head);
  expect(filesIn(folder)).toEqual([NAME, 'filler']);
  const other = await newsFor(folder, ['nominal'], key, { adapter: `${ADAPTER}\n` });
  await expect(writeVerdicts(other, key, place)).rejects.toThrow('the disk is full');
  expect(readFileSync(target)).toEqual(old);
});

test('a folder that may not be written leaves the old file as it was', async () => {
  const folder = temporaryFolder();
  const place = placeIn();
  const key = await loadKey(place);
  const target = join(folder, NAME);
  const news = await newsFor(folder, ['nominal'], key);
  await writeVerdicts(news, key, place);
  const old = readFileSync(target);
  for (const path of [place.folder, place.file, place.known, place.heads]) chownSync(path, NOBODY, NOBODY);
  for (const path of [join(place.folder, '..'), folder]) chmodSync(path, 0o755);
  process.seteuid?.(NOBODY);
  await expect(writeVerdicts(news, key, place)).rejects.toThrow(
    `${join(folder, `.${NAME}.lock`)} cannot be written: permission was denied; make its folder writable for you and run again.`,
  );
  process.seteuid?.(0);
  expect(readFileSync(target)).toEqual(old);
  expect(filesIn(folder)).toEqual([NAME]);
});

test('a key on a read-only disk signs, and it is said what cannot be remembered', async () => {
  const disk = smallDisk(256 * 1024);
  const place = keyPlace({ LOADLINE_SIGNING_KEY: join(disk, 'ci.jwk') });
  const { kid } = await loadKey(place);
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const key = await loadKey(place);
  expect(key.kid).toBe(kid);
  const folder = temporaryFolder();
  const { notes } = await writeVerdicts(await newsFor(folder, ['nominal'], key), key, place);
  expect(notes).toEqual([
    `That this is the newest file could not be noted in ${place.heads} (${place.lock} cannot be written: the file system is read-only; make it writable and run again.), so an older one put back would not be noticed.`,
  ]);
  expect(contentOf(join(folder, NAME)).checkpoint).toMatchObject({ sequence: 1 });
});
