import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { QualifyParams } from '../../../shared/src/runnerProtocol.ts';
import { ADAPTER_BYTES, AdapterUnreadable, readAdapter } from '../workspace/adapterFile.ts';

export { AdapterUnreadable };

export interface AdapterSource {
  text: string;
  /** Hex SHA-256 of the bytes. */
  sha256: string;
  /** Base name. */
  fileName: string;
}

/** Reads the adapter's bytes once. Nothing is normalised. Throws AdapterUnreadable. */
export async function adapterSource(adapter: QualifyParams['adapter']): Promise<AdapterSource> {
  const bytes =
    adapter.kind === 'draft'
      ? draftBytes(adapter.path, adapter.text)
      : await readAdapter(adapter.folder, adapter.path);
  return {
    text: decode(bytes, adapter.path),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    fileName: basename(adapter.path),
  };
}

function draftBytes(path: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > ADAPTER_BYTES) throw new AdapterUnreadable(`${path} is larger than 1 MiB; split it.`);
  return bytes;
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new AdapterUnreadable(`${path} is not valid UTF-8; save it as UTF-8.`);
  }
}
