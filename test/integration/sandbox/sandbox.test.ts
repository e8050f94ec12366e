import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as tar from 'tar-stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { ensureGuestImage } from '../../../server/src/sandbox/image.ts';
import { SANDBOX_LIMITS } from '../../../server/src/sandbox/limits.ts';
import { cannotOf } from '../../../server/src/sandbox/preflight.ts';
import { openSandbox, type SandboxOptions } from '../../../server/src/sandbox/sandbox.ts';
import { countOwned, removeOwned } from '../../../server/src/sandbox/sweep.ts';
import {
  ECHO_GUEST,
  engineProxy,
  IMAGES_FOLDER,
  readUntil,
  specFor,
  temporaryFolder,
  testOwner,
} from './support.ts';

const owner = testOwner();
const folder = temporaryFolder();
let engine: Engine;
let caches = 0;

function options(change: Partial<SandboxOptions> = {}): SandboxOptions {
  const cacheDir = path.join(folder.path, `cache-${caches++}`);
  return { guestScript: ECHO_GUEST, imagesFolder: IMAGES_FOLDER, owner, cacheDir, ...change };
}

beforeAll(async () => {
  engine = await connectEngine();
});

afterEach(async () => {
  expect(await countOwned(engine, owner)).toBe(0);
});

afterAll(async () => {
  await removeOwned(engine, owner);
  engine.close();
  folder.remove();
});

describe('the tier', () => {
  it('is container under runc, each limit read inside a real container', async () => {
    const sandbox = await openSandbox(options({ runtime: 'runc' }));
    await sandbox.close();
    expect(sandbox.tier).toBe('container');
    expect(sandbox.preflight).toEqual({
      tier: 'container',
      runtime: 'runc',
      guestKernel: sandbox.facts.kernelVersion,
      node: expect.stringMatching(/^v22\./),
      memory: 'cgroup',
      pids: 'cgroup',
      cpu: 'cgroup',
      noNewPrivileges: 'seen',
      seccomp: 'ours',
    });
  });

  it('is kernel under runsc, each limit shown by what a guest past it meets', async () => {
    const sandbox = await openSandbox(options({ runtime: 'runsc', minimumTier: 'kernel' }));
    await sandbox.close();
    expect(sandbox.tier).toBe('kernel');
    expect(sandbox.preflight).toEqual({
      tier: 'kernel',
      runtime: 'runsc',
      guestKernel: '4.4.0',
      node: expect.stringMatching(/^v22\./),
      memory: 'behaviour',
      pids: 'behaviour',
      cpu: 'asked',
      noNewPrivileges: 'asked',
      seccomp: 'runtime',
    });
    expect(sandbox.engineFacts).toEqual({
      name: 'Docker',
      version: sandbox.facts.version,
      endpoint: sandbox.facts.endpoint,
      runtime: 'runsc',
      tier: 'kernel',
      imageId: sandbox.image.id,
      baseId: sandbox.image.baseId,
      guestDigest: sandbox.image.guestDigest,
      limits: SANDBOX_LIMITS,
      cannot: cannotOf(sandbox.preflight),
    });
  });

  it('refuses a runtime that does not give the minimum, and one that is not there', async () => {
    await expect(openSandbox(options({ runtime: 'runc', minimumTier: 'kernel' }))).rejects.toMatchObject({
      reason: 'tier',
      message:
        'The minimum tier is kernel, but the runtime "runc" gives container; choose a gVisor runtime, or lower loadline.sandbox.minimumTier.',
    });
    await expect(openSandbox(options({ runtime: 'absent' }))).rejects.toMatchObject({ reason: 'tier' });
  });

  it('chooses a gVisor runtime where the minimum asks for one', async () => {
    const sandbox = await openSandbox(options({ minimumTier: 'kernel' }));
    await sandbox.close();
    expect(sandbox.engineFacts.runtime).toBe('runsc');
  });
});

