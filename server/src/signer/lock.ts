/** One at a time, across processes: a lock file that names its holder, so that one left by a dead process is told apart. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { createFile } from './durable.ts';
import { errorCode, fileTrouble, SigningRefused } from './refused.ts';

interface Holder {
  id: string;
  host: string;
  pid: number;
  /** When the process started, where the system tells: another process may get the same pid later. */
  started: string | null;
}

export interface LockOptions {
  /** How long to wait for a living holder, ms. */
  waitMs?: number;
}

const WAIT_MS = 30_000;
const AGAIN_MS = 20;
/** Nobody needs longer to look at a lock and remove it. */
const BREAKING_MS = 10_000;

/** Does the work while holding the lock. @throws SigningRefused where it cannot be had */
export async function withLock<Result>(
  file: string,
  work: () => Promise<Result>,
  { waitMs = WAIT_MS }: LockOptions = {},
): Promise<Result> {
  await acquire(file, waitMs);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire(file: string, waitMs: number): Promise<void> {
  const me: Holder = {
    id: randomUUID(),
    host: hostname(),
    pid: process.pid,
    started: startOf(process.pid),
  };
  const until = Date.now() + waitMs;
  for (;;) {
    if (!existsSync(file) && (await created(file, JSON.stringify(me)))) return;
    const holder = await holderOf(file);
    if (holder !== null && isDead(holder)) await breakLock(file, holder);
    else if (Date.now() >= until) throw stillHeld(file, holder);
    else await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function created(file: string, text: string): Promise<boolean> {
  try {
    return await createFile(file, text, 0o600);
  } catch (error) {
    throw fileTrouble('written', file, error);
  }
}

/** null: it is gone, or it is no lock of ours. */
async function holderOf(file: string): Promise<Holder | null> {
  try {
    const { id, host, pid, started } = JSON.parse(await readFile(file, 'utf8'));
    return typeof id === 'string' && typeof host === 'string' && Number.isSafeInteger(pid)
      ? { id, host, pid, started: typeof started === 'string' ? started : null }
      : null;
  } catch {
    return null;
  }
}

function isDead({ host, pid, started }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
  return started !== null && startOf(pid) !== started;
}

/** Field 22 of /proc/<pid>/stat; null where there is none. The name in field 2 may hold spaces. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Only one process removes a dead lock, and only if it is still that one: a new holder's is never taken away. */
async function breakLock(file: string, dead: Holder): Promise<void> {
  const breaking = `${file}.breaking`;
  if (!(await created(breaking, JSON.stringify(dead)))) {
    const age = await stat(breaking).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > BREAKING_MS) await rm(breaking, { force: true });
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    return;
  }
  try {
    if ((await holderOf(file))?.id === dead.id) await rm(file, { force: true });
  } finally {
    await rm(breaking, { force: true });
  }
}

function stillHeld(file: string, holder: Holder | null): SigningRefused {
  const who = holder === null ? 'something' : `process ${holder.pid} on ${holder.host}`;
  return new SigningRefused(
    `${file} has been held by ${who} for too long; wait for it, or remove that file if nothing is being signed.`,
  );
}
