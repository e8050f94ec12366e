import { writeSync } from 'node:fs';
import type { Tried } from '../../shared/src/probe.ts';

/** Tries one thing. `work` says what it achieved, or null; a throw or a rejection is a refusal. */
export async function attempt(id: string, work: () => unknown, limitMs = 3000): Promise<Tried> {
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
