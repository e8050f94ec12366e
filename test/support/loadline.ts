/** Whole-process helpers: the built command line, a project folder of its own, and what is left on the engine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import type { QualifyResult } from '../../shared/src/results.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const exampleFolder = join(root, 'examples/fleet');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  finished: Promise<Finished>;
}

/** Starts `loadline ...` as a user would. */
export function startLoadline(
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Started {
  const child = spawn(process.execPath, [join(root, 'dist/cli.js'), ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    read.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    read.stderr += text;
  });
  const finished = new Promise<Finished>((resolve) =>
    child.once('close', (code) => resolve({ code, ...read })),
  );
  return { child, finished };
}

export function loadline(
  args: string[],
  options: Parameters<typeof startLoadline>[1] = {},
): Promise<Finished> {
  return startLoadline(args, options).finished;
}

export interface Qualified extends Finished {
  result: QualifyResult;
}

/** `loadline qualify --json ...` and the object it printed. */
export async function qualifyJson(
  args: string[],
  options: Parameters<typeof startLoadline>[1] = {},
): Promise<Qualified> {
  const finished = await loadline(['qualify', '--json', '--no-sign', ...args], options);
  if (finished.stdout === '') throw new Error(`no JSON was printed: ${finished.stderr}`);
  return { ...finished, result: JSON.parse(finished.stdout) };
}

/** A copy of the fleet example with files of the test's own; `remove` it afterwards. */
export function projectFolder(files: Record<string, string>): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-project-'));
  for (const name of ['loadline.json', 'fleet.grant', 'vendor.openapi.yaml'])
    cpSync(join(exampleFolder, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Ids of the containers that an engine still has though the process that started them is gone, and of those that this
 * process or `runner` started. What another process is working with right now is not left behind.
 */
export async function containersLeft(docker = new Docker(), runner: number | null = null): Promise<string[]> {
  const list = await docker.listContainers({ all: true, filters: { label: ['loadline.owner'] } });
  const left = list.filter(({ Labels }) => {
    const pid = Number(Labels['loadline.process']);
    return pid === process.pid || pid === runner || !isAlive(pid);
  });
  return left.map((container) => container.Id);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
