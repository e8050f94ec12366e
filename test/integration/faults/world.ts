/** A person with a project, on an engine of the test's own behind a gate; and how each of those who take part dies. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBaseImage } from '../../../scripts/base-image.mjs';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { isAlive, loadline, projectFolder } from '../../support/loadline.ts';
import { PrivateEngine } from '../../support/privateEngine.ts';
import { adapterText } from '../../support/runner.ts';
import { EngineGate } from './gate.ts';

export const VERDICTS = 'adapter.verdicts.jsonl';

export class World {
  readonly daemon = new PrivateEngine();
  readonly gate = new EngineGate(join(this.daemon.folder, 'gate.sock'));
  readonly #project = projectFolder({ 'adapter.js': adapterText('adapter-v3.js') });
  readonly folder = this.#project.folder;
  readonly verdicts = join(this.folder, VERDICTS);
  readonly #home = mkdtempSync(join(tmpdir(), 'loadline-faults-'));
  readonly keys = join(this.#home, 'config/loadline');
  readonly #cache = join(this.#home, 'cache');
  readonly env = {
    XDG_CONFIG_HOME: join(this.#home, 'config'),
    XDG_CACHE_HOME: this.#cache,
    LOADLINE_SIGNING_KEY: '',
  };

  async open(): Promise<void> {
    mkdirSync(this.#cache);
    const [host, own] = [await connectEngine(), await this.daemon.start()];
    const base = await ensureBaseImage();
    await this.daemon.loadBase(host, own, (await host.docker.getImage(base).inspect()).Id);
    host.close();
    own.close();
    await this.gate.open(join(this.daemon.folder, 'engine.sock'));
  }

  async close(): Promise<void> {
    this.gate.close();
    await this.daemon.remove();
    this.#project.remove();
    rmSync(this.#home, { recursive: true, force: true });
  }

  loadline(...args: string[]) {
    return loadline(args, { cwd: this.folder, env: this.env });
  }

  /** Forgets what preflight found. */
  forget(): void {
    rmSync(join(this.#cache, 'loadline'), { recursive: true, force: true });
  }

  /** Names of what lies beside the adapter and beside the key. */
  files(): string[] {
    return [...readdirSync(this.folder), ...readdirSync(this.keys)].sort();
  }

  /** Containers of ours, whoever started them. */
  async containers(): Promise<string[]> {
    return this.#asked(async ({ docker }) => {
      const list = await docker.listContainers({ all: true, filters: { label: ['loadline.owner'] } });
      return list.map(({ Labels }) => Labels['loadline.run'] ?? '');
    });
  }

  /** The first process of the container that runs. */
  async guestPid(): Promise<number> {
    return this.#asked(async ({ docker }) => {
      const [running] = await docker.listContainers({ filters: { label: ['loadline.owner'] } });
      const state = running && (await docker.getContainer(running.Id).inspect()).State;
      if (!state?.Pid) throw new Error('no container runs');
      return state.Pid;
    });
  }

  async #asked<Answer>(ask: (engine: Engine) => Promise<Answer>): Promise<Answer> {
    const engine = await connectEngine({ host: this.daemon.host });
    try {
      return await ask(engine);
    } finally {
      engine.close();
    }
  }
}

/** Pid of a process of ours that `parent` started. */
export function childOf(parent: number, script: 'runner.js' | 'signer.js'): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(script));
  if (found === undefined) throw new Error(`${script} does not run`);
  return Number(found);
}

/** Kills it and waits until it is gone. */
export async function killed(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await gone(pid);
}

/** A parent that does not look after a dead child yet leaves it as a zombie, which is as dead. */
export async function gone(pid: number): Promise<void> {
  while (isAlive(pid) && !isZombie(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

function isZombie(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}
