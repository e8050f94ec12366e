import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dropCached, readCached, writeCached } from '../../../server/src/sandbox/cacheFile.ts';
import type { EngineFacts } from '../../../server/src/sandbox/engine.ts';
import { containerLabels, defaultOwner, expiryOf, isOrphan } from '../../../server/src/sandbox/labels.ts';
import { chooseRuntime, looksLikeGvisor, provenTier, requireTier } from '../../../server/src/sandbox/tier.ts';
import { FIRST_UID, freeUser, LAST_UID } from '../../../server/src/sandbox/user.ts';

describe('labels', () => {
  it('say owner, run, expiry and the process that started it', () => {
    expect(containerLabels('me', 'r', 12.6)).toEqual({
      'loadline.owner': 'me',
      'loadline.run': 'r',
      'loadline.expires': '13',
      'loadline.process': String(process.pid),
      'loadline.pid-namespace': expect.stringMatching(/^(pid:\[\d+\]|host)$/),
    });
  });

  it('tell that a process is gone only to those that number processes alike', () => {
    const own = containerLabels('me', 'r', 1);
    const gone: Record<string, string> = {
      ...own,
      'loadline.process': String(spawnSync(process.execPath, ['-e', '']).pid),
    };
    const { 'loadline.pid-namespace': _, ...unknown } = gone;
    expect([own, gone, { ...gone, 'loadline.pid-namespace': 'pid:[1]' }, unknown].map(isOrphan)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it.each([
    [{ 'loadline.expires': '1000' }, 1000],
    [{ 'loadline.expires': '' }, undefined],
    [{ 'loadline.expires': '-1' }, undefined],
    [{ 'loadline.expires': '1e3' }, undefined],
    [{ 'loadline.expires': '99999999999999999' }, undefined],
    [{}, undefined],
  ])('of %j expire at %s', (labels, expected) => {
    expect(expiryOf(labels as Record<string, string>)).toBe(expected);
  });

  it('know one user on one machine, and tell nobody who', () => {
    expect(defaultOwner()).toBe(defaultOwner());
    expect(defaultOwner()).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('the user of a container', () => {
  it('is the first that the host has neither as a user, a primary group nor a group', () => {
    expect(freeUser('', '')).toBe(FIRST_UID);
    const passwd = `a:x:${FIRST_UID}:${FIRST_UID + 1}::/:/bin/sh\nnot a line`;
    expect(freeUser(passwd, `g:x:${FIRST_UID + 2}:a`)).toBe(FIRST_UID + 3);
  });

  it('cannot be found where all are taken', () => {
    const all = Array.from({ length: LAST_UID - FIRST_UID + 1 }, (_, n) => `u:x:${FIRST_UID + n}:1::/:`).join(
      '\n',
    );
    expect(() => freeUser(all, '')).toThrow(`Every user id from ${FIRST_UID} to ${LAST_UID} is taken`);
  });
});

describe('the runtime', () => {
  const facts = (runtimes: [string, string][], defaultRuntime = 'runc') =>
    ({
      endpoint: 'unix:///e',
      defaultRuntime,
      runtimes: runtimes.map(([name, file]) => ({ name, path: file, args: [] })),
    }) as unknown as EngineFacts;
  const both = facts([
    ['runc', 'runc'],
    ['strong', '/usr/bin/runsc'],
  ]);

  it('is the one asked for, a gVisor one for a minimum tier, else the default', () => {
    expect(chooseRuntime(both, {})).toBe('runc');
    expect(chooseRuntime(both, { runtime: 'strong' })).toBe('strong');
    expect(chooseRuntime(both, { minimumTier: 'kernel' })).toBe('strong');
    expect(chooseRuntime(both, { minimumTier: 'container' })).toBe('runc');
  });

  it('that is not there is refused', () => {
    expect(() => chooseRuntime(both, { runtime: 'kata' })).toThrow(
      'The engine at unix:///e has no runtime "kata" (it has runc, strong); register it, or choose another.',
    );
    expect(() => chooseRuntime(facts([['runc', 'runc']]), { minimumTier: 'kernel' })).toThrow(
      'The minimum tier is kernel, but the engine at unix:///e has no gVisor runtime; register runsc with it, or lower loadline.sandbox.minimumTier.',
    );
  });

  it('is taken for gVisor by its binary too, which proves nothing', () => {
    expect([looksLikeGvisor(both, 'strong'), looksLikeGvisor(both, 'runc')]).toEqual([true, false]);
    expect(
      provenTier('6.1', { release: '4.4.0', commandLine: 'BOOT_IMAGE=/vmlinuz-4.4.0-gvisor quiet' }),
    ).toBe('kernel');
    expect(provenTier('6.1', { release: '6.1', commandLine: 'quiet' })).toBe('container');
    expect(provenTier('4.4.0', { release: '4.4.0', commandLine: 'name=gvisor' })).toBe('container');
  });

  it('has to give the minimum tier', () => {
    expect(() => requireTier('container', 'kernel', 'runsc')).toThrow('the runtime "runsc" gives container');
    requireTier('kernel', 'kernel', 'runsc');
    requireTier('container', 'container', 'runc');
    requireTier('container', undefined, 'runc');
  });
});

describe('a cached value', () => {
  it('is written whole or not at all, and what cannot be read is absent', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'loadline-cache-'));
    const file = path.join(folder, 'a/b/value.json');
    expect(await readCached(file)).toBeUndefined();
    await writeCached(file, { a: 1 });
    expect(await readCached(file)).toEqual({ a: 1 });
    expect(readdirSync(path.dirname(file))).toEqual(['value.json']);
    writeFileSync(file, '{"a"');
    expect(await readCached(file)).toBeUndefined();
    await dropCached(file);
    expect(existsSync(file)).toBe(false);
    writeFileSync(path.join(folder, 'plain'), '');
    await writeCached(path.join(folder, 'plain/value.json'), 1);
    rmSync(folder, { recursive: true });
  });
});

describe('daemon.json of an engine that we install', () => {
  const merge = async (text: string): Promise<unknown> => {
    const script = pathToFileURL(path.resolve(import.meta.dirname, '../../../scripts/setup-engine.mjs'));
    const { mergeDaemonConfig } = await import(script.href);
    const merged: string | undefined = mergeDaemonConfig(text);
    return merged === undefined ? undefined : JSON.parse(merged);
  };
  const runsc = { path: '/usr/bin/runsc', runtimeArgs: ['--platform=ptrace', '--network=none'] };

  it('gets runsc beside what it says', async () => {
    expect(await merge('')).toEqual({ runtimes: { runsc } });
    expect(await merge('{"log-driver": "none", "runtimes": {"kata": {"path": "k"}}}')).toEqual({
      'log-driver': 'none',
      runtimes: { kata: { path: 'k' }, runsc },
    });
  });

  it.each(['{"runtimes": {"runsc": {"path": "mine"}}}', '{', '[]', '{"runtimes": []}'])(
    'stays as it is: %s',
    async (text) => {
      expect(await merge(text)).toBeUndefined();
    },
  );
});
