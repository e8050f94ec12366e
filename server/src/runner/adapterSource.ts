import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import type { QualifyParams } from '../../../shared/src/runnerProtocol.ts';

export const ADAPTER_BYTES = 1024 * 1024;

export interface AdapterSource {
  text: string;
  /** Hex SHA-256 of the bytes. */
  sha256: string;
  /** Base name. */
  fileName: string;
}

/** An adapter that cannot be run as it stands; the message says what to do. */
export class AdapterUnreadable extends Error {}

/** Reads the adapter's bytes once. Nothing is normalised. Throws AdapterUnreadable. */
export async function adapterSource(adapter: QualifyParams['adapter']): Promise<AdapterSource> {
  const bytes =
    adapter.kind === 'draft'
      ? Buffer.from(adapter.text, 'utf8')
      : await readInside(adapter.folder, adapter.path);
  if (bytes.length > ADAPTER_BYTES)
    throw new AdapterUnreadable(`${adapter.path} is larger than 1 MiB; split it.`);
  return {
    text: decode(bytes, adapter.path),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    fileName: basename(adapter.path),
  };
}

async function readInside(folder: string, path: string): Promise<Buffer> {
  const inside = await realpath(folder);
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new AdapterUnreadable(
      error.code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be read (${error.code}).`,
    );
  });
  if (!real.startsWith(inside.endsWith(sep) ? inside : inside + sep))
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
    return buffer.subarray(0, length);
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AdapterUnreadable(`${path} is not valid UTF-8; save it as UTF-8.`);
  }
}
