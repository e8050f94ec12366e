/** A Docker daemon of a test's own, with roots and a socket of its own. Needs root on Linux; elsewhere it fails. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectEngine, type Engine } from '../../server/src/sandbox/engine.ts';
import { isAlive } from './loadline.ts';

const ATTEMPTS = 150;

export class PrivateEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'loadline-engine-'));
  readonly host = `unix://${this.folder}/engine.sock`;
  #daemon: ChildProcess | undefined;

  /** Starts the daemon (again) and connects to it. */
  async start(): Promise<Engine> {
    const at = (name: string) => join(this.folder, name);
    // Not the host's settings: they may name other sockets.
    writeFileSync(at('config.json'), '{}');
    const daemon = spawn(
      'dockerd',
      [
        ...['--data-root', at('data'), '--exec-root', at('exec'), '-H', this.host, '--pidfile', at('pid')],
        ...['--bridge', 'none', '--iptables=false', '--config-file', at('config.json')],
        ...[
          '--containerd-namespace',
          'loadline-test',
          '--containerd-plugins-namespace',
          'loadline-test-plugins',
        ],
      ],
      { stdio: 'ignore' },
    );
    this.#daemon = daemon;
    for (let attempt = 0; ; attempt++) {
      try {
        return await connectEngine({ host: this.host });
      } catch (error) {
        if (attempt === ATTEMPTS || daemon.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  /** Copies an image of another engine here under the name of the default base. */
  async loadBase(from: Engine, own: Engine, imageId: string): Promise<void> {
    await own.docker.loadImage(await from.docker.getImage(imageId).get());
    await own.docker.getImage(imageId).tag({ repo: 'node', tag: '22-slim' });
  }

  /** Ends the daemon as asked; after SIGKILL its containerd ends a moment later, and a new one would wait for it. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const daemon = this.#daemon;
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill(signal);
    await ended;
    const pid = await readFile(join(this.folder, 'exec/containerd/containerd.pid'), 'utf8').catch(() => '');
    while (pid !== '' && isAlive(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async remove(): Promise<void> {
    await this.stop('SIGTERM');
    for (const shim of this.#shims())
      for (const pid of [...childrenOf(shim), shim]) process.kill(pid, 'SIGKILL');
    await this.#unmount();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Of a daemon that was killed, the shims stay, and what runs in containers with them. */
  #shims(): number[] {
    const isOurs = (pid: string) => {
      const words = readText(`/proc/${pid}/cmdline`);
      return words.includes('containerd-shim') && words.includes(`${this.folder}/`);
    };
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && isOurs(pid))
      .map(Number);
  }

  /** A daemon mounts its data folder on itself, and its containers' in it; each that was killed left that. */
  async #unmount(): Promise<void> {
    const mounts = (await readFile('/proc/mounts', 'utf8').catch(() => '')).split('\n');
    const own = mounts
      .map((line) => line.split(' ')[1] ?? '')
      .filter((at) => at.startsWith(`${this.folder}/`));
    for (const at of own.reverse()) await promisify(execFile)('umount', [at]).catch(() => undefined);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function childrenOf(pid: number): number[] {
  const words = readText(`/proc/${pid}/task/${pid}/children`).trim();
  return words === '' ? [] : words.split(' ').map(Number);
}
