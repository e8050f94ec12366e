/** Takes more than a container may: these end with the container's death, or with a count. */
import { spawn } from 'node:child_process';

/** Touches every page of more memory than the limit. Returns the bytes held, if it comes that far. */
export function takeMemory(bytes: number): number {
  const held: Buffer[] = [];
  const step = 8 * 1024 * 1024;
  for (let all = 0; all < bytes * 1.5; all += step) held.push(Buffer.alloc(step, 1));
  return held.length * step;
}

/** Starts processes until one is refused. Returns how many ran at once. */
export function bomb(count: number): Promise<number> {
  return new Promise((resolve) => {
    let started = 0;
    const next = () => {
      if (started > count) return resolve(started);
      const child = spawn(process.execPath, ['--v8-pool-size=1', '-e', 'setInterval(() => {}, 1000)'], {
        stdio: 'ignore',
      });
      child.on('error', () => resolve(started));
      child.on('spawn', () => {
        started += 1;
        next();
      });
    };
    next();
  });
}
