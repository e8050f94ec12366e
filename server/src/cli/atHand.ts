/** The files beside a verdict file that it is about: adapter, loadline.json and what that names. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { withoutShard } from '../../../shared/src/evidence/shard.ts';
import type { AtHand } from '../../../shared/src/evidence/verify.ts';
import { FileRefused } from '../openapi/files.ts';
import { ConfinedFiles, sha256 } from '../workspace/files.ts';
import { CannotDo } from './exit.ts';

const SUFFIX = '.verdicts.jsonl';
const CONFIG = 'loadline.json';
const BOM = new Uint8Array([0xef, 0xbb, 0xbf]);
/** A reference into another file: a document in several files has a digest over all of them. */
const OUTSIDE_REFERENCE = /\$ref["']?\s*:\s*["']?[^#"'\s]/;

export interface FilesAtHand {
  atHand: AtHand;
  /** What could not be compared, in sentences. */
  notes: string[];
}

/**
 * @param verdictFile absolute path
 * @param adapter path that the user names; else the file beside the verdict file
 * @throws CannotDo where the adapter that the user names cannot be read
 */
export function filesAtHand(verdictFile: string, adapter?: string): FilesAtHand {
  const atHand: AtHand = { ...adapterAtHand(verdictFile, adapter) };
  const folder = projectFolder(dirname(verdictFile));
  if (folder === null) return { atHand, notes: [notCompared('grant, vendor document and loadline.json')] };
  const notes: string[] = [];
  const files = new ConfinedFiles(folder);
  const config = bytesFrom(files, CONFIG);
  if (config !== null) atHand.config = config;
  const names = namesIn(config);
  const grant = bytesFrom(files, names.grant);
  if (grant === null) notes.push(notCompared('grant'));
  else atHand.grant = grant;
  const document = bytesFrom(files, names.openapi);
  if (document === null || OUTSIDE_REFERENCE.test(new TextDecoder().decode(document)))
    notes.push(notCompared('vendor document'));
  else atHand.document = document;
  return { atHand, notes };
}

function notCompared(what: string): string {
  return `That what was judged is still there (${what}): not at hand as one file, so not compared.`;
}

function adapterAtHand(verdictFile: string, named: string | undefined): Pick<AtHand, 'adapter'> {
  const name = basename(verdictFile);
  const beside = name.endsWith(SUFFIX) ? `${withoutShard(name.slice(0, -SUFFIX.length))}.js` : null;
  const path = named === undefined ? beside && join(dirname(verdictFile), beside) : resolve(named);
  if (path === null) return {};
  const adapter = existsSync(path) ? bytesFrom(new ConfinedFiles(dirname(path)), basename(path)) : null;
  if (adapter !== null) return { adapter };
  if (named !== undefined) throw new CannotDo(`${named} cannot be read as an adapter.`);
  return {};
}

/** The nearest folder upward that has a loadline.json. */
function projectFolder(from: string): string | null {
  if (existsSync(join(from, CONFIG))) return from;
  const parent = dirname(from);
  return parent === from ? null : projectFolder(parent);
}

/** Null where there is no such file in the folder, or none that may be read. */
function bytesFrom(files: ConfinedFiles, name: string | null): Uint8Array<ArrayBuffer> | null {
  if (name === null) return null;
  try {
    const read = files.readFile(name);
    const bytes = new TextEncoder().encode(read.source.text);
    // Decoding drops a byte order mark, which belongs to the bytes that were judged.
    return sha256(bytes) === read.sha256 ? bytes : new Uint8Array([...BOM, ...bytes]);
  } catch (error) {
    if (error instanceof FileRefused) return null;
    throw error;
  }
}

function namesIn(config: Uint8Array | null): { openapi: string | null; grant: string | null } {
  try {
    const value = JSON.parse(new TextDecoder().decode(config ?? new Uint8Array())) as Record<string, unknown>;
    const named = (name: string): string | null => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      return typeof member === 'string' ? member : null;
    };
    return { openapi: named('openapi'), grant: named('grant') };
  } catch {
    return { openapi: null, grant: null };
  }
}
