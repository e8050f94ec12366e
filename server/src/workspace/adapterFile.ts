/** The one way in which the bytes of an adapter are read, by whoever runs or signs it. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

export const ADAPTER_BYTES = 1024 * 1024;

/** An adapter that cannot be run as it stands; the message says what to do. */
export class AdapterUnreadable extends Error {}

/** The bytes of an adapter inside a folder, read once; more than ADAPTER_BYTES are not. Throws AdapterUnreadable. */
export async function readAdapter(folder: string, path: string): Promise<Buffer> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new AdapterUnreadable(
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read (${error.code}).`,
    );
  });
  if (!(await isInside(folder, real)))
    throw new AdapterUnreadable(
      `${path} leads out of ${folder}; an adapter is a file of the folder that judges it.`,
    );
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new AdapterUnreadable(`${path} cannot be read (${error.code}).`);
    },
  );
  try {
    if (!(await file.stat()).isFile()) throw new AdapterUnreadable(`${path} is no regular file.`);
    // One byte more than allowed shows a file that is too large without reading all of it.
    const buffer = Buffer.alloc(ADAPTER_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > ADAPTER_BYTES) throw new AdapterUnreadable(`${path} is larger than 1 MiB; split it.`);
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Whether a real path lies in a folder. */
export async function isInside(folder: string, real: string): Promise<boolean> {
  const inside = await realpath(folder);
  return real.startsWith(inside.endsWith(sep) ? inside : inside + sep);
}
