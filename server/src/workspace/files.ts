/**
 * The one resolver for every path that a workspace names. It reads regular files whose real path lies inside one
 * folder, within limits, and nothing else: no addresses, no links that lead out, no devices.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { FileRefused, type FileSource } from '../openapi/files.ts';

export interface FileLimits {
  /** Of one file and of all together, in bytes. */
  bytes: number;
  /** Files read. */
  files: number;
}

/** 20 MB and 200 files. */
export const FILE_LIMITS: FileLimits = { bytes: 20_000_000, files: 200 };

export interface ConfinedFilesOptions {
  limits?: FileLimits;
  /** Text that stands for a file's own (an editor's unsaved buffer), by path relative to the folder. */
  overlay?: ReadonlyMap<string, string>;
}

/** A file as it was read. */
export interface ReadFile {
  source: SourceText;
  /** sha256 hex of the bytes. */
  sha256: string;
  bytes: number;
}

export class ConfinedFiles implements FileSource {
  /** Real path of the folder. */
  readonly folder: string;
  readonly #limits: FileLimits;
  readonly #overlay: ReadonlyMap<string, string>;
  readonly #read = new Map<string, ReadFile>();
  #bytes = 0;

  /** @throws FileRefused where the folder is none */
  constructor(folder: string, options: ConfinedFilesOptions = {}) {
    this.folder = realFolder(folder);
    this.#limits = options.limits ?? FILE_LIMITS;
    this.#overlay = options.overlay ?? new Map();
  }

  read(file: string): SourceText {
    return this.readFile(file).source;
  }

  /**
   * Reads a file once; a second time gives the same.
   * @param file relative to the folder, with `/`
   * @throws FileRefused
   */
  readFile(file: string): ReadFile {
    const name = this.#inside(file);
    const known = this.#read.get(name);
    if (known) return known;
    if (this.#read.size >= this.#limits.files) {
      throw refused('limit', `"${name}" is not read: at most ${this.#limits.files} files of a project are.`);
    }
    const overlay = this.#overlay.get(name);
    const bytes = overlay === undefined ? this.#bytesOf(name) : Buffer.from(overlay, 'utf8');
    this.#charge(name, bytes.length);
    const text = overlay ?? decode(name, bytes);
    const read = { source: new SourceText(name, text), sha256: sha256(bytes), bytes: bytes.length };
    this.#read.set(name, read);
    return read;
  }

  /** Whether it is a regular file in the folder. Nothing is read. */
  has(file: string): boolean {
    try {
      return statSync(this.#realPath(this.#inside(file))).isFile();
    } catch {
      return false;
    }
  }

  /** Every file read so far, by name. */
  filesRead(): ReadonlyMap<string, ReadFile> {
    return this.#read;
  }

  #inside(file: string): string {
    if (/^[a-z][a-z0-9+.-]+:/i.test(file) || file.startsWith('//')) {
      throw refused('outside', `"${file}" is an address; only files of the project folder are read.`);
    }
    const name = posix.normalize(file);
    const escapes = name === '..' || name.startsWith('../') || name.startsWith('/') || isAbsolute(file);
    if (escapes || file.includes('\\')) {
      throw refused('outside', `"${file}" is not a path inside the project folder, written with "/".`);
    }
    if (file.includes('\0') || name === '.') throw refused('unreadable', `"${file}" is no file.`);
    return name;
  }

  #bytesOf(name: string): Buffer {
    const path = this.#realPath(name);
    const handle = open(name, path);
    try {
      const found = fstatSync(handle);
      if (!found.isFile()) throw refused('unreadable', `"${name}" is no regular file.`);
      this.#checkSize(name, found.size);
      this.#sameFile(name, found);
      return readAll(handle, this.#limits.bytes + 1);
    } finally {
      closeSync(handle);
    }
  }

  #realPath(name: string): string {
    let path: string;
    try {
      path = realpathSync.native(join(this.folder, name));
    } catch {
      throw refused('unreadable', `There is no file "${name}" in the project folder.`);
    }
    const inside = relative(this.folder, path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw refused('outside', `"${name}" is a link that leads out of the project folder; it is not read.`);
    }
    return path;
  }

  /** What was opened is what the name still means: a folder on the way was not swapped for a link meanwhile. */
  #sameFile(name: string, found: { dev: number; ino: number }): void {
    const now = statSync(this.#realPath(name));
    if (now.dev === found.dev && now.ino === found.ino) return;
    throw refused('unreadable', `"${name}" changed while it was opened; try again.`);
  }

  #charge(name: string, bytes: number): void {
    this.#checkSize(name, bytes);
    this.#bytes += bytes;
  }

  #checkSize(name: string, bytes: number): void {
    const most = `${this.#limits.bytes / 1_000_000} MB`;
    if (bytes > this.#limits.bytes) {
      throw refused('limit', `"${name}" is not read: a file may have ${most} at most.`);
    }
    if (this.#bytes + bytes > this.#limits.bytes) {
      throw refused('limit', `"${name}" is not read: all files of a project may have ${most} together.`);
    }
  }
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function realFolder(folder: string): string {
  try {
    const path = realpathSync.native(folder);
    if (statSync(path).isDirectory()) return path;
  } catch {
    // Said below.
  }
  throw refused('unreadable', `There is no folder "${folder}".`);
}

/** Never waits (a pipe would) and never follows a link that took the file's place. */
function open(name: string, path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    throw refused('unreadable', `"${name}" cannot be opened.`);
  }
}

/** A file may grow while it is read: `most` bounds what is taken. */
function readAll(handle: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < most) {
    const chunk = Buffer.allocUnsafe(Math.min(1 << 20, most - total));
    const length = readSync(handle, chunk, 0, chunk.length, null);
    if (length === 0) break;
    chunks.push(chunk.subarray(0, length));
    total += length;
  }
  return Buffer.concat(chunks, total);
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('unreadable', `"${name}" is not valid UTF-8 text.`);
  }
}

function refused(reason: FileRefused['reason'], message: string): FileRefused {
  return new FileRefused(reason, message);
}
