/** A person with a project and three engines of the test's own, the second of them behind a gate. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBaseImage } from '../../../scripts/base-image.mjs';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import type { QualifyResult, RunResult } from '../../../shared/src/results.ts';
import { type Finished, loadline, projectFolder, startLoadline } from '../../support/loadline.ts';
import { PrivateEngine } from '../../support/privateEngine.ts';
import { adapterText } from '../../support/runner.ts';
import { EngineGate } from '../faults/gate.ts';

export interface Asked extends Finished {
  result: QualifyResult;
  runs: RunResult[];
}

export class ThreeEngines {
  readonly first = new PrivateEngine();
  readonly second = new PrivateEngine();
  readonly third = new PrivateEngine();
  readonly gate = new EngineGate(join(this.second.folder, 'gate.sock'));
  /** As `--host` takes them. */
  readonly hosts = [this.first.host, this.gate.host, this.third.host];
  readonly #project = projectFolder({ 'adapter.js': adapterText('adapter-v3.js') });
  readonly folder = this.#project.folder;
  readonly home = mkdtempSync(join(tmpdir(), 'loadline-engines-'));
  readonly #cache = join(this.home, 'cache');

  async open(): Promise<void> {
    mkdirSync(this.#cache);
    const host = await connectEngine();
    const base = (await host.docker.getImage(await ensureBaseImage()).inspect()).Id;
    await Promise.all(
      [this.first, this.second, this.third].map(async (daemon) => {
        const own = await daemon.start();
        await daemon.loadBase(host, own, base);
        own.close();
      }),
    );
    host.close();
    await this.gate.open(join(this.second.folder, 'engine.sock'));
  }

  async close(): Promise<void> {
    this.gate.close();
    await Promise.all([this.first, this.second, this.third].map((daemon) => daemon.remove()));
    this.#project.remove();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Environment of a person with a key of their own. */
  env(person = 'one'): NodeJS.ProcessEnv {
    return {
      XDG_CONFIG_HOME: join(this.home, person),
      XDG_CACHE_HOME: this.#cache,
      LOADLINE_SIGNING_KEY: '',
    };
  }

  loadline(args: string[], person?: string): Promise<Finished> {
    return loadline(args, { cwd: this.folder, env: this.env(person) });
  }

  /** `qualify --json` with one container at once on each of these engines. */
  qualify(hosts: readonly string[], ...args: string[]): Promise<Asked> {
    const named = hosts.flatMap((host) => ['--host', host]);
    const asked = ['qualify', '--json', '--jobs', '1', ...named, ...args, 'adapter.js'];
    return startLoadline(asked, { cwd: this.folder, env: this.env() }).finished.then(answered);
  }

  /** How many containers of ours an engine has. */
  async containers(daemon: PrivateEngine): Promise<number> {
    return onEngine(daemon, async ({ docker }) => {
      const list = await docker.listContainers({ all: true, filters: { label: ['loadline.owner'] } });
      return list.length;
    });
  }
}

export async function onEngine<Answer>(
  { host }: PrivateEngine,
  ask: (engine: Engine) => Promise<Answer>,
): Promise<Answer> {
  const engine = await connectEngine({ host });
  try {
    return await ask(engine);
  } finally {
    engine.close();
  }
}

function answered(finished: Finished): Asked {
  if (finished.stdout === '') throw new Error(`no JSON was printed: ${finished.stderr}`);
  const result: QualifyResult = JSON.parse(finished.stdout);
  return { ...finished, result, runs: result.adapters[0]?.runs ?? [] };
}
