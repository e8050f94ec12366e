/** A Podman service of a test's own, with storage and a socket of its own. Needs root on Linux; elsewhere it fails. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectEngine } from '../../server/src/sandbox/engine.ts';

const ATTEMPTS = 150;

export class PrivatePodman {
  readonly #folder = mkdtempSync(join(tmpdir(), 'loadline-podman-'));
  readonly host = `unix://${this.#folder}/podman.sock`;
  #service: ChildProcess | undefined;

  /** Starts the service and waits until it answers. */
  async start(): Promise<void> {
    const at = (name: string) => join(this.#folder, name);
    const service = spawn(
      'podman',
      [
        ...['--root', at('storage'), '--runroot', at('run'), '--tmpdir', at('tmp')],
        // The runtime and the control groups that every Linux has.
        ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
        ...['system', 'service', '--time=0', this.host],
      ],
      // Its monitors leave a file where they were started when a container runs out of memory.
      { stdio: 'ignore', cwd: this.#folder },
    );
    this.#service = service;
    const failed = new Promise<never>((_resolve, reject) => service.once('error', reject));
    failed.catch(() => undefined);
    for (let attempt = 0; ; attempt++) {
      try {
        const engine = await Promise.race([connectEngine({ host: this.host }), failed]);
        return engine.close();
      } catch (error) {
        if (attempt === ATTEMPTS || service.pid === undefined || service.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async remove(): Promise<void> {
    const service = this.#service;
    if (service?.pid !== undefined && service.exitCode === null) {
      const ended = new Promise((resolve) => service.once('exit', resolve));
      service.kill('SIGTERM');
      await ended;
    }
    // The storage is mounted on itself.
    await promisify(execFile)('umount', [join(this.#folder, 'storage/overlay')]).catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
