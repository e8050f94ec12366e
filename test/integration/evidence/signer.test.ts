/** The key is in the signer alone: the runner that ran the adapter does not have it, in its environment or its memory. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { RunnerProcess } from '../../../server/src/runs/runnerProcess.ts';
import { SignerProcess } from '../../../server/src/runs/signerProcess.ts';
import { root } from '../../support/loadline.ts';
import { exampleParams, runnerScript } from '../../support/runner.ts';
import { person } from './support.ts';

afterEach(() => vi.unstubAllEnvs());

/** Whether a process has one of those byte strings in its memory. Needs root, as the engine does. */
function holds(pid: number, needles: readonly Buffer[]): boolean {
  const longest = Math.max(...needles.map((needle) => needle.length));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return regions(pid).some(([from, to]) => {
      const chunk = Buffer.alloc(16 * 1024 * 1024);
      for (let at = from; at < to; at += chunk.length - longest) {
        const length = readOr0(memory, chunk, Math.min(chunk.length, to - at), at);
        const read = chunk.subarray(0, length);
        if (needles.some((needle) => read.includes(needle))) return true;
      }
      return false;
    });
  } finally {
    closeSync(memory);
  }
}

function regions(pid: number): [number, number][] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line): [number, number][] => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      return from === undefined || to === undefined || line.includes('[v')
        ? []
        : [[parseInt(from, 16), parseInt(to, 16)]];
    });
}

/** Pages that were never touched, or are gone by now, hold nothing. */
function readOr0(memory: number, chunk: Buffer, length: number, at: number): number {
  try {
    return readSync(memory, chunk, 0, length, at);
  } catch {
    return 0;
  }
}

test('the runner has no key', async () => {
  const one = person();
  for (const [name, value] of Object.entries(one.env)) vi.stubEnv(name, value);
  vi.stubEnv('LOADLINE_SIGNING_KEY', one.keyFile);
  const signer = new SignerProcess(join(root, 'dist/signer.js'));
  const runner = new RunnerProcess(runnerScript);
  try {
    await signer.nonces(1);
    const { d, x } = JSON.parse(readFileSync(one.keyFile, 'utf8'));
    const secret = [Buffer.from(d, 'base64url'), Buffer.from(d)];
    let looked = 0;
    const params = await exampleParams('adapter-v3.js', { scenarios: ['nominal', 'overload'], jobs: 1 });
    const look = () => {
      const pid = runner.pid ?? 0;
      expect(holds(pid, secret)).toBe(false);
      // The same look finds what is there.
      expect(holds(pid, [Buffer.from('adapter-v3.js')])).toBe(true);
      looked += 1;
    };
    const found = await runner.qualify(params, { scenario: ({ state }) => state === 'ended' && look() });
    expect([looked, found.result.verdict]).toEqual([2, 'partial']);
    const environment = readFileSync(`/proc/${runner.pid}/environ`, 'utf8');
    for (const text of ['LOADLINE_SIGNING_KEY', 'XDG_CONFIG_HOME', one.keyFile, d, x])
      expect(environment).not.toContain(text);
    // And where the key is, it is found.
    expect(holds(signer.pid ?? 0, secret)).toBe(true);
  } finally {
    await Promise.all([runner.stop(), signer.stop()]);
  }
});
