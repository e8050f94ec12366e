/** Engines that go away or are out of reach: a cut connection, a killed daemon of our own, a socket of somebody else. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import * as http from 'node:http';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine, EngineUnavailable } from '../../../server/src/sandbox/engine.ts';
import { countOwned, removeOwned, sweep } from '../../../server/src/sandbox/sweep.ts';
import { PrivateEngine } from '../../support/privateEngine.ts';
import { engineProxy, readUntil, specFor, temporaryFolder, testOwner } from './support.ts';

const owner = testOwner();
const folder = temporaryFolder();
let engine: Engine;

beforeAll(async () => {
  engine = await connectEngine();
});

afterAll(async () => {
  await removeOwned(engine, owner);
  expect(await countOwned(engine, owner)).toBe(0);
  engine.close();
  folder.remove();
});

describe('a connection that is cut', () => {
  it('in the middle of a run ends its streams and is told as a lost engine', async () => {
    const proxy = await engineProxy(folder.path);
    const behind = await connectEngine({ host: proxy.host });
    const guest = await startGuest(behind, await specFor(behind, 'runc', owner));
    await readUntil(guest.stdout, 'hello\n');
    const rest = text(guest.stdout);
    proxy.cut();
    const error = await guest.exited.catch((lost: unknown) => lost);
    expect(error).toBeInstanceOf(EngineUnavailable);
    expect(error).toMatchObject({
      problem: 'unreachable',
      message: expect.stringMatching(/^The engine at unix:.* was lost while the guest ran \(.+\)\.$/),
    });
    expect(await rest).toBe('');
    guest.stdin.write('to nobody');
    await guest.kill();
    behind.close();
    expect(await removeOwned(engine, owner)).toBe(1);
  });

  it('while a guest starts is told as an engine that ran nothing', async () => {
    const proxy = await engineProxy(folder.path);
    const behind = await connectEngine({ host: proxy.host });
    const spec = await specFor(behind, 'runc', owner);
    proxy.before = (request) => {
      if (request.path.endsWith('/start')) proxy.cut();
      return undefined;
    };
    await expect(startGuest(behind, spec)).rejects.toMatchObject({
      reason: 'engine',
      message: expect.stringContaining('was lost before the guest started'),
    });
    behind.close();
    await removeOwned(engine, owner);
  });
});

/** A daemon of one's own needs root on Linux: elsewhere these tests fail, for they did not run. */
describe('a daemon of our own', () => {
  const daemon = new PrivateEngine();
  afterAll(() => daemon.remove());

  it('that is killed mid-run is told as lost; after its return the sweep finds what it left', async () => {
    let own = await daemon.start();
    const { baseId } = await imageOf(engine);
    await daemon.loadBase(engine, own, baseId);
    const spec = { ...(await specFor(own, 'runc', owner)), expiresAt: own.now() + 1 };
    const guest = await startGuest(own, spec);
    await readUntil(guest.stdout, 'hello\n');
    await daemon.stop('SIGKILL');
    await expect(guest.exited).rejects.toMatchObject({ name: 'EngineUnavailable', problem: 'unreachable' });
    await guest.kill();
    await expect(startGuest(own, spec)).rejects.toMatchObject({ reason: 'engine', problem: 'unreachable' });
    own.close();
    expect(await connectEngine({ host: daemon.host }).catch((error: unknown) => error)).toMatchObject({
      problem: 'refused',
    });

    own = await daemon.start();
    expect(await countOwned(own, owner)).toBe(1);
    expect(await sweep(own, owner)).toBe(1);
    expect(await countOwned(own, owner)).toBe(0);
    own.close();
    await daemon.stop('SIGTERM');
    expect(existsSync(path.join(daemon.folder, 'pid'))).toBe(false);
  });
});

async function imageOf(on: Engine): Promise<{ baseId: string }> {
  const { ensureGuestImage } = await import('../../../server/src/sandbox/image.ts');
  const { ECHO_GUEST, IMAGES_FOLDER } = await import('./support.ts');
  const dockerfile = readFileSync(path.join(IMAGES_FOLDER, 'Dockerfile'), 'utf8');
  return ensureGuestImage(on, { guestScript: ECHO_GUEST, dockerfile });
}

describe('a socket that this user may not use', () => {
  it('is told as a matter of permission, with what to do', async () => {
    const socket = path.join(folder.path, 'closed.sock');
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    await chmod(socket, 0o600);
    await chmod(folder.path, 0o755);
    // Root may use every socket, so root asks as somebody else.
    if (process.getuid?.() !== 0) await chmod(socket, 0o000);
    const bundle = path.join(folder.path, 'ask.cjs');
    await build({
      stdin: {
        contents: `import { connectEngine } from './server/src/sandbox/engine.ts';
          connectEngine({ host: 'unix://${socket}' }).catch((e) => console.log(JSON.stringify([e.reason, e.problem, e.message])));`,
        resolveDir: path.resolve(import.meta.dirname, '../../..'),
        loader: 'ts',
      },
      ...{
        bundle: true,
        platform: 'node',
        format: 'cjs',
        outfile: bundle,
        external: ['*.node', 'cpu-features'],
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [bundle], {
      cwd: '/',
      ...(process.getuid?.() === 0 ? { uid: 61_000, gid: 61_000 } : {}),
    });
    await new Promise((resolve) => server.close(resolve));
    expect(JSON.parse(stdout)).toEqual([
      'engine',
      'permission',
      `No permission to use unix://${socket} (from the configured host). Add your user to the group that owns the socket (usually \`sudo usermod -aG docker $USER\`, then log in again), or use rootless Docker.`,
    ]);
  });
});
