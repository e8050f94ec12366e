/** Files that are there whole or not at all, also after a power cut. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Writes a new file in the folder of `target` and syncs it; gives its path. Leaves nothing behind where it fails. */
export async function writeBeside(target: string, bytes: string, mode: number): Promise<string> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, 'wx', mode);
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    return temporary;
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes what writers of `target` left that were killed. Whoever asks holds the lock under which it is written. */
export async function removeLeftovers(target: string): Promise<void> {
  const [start, end] = [`.${basename(target)}.`, '.tmp'];
  const isLeft = (name: string) =>
    name.startsWith(start) && name.endsWith(end) && UUID.test(name.slice(start.length, -end.length));
  for (const name of await readdir(dirname(target)))
    if (isLeft(name)) await rm(join(dirname(target), name), { force: true });
}

/** Readers see the old file or the new one. */
export async function replaceFile(target: string, bytes: string, mode: number): Promise<void> {
  const temporary = await writeBeside(target, bytes, mode);
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Makes a file that nobody has made yet; false: somebody has. What stands under the name is always whole. */
export async function createFile(target: string, bytes: string, mode: number): Promise<boolean> {
  const temporary = await writeBeside(target, bytes, mode);
  try {
    await link(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
  await syncFolder(dirname(target));
  return true;
}

/** Makes a rename or a new name last. Windows has no such thing and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