describe('preflight', () => {
  async function opened(change: Partial<SandboxOptions>) {
    const proxy = await engineProxy(folder.path);
    const said: string[] = [];
    const sandbox = await openSandbox(
      options({ host: proxy.host, runtime: 'runc', onProgress: (line) => said.push(line), ...change }),
    );
    await sandbox.idle();
    await sandbox.close();
    await proxy.close();
    const created = proxy.requests.filter((request) => request.path.endsWith('/containers/create')).length;
    return { created, said, host: proxy.host };
  }

  it('is remembered, done again where the memory is broken, and refreshed where it is old', async () => {
    const cacheDir = path.join(folder.path, 'remembered');
    const proxy = await engineProxy(folder.path);
    const open = async () => {
      const before = proxy.requests.length;
      const said: string[] = [];
      const sandbox = await openSandbox(
        options({ host: proxy.host, runtime: 'runc', cacheDir, onProgress: (line) => said.push(line) }),
      );
      await sandbox.close();
      const created = proxy.requests
        .slice(before)
        .filter((request) => request.path.endsWith('/containers/create'));
      return { created: created.length, said };
    };
    const checking = 'Checking the sandbox (once per engine and image)';
    expect(await open()).toEqual({ created: 1, said: [checking] });
    expect(await open()).toEqual({ created: 0, said: [] });
    const names = readdirSync(cacheDir);
    expect(names).toHaveLength(1);
    const file = path.join(cacheDir, names[0] ?? '');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.slice(0, 20));
    expect(await open()).toEqual({ created: 1, said: [checking] });
    writeFileSync(file, JSON.stringify({ ...JSON.parse(good), at: 0 }));
    expect(await open()).toEqual({ created: 1, said: [] });
    expect(await open()).toEqual({ created: 0, said: [] });
    await proxy.close();
  });

  it('refuses a base image that mounts volumes', async () => {
    const { imageId } = await specFor(engine, 'runc', owner);
    const pack = tar.pack();
    pack.entry({ name: 'Dockerfile' }, `FROM ${imageId}\nVOLUME /data\n`);
    pack.finalize();
    const context = (await buffer(pack)) as unknown as NodeJS.ReadableStream;
    const baseImage = 'loadline-test/volume:1';
    const stream = await engine.docker.buildImage(context, { t: baseImage, version: '1' });
    await new Promise((resolve) => engine.docker.modem.followProgress(stream, resolve));
    const sandbox = openSandbox(options({ runtime: 'runc', baseImage }));
    await expect(sandbox).rejects.toMatchObject({
      reason: 'preflight',
      message: expect.stringContaining('the base image mounts volumes (/data)'),
    });
    const dockerfile = readFileSync(path.join(IMAGES_FOLDER, 'Dockerfile'), 'utf8');
    const { id } = await ensureGuestImage(engine, { baseImage, dockerfile, guestScript: ECHO_GUEST });
    await engine.docker.getImage(id).remove({ force: true });
    await engine.docker.getImage(baseImage).remove({ force: true });
  });

  it('refuses an engine that set another limit than it was asked for', async () => {
    const proxy = await engineProxy(folder.path);
    proxy.after = (request, body) => {
      if (!/containers\/[0-9a-f]+\/json$/.test(request.path)) return body;
      const info = JSON.parse(String(body));
      return Buffer.from(JSON.stringify({ ...info, HostConfig: { ...info.HostConfig, PidsLimit: 0 } }));
    };
    const cacheDir = path.join(folder.path, 'refused');
    await expect(openSandbox(options({ host: proxy.host, runtime: 'runc', cacheDir }))).rejects.toMatchObject(
      {
        reason: 'preflight',
        message: `The sandbox is not what it has to be on ${proxy.host} with the runtime "runc": PidsLimit is 0 and not 64. Correct the engine, or use another.`,
      },
    );
    await proxy.close();
    expect(readdirSync(folder.path)).not.toContain('refused');
  });

  it('is not needed twice for two sandboxes on one engine', async () => {
    const cacheDir = path.join(folder.path, 'twice');
    const first = await opened({ cacheDir, host: engine.facts.endpoint });
    const second = await opened({ cacheDir, host: engine.facts.endpoint });
    expect([first.said, second.said]).toEqual([['Checking the sandbox (once per engine and image)'], []]);
  });
});

describe('an open sandbox', () => {
  it('starts guests, discards them, and leaves none when it closes', async () => {
    const sandbox = await openSandbox(options({ runtime: 'runc' }));
    const [first, second] = await Promise.all([sandbox.start('a'), sandbox.start('b')]);
    await readUntil(first.stdout, 'hello\n');
    sandbox.discard(first);
    sandbox.discard(undefined);
    await sandbox.idle();
    expect(await countOwned(engine, owner)).toBe(1);
    await readUntil(second.stdout, 'hello\n');
    const third = sandbox.start('c').catch((error: unknown) => error);
    await sandbox.close();
    expect(await third).toMatchObject({ reason: 'cancelled' });
    expect(await countOwned(engine, owner)).toBe(0);
    await expect(sandbox.start('d')).rejects.toMatchObject({ reason: 'cancelled' });
  });
});
