/** Looks everywhere for what has the form of a secret: the probe's canary, or a signed token. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { Json } from '../../shared/src/json.ts';
import type { Found } from '../../shared/src/probe.ts';
import { answer } from './attempt.ts';

const FORMS = [/loadline-canary-[0-9a-f]{32}/g, /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g];
const CHUNK = 1024 * 1024;
const OVERLAP = 4096;
const MAX_FILE = 4 * CHUNK;
const MAX_FOUND = 50;
const LOOK_MS = 10_000;

class Search {
  readonly found: Found[] = [];

  in(place: string, text: string): number {
    for (const form of FORMS) {
      for (const [secret] of text.matchAll(form)) {
        if (this.found.length < MAX_FOUND) this.found.push({ place, text: secret.slice(0, 4000) });
      }
    }
    return text.length;
  }

  files(folder: string, depth: number): number {
    let read = 0;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder === '/' ? '' : folder}/${entry.name}`;
      if (/^\/(proc|sys|dev)$/.test(path) || path === process.execPath) continue;
      try {
        if (entry.isDirectory() && depth > 0) read += this.files(path, depth - 1);
        else if (entry.isFile()) read += this.in(path, readFileSync(path, 'latin1').slice(0, MAX_FILE));
      } catch {
        // What may not be read holds nothing for us.
      }
    }
    return read;
  }

  processes(): number {
    let read = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const name of ['environ', 'cmdline', 'mountinfo', 'cgroup', 'comm']) {
        try {
          read += this.in(`/proc/${pid}/${name}`, readFileSync(`/proc/${pid}/${name}`, 'latin1'));
        } catch {
          // Another user's.
        }
      }
    }
    return read;
  }

  /** Every page of this process that can be read. */
  memory(): number {
    const maps = readFileSync('/proc/self/maps', 'latin1').split('\n');
    const memory = openSync('/proc/self/mem', 'r');
    const piece = Buffer.alloc(CHUNK + OVERLAP);
    let read = 0;
    for (const line of maps) {
      const area = /^([0-9a-f]+)-([0-9a-f]+) r\S* \S+ \S+ (\d+)/.exec(line);
      // Files are searched as files.
      if (area?.[3] !== '0' || line.includes('[v')) continue;
      const end = Number.parseInt(area[2] ?? '0', 16);
      for (let at = Number.parseInt(area[1] ?? '0', 16); at < end; at += CHUNK) {
        try {
          const size = readSync(memory, piece, 0, Math.min(piece.length, end - at), at);
          read += this.in('/proc/self/mem', piece.latin1Slice(0, size));
        } catch {
          break;
        }
      }
    }
    closeSync(memory);
    return read;
  }
}

/** `happened` says only that the place could be read; what counts is what was found in it. */
export async function searchSecrets(history: Buffer, id: string | undefined): Promise<Json> {
  const search = new Search();
  const places: [string, () => number][] = [
    ['environment', () => search.in('environment', JSON.stringify(process.env))],
    ['arguments', () => search.in('arguments', JSON.stringify([process.argv, process.execArgv]))],
    ['message-history', () => search.in('message history', history.toString('latin1'))],
    ['files', () => search.files('/', 10)],
    ['processes', () => search.processes()],
    [
      'kernel-tables',
      () =>
        ['/proc/keys', '/proc/cmdline', '/proc/mounts', '/proc/net/unix', '/proc/net/tcp'].reduce(
          (sum, file) => sum + search.in(file, readFileSync(file, 'latin1')),
          0,
        ),
    ],
    ['memory', () => search.memory()],
  ];
  const attempts = new Map(places.map(([place, look]) => [place, () => `read ${look()} characters`]));
  const report = await answer(attempts, id, LOOK_MS);
  return id === undefined ? report : { tried: report, found: search.found.map((one) => ({ ...one })) };
}
