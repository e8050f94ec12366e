/** Probes the sandbox as it is, and sandboxes that are weakened on purpose. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { build } from 'esbuild';
import { createAuthority } from '../../../server/src/broker/credential.ts';
import { type Program, probe } from '../../../server/src/runner/probe.ts';
import { startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { ensureGuestImage } from '../../../server/src/sandbox/image.ts';
import { SANDBOX_LIMITS } from '../../../server/src/sandbox/limits.ts';
import type { GuestContainer } from '../../../server/src/sandbox/sandbox.ts';
import { openSandbox, type Sandbox } from '../../../server/src/sandbox/sandbox.ts';
import { sandboxUser } from '../../../server/src/sandbox/user.ts';
import { loadProject } from '../../../server/src/workspace/project.ts';
import type { ProbeEvidence, ProbeResult, ProbeRule, ProbeRuleId } from '../../../shared/src/probe.ts';
import { exampleFolder, root } from '../../support/loadline.ts';

const imagesFolder = join(root, 'sandbox-images');

async function bundle(entry: string): Promise<Buffer> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`sandbox-images/${entry}/main.ts`],
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    mainFields: ['module', 'main'],
    write: false,
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
}

/** Changes what is asked of the engine for one container of the probe. */
export type Weaken = (options: Docker.ContainerCreateOptions & { HostConfig: Docker.HostConfig }) => void;

export interface Probed {
  result: ProbeResult;
  evidence: ProbeEvidence;
  /** Containers of this probe that are left on the engine. */
  left: number;
}

export interface ProbeChanges {
  /** Of the containers that look, not of the adapter's. */
  weaken?: Weaken;
  /** Runs in the containers that look, before the probe's own script. */
  prelude?: string;
}

/** One probe under an owner of its own. */
export async function runProbe(
  runtime: string,
  { weaken, prelude = '' }: ProbeChanges = {},
): Promise<Probed> {
  const { surface } = await loadProject(join(exampleFolder, 'adapter-v3.js'));
  if (surface === null) throw new Error('the fleet example has no surface');
  const owner = `probe-test-${randomUUID()}`;
  const opened: Sandbox[] = [];
  const keep = (sandbox: Sandbox) => {
    opened.push(sandbox);
    return sandbox;
  };
  const guestScript = await bundle('guest');
  const probeScript = Buffer.concat([Buffer.from(prelude), await bundle('probe')]);
  const common = { runtime, imagesFolder, owner };
  const answer = await probe(
    { run: 'probe', surface, sandbox: { runtime } },
    {
      authority: await createAuthority(),
      guest: async () => keep(await openSandbox({ ...common, guestScript })),
      prober: async (_options, programs) => {
        const strong = keep(await openSandbox({ ...common, guestScript: probeScript, programs }));
        return weaken === undefined
          ? strong
          : keep(await weakened(strong, { probeScript, programs, owner }, weaken));
      },
      adapter: readFileSync(join(imagesFolder, 'probe/adapter.js'), 'utf8'),
      helperSource: join(imagesFolder, 'probe/helper.c'),
      progress: () => undefined,
      signal: new AbortController().signal,
    },
  );
  for (const sandbox of opened) await sandbox.close();
  if (!answer.ok) throw new Error(`${answer.reason}: ${answer.message}`);
  const { result, evidence } = answer;
  return { result, evidence, left: await leftOf(owner) };
}

async function leftOf(owner: string): Promise<number> {
  const engine = await connectEngine();
  const filters = { label: [`loadline.owner=${owner}`] };
  const left = await engine.docker.listContainers({ all: true, filters });
  engine.close();
  return left.length;
}

/** The same sandbox, but every creation passes through `weaken`. */
async function weakened(
  strong: Sandbox,
  { probeScript, programs, owner }: { probeScript: Buffer; programs: Program[]; owner: string },
  weaken: Weaken,
): Promise<Sandbox> {
  const engine: Engine = await connectEngine();
  const { modem } = engine.docker;
  const dial = modem.dial.bind(modem);
  modem.dial = (options, callback) => {
    const { _body } = (options.options ?? {}) as { _body?: Docker.ContainerCreateOptions };
    if (options.path === '/containers/create?' && _body?.HostConfig) weaken(_body as Parameters<Weaken>[0]);
    dial(options, callback);
  };
  const dockerfile = readFileSync(join(imagesFolder, 'Dockerfile'), 'utf8');
  const image = await ensureGuestImage(engine, { guestScript: probeScript, programs, dockerfile });
  const runtime = strong.engineFacts.runtime;
  const seccomp = runtime === 'runsc' ? null : readFileSync(join(imagesFolder, 'seccomp.json'), 'utf8');
  const containers = new Set<Promise<void>>();
  const spec = {
    imageId: image.id,
    runtime,
    owner,
    limits: SANDBOX_LIMITS,
    user: sandboxUser(true),
    seccomp,
  };
  const idle = async () => void (await Promise.all(containers));
  return {
    ...{ facts: strong.facts, engineFacts: strong.engineFacts, tier: strong.tier },
    ...{ image: strong.image, preflight: strong.preflight, idle, expect: () => undefined },
    start: (runId, signal) =>
      startGuest(engine, { ...spec, runId, expiresAt: engine.now() + 600_000 }, signal),
    discard(container: GuestContainer | undefined) {
      if (container !== undefined) containers.add(container.kill());
    },
    async close() {
      await idle();
      engine.close();
    },
  };
}

export function ruleOf({ result }: Probed, id: ProbeRuleId): ProbeRule {
  const rule = result.rules.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`no rule ${id}`);
  return rule;
}

/** `id: attempts refused inside survivors`, one per rule. */
export function table({ result }: Pick<Probed, 'result'>): string[] {
  return result.rules.map(
    ({ id, attempts, refused, inside, survivors }) =>
      `${id}: ${attempts} ${refused} ${inside} ${survivors.length}`,
  );
}
