import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContainerSpec, startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { NothingRan } from '../../../server/src/sandbox/nothingRan.ts';
import { countOwned, removeOwned } from '../../../server/src/sandbox/sweep.ts';
import { type EngineProxy, engineProxy, RUNTIMES, specFor, temporaryFolder, testOwner } from './support.ts';

const owner = testOwner();
const folder = temporaryFolder();
let proxy: EngineProxy;
let engine: Engine;

beforeEach(async () => {
  proxy = await engineProxy(folder.path);
  engine = await connectEngine({ host: proxy.host });
});

afterEach(async () => {
  const left = await countOwned(engine, owner);
  await removeOwned(engine, owner);
  engine.close();
  await proxy.close();
  expect(left).toBe(0);
});

afterAll(() => folder.remove());

describe.each(RUNTIMES)('a start under %s that is cancelled', (runtime) => {
  let spec: ContainerSpec;

  beforeAll(async () => {
    const direct = await connectEngine();
    spec = await specFor(direct, runtime, owner);
    direct.close();
  });

  /** Cancels when the engine is asked for `phase`, or has just answered it. */
  async function cancelAt(phase: RegExp, when: 'asked' | 'answered'): Promise<unknown> {
    const cancel = new AbortController();
    const hit = ({ path }: { path: string }) => phase.test(path) && cancel.abort();
    if (when === 'asked') {
      proxy.before = (request) => {
        hit(request);
        return undefined;
      };
    } else {
      proxy.after = (request, body) => {
        hit(request);
        return body;
      };
    }
    return startGuest(engine, spec, cancel.signal).catch((error: unknown) => error);
  }

  it.each([
    ['while its container is created', /create$/, 'asked'],
    ['when its container was created', /create$/, 'answered'],
    ['while it is attached', /attach$/, 'asked'],
    ['while it starts', /start$/, 'asked'],
    ['when it was started', /start$/, 'answered'],
  ] as const)('%s leaves no container', async (_name, phase, when) => {
    const error = await cancelAt(phase, when);
    expect(error).toBeInstanceOf(NothingRan);
    expect(error).toMatchObject({ reason: 'cancelled', message: 'The run was cancelled before it started.' });
    expect(await countOwned(engine, owner)).toBe(0);
  });

  it('before it began asks the engine nothing', async () => {
    const asked = proxy.requests.length;
    await expect(startGuest(engine, spec, AbortSignal.abort())).rejects.toMatchObject({
      reason: 'cancelled',
    });
    expect(proxy.requests.length).toBe(asked);
  });
});

describe('a start that the engine refuses', () => {
  const refusals = [
    ['a missing image', { imageId: `sha256:${'0'.repeat(64)}` }, 'image'],
    ['an unknown runtime', { runtime: 'no-such-runtime' }, 'tier'],
  ] as const;

  it.each(refusals)('for %s says so and leaves no container', async (_name, change, reason) => {
    const spec = { ...(await specFor(engine, 'runc', owner)), ...change };
    await expect(startGuest(engine, spec)).rejects.toMatchObject({ name: 'NothingRan', reason });
  });

  it('for want of space is a matter of capacity', async () => {
    const spec = await specFor(engine, 'runc', owner);
    const message = 'mkdir /var/lib/docker/overlay2/x: no space left on device';
    proxy.before = ({ path }) => (path.endsWith('/start') ? { status: 500, body: { message } } : undefined);
    await expect(startGuest(engine, spec)).rejects.toMatchObject({
      reason: 'capacity',
      message: `The engine has no room for another container (${message}); free some and run again.`,
    });
  });

  it('with a warning about a limit does not start', async () => {
    const spec = await specFor(engine, 'runc', owner);
    const warning = 'Your kernel does not support swap limit capabilities.';
    proxy.after = ({ path }, body) =>
      path.endsWith('/create')
        ? Buffer.from(JSON.stringify({ ...JSON.parse(String(body)), Warnings: [warning] }))
        : body;
    await expect(startGuest(engine, spec)).rejects.toMatchObject({
      reason: 'preflight',
      message: `The engine cannot keep the sandbox's limits (${warning}); enable them, or use another engine.`,
    });
    expect(proxy.requests.filter(({ path }) => path.endsWith('/start'))).toEqual([]);
  });
});
