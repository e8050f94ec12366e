/** Puts a new verdict file in place of the one that stands there, which is kept where it must not be lost. */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FILE_BYTES } from '../../../shared/src/evidence/verify.ts';
import { removeLeftovers, syncFolder, writeBeside } from './durable.ts';
import { errorCode, fileTrouble, SigningRefused } from './refused.ts';

/** The bytes of a regular file; null: there is none. @throws SigningRefused */
export async function readTarget(target: string): Promise<Buffer | null> {
  const found = await lstat(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileTrouble('read', target, error);
  });
  if (found === null) return null;
  if (!found.isFile())
    throw new SigningRefused(`${target} is no regular file, so no verdict is written there; move it away.`);
  if (found.size > FILE_BYTES)
    throw new SigningRefused(`${target} is larger than 128 MiB, so it is no verdict file; move it away.`);
  return readRegular(target);
}

async function readRegular(target: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(target, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    if (!(await file.stat()).isFile()) throw new Error('it is no regular file any more');
    return await file.readFile();
  } catch (error) {
    throw fileTrouble('read', target, error);
  } finally {
    await file?.close();
  }
}

/** Where the old file goes: nowhere (its lines are in the new one), or under the first free of these names. */
export type Keep = ((attempt: number) => string) | null;

/**
 * Under the target's lock. Writes the new text whole before anything is touched, keeps the old file, then renames. Where any of it fails the
 * old file is as it was. Gives the path under which the old one is kept.
 * @throws SigningRefused
 */
export async function replaceTarget(target: string, text: string, keep: Keep): Promise<string | null> {
  let temporary: string | undefined;
  let kept: string | null = null;
  try {
    await removeLeftovers(target);
    temporary = await writeBeside(target, text, 0o644);
    kept = keep === null ? null : await keepOld(target, keep);
    await rename(temporary, target);
    temporary = undefined;
    await syncFolder(dirname(target));
    return kept;
  } catch (error) {
    if (temporary !== undefined) {
      await rm(temporary, { force: true }).catch(() => undefined);
      if (kept !== null) await rm(kept, { force: true }).catch(() => undefined);
    }
    throw error instanceof SigningRefused ? error : fileTrouble('written', target, error);
  }
}

/** A second name for the old file: what was there is never overwritten and takes no space. */
async function keepOld(target: string, keep: (attempt: number) => string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const name = keep(attempt);
    try {
      await linkOrCopy(target, name);
      await syncFolder(dirname(name));
      return name;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'ENOTSUP') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** `adapter.verdicts.jsonl.set-aside-<n>` beside it. */
export function setAsideName(target: string): (attempt: number) => string {
  return (attempt) => `${target}.set-aside-${attempt}`;
}

/** A name in `.loadline/history/` of the project. @throws SigningRefused where that is no folder of its own */
export async function historyName(
  folder: string,
  target: string,
  checkpoint: string,
): Promise<(attempt: number) => string> {
  const history = join(folder, '.loadline', 'history');
  for (const part of [dirname(history), history]) await ensureFolder(part);
  const stem = basename(target).replace(/\.verdicts\.jsonl$/, '');
  return (attempt) =>
    join(history, `${stem}.${checkpoint.slice(0, 12)}${attempt === 1 ? '' : `-${attempt}`}.verdicts.jsonl`);
}

/** Never through a link: a repository could lead it anywhere. */
async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw fileTrouble('made', folder, error);
  }
  if (!(await lstat(folder)).isDirectory())
    throw new SigningRefused(`${folder} is no folder, so no older verdict is kept there; move it away.`);
}
