import { writeSync } from 'node:fs';
import type { Json } from '../../shared/src/json.ts';
import type { Tried } from '../../shared/src/probe.ts';

/** Names of what can be tried, and what each does. */
export type Attempts = ReadonlyMap<string, () => unknown>;

/** The report of the attempt `id`; without an id, the names of all. */
export async function answer(attempts: Attempts, id: string | undefined, limitMs: number): Promise<Json> {
  if (id === undefined) return [...attempts.keys()];
  return { ...(await attempt(id, attempts.get(id) ?? (() => null), limitMs)) };
}

/** Tries one thing. `work` says what it achieved, or null; a throw or a rejection is a refusal. */
async function attempt(id: string, work: () => unknown, limitMs: number): Promise<Tried> {
  // Where the container dies of it, the log tells of what.
  writeSync(2, `${id}\n`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('nothing within the time')), limitMs);
  });
  try {
    const achieved = await Promise.race([Promise.resolve().then(work), late]);
    if (achieved === null || achieved === undefined) return { id, happened: false, detail: 'nothing there' };
    return { id, happened: true, detail: String(achieved).slice(0, 500) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { id, happened: false, detail: String(code ?? message).slice(0, 200) };
  } finally {
    clearTimeout(timer);
  }
}

/** The first success of `work` on all `values` at once, else the last error. */
export async function anyOf<Value>(
  values: Value[],
  work: (value: Value) => Promise<unknown>,
): Promise<unknown> {
  const all = await Promise.allSettled(values.map(work));
  const done = all.find((one) => one.status === 'fulfilled');
  if (done !== undefined) return done.value;
  const last = all.at(-1);
  if (last?.status === 'rejected') throw last.reason;
  return null;
}

/** The first of `values` for which `work` achieves something, else the last error. */
export async function firstOf<Value>(values: Value[], work: (value: Value) => unknown): Promise<unknown> {
  let refused: unknown = null;
  for (const value of values) {
    try {
      const achieved = await work(value);
      if (achieved !== null && achieved !== undefined) return achieved;
    } catch (error) {
      refused = error;
    }
  }
  if (refused !== null) throw refused;
  return null;
}
