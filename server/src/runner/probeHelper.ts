/** The probe's helper: compiled on this host, where that is possible, for the probe's image alone. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FLAGS = ['-static', '-nostdlib', '-ffreestanding', '-O1', '-fno-stack-protector'];
const COMPILE_MS = 60_000;
/** What engines call the processors that the helper knows. */
const PROCESSORS = new Map([
  ['x64', ['x86_64', 'amd64']],
  ['arm64', ['aarch64', 'arm64']],
]);

export type Helper = { bytes: Buffer } | { missing: string };

/** `architecture`: the engine's. The same source and compiler give the same bytes, so the image is built once. */
export async function compileHelper(source: string, architecture: string): Promise<Helper> {
  if (process.platform !== 'linux' || !PROCESSORS.get(process.arch)?.includes(architecture))
    return {
      missing: `system calls were not tried: the engine runs on ${architecture}, and the helper is compiled for this host`,
    };
  const folder = await mkdtemp(join(tmpdir(), 'loadline-helper-'));
  try {
    const out = join(folder, 'helper');
    const args = [...FLAGS, '-fno-tree-loop-distribute-patterns', '-Wl,--build-id=none', '-o', out, source];
    await run('gcc', args, { timeout: COMPILE_MS });
    return { bytes: await readFile(out) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no gcc here (on Debian: apt-get install gcc libc6-dev)' : message;
    return { missing: `system calls were not tried: ${why.split('\n')[0]}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
