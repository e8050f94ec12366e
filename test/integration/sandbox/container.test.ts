import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContainerSpec, startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { countOwned, removeOwned } from '../../../server/src/sandbox/sweep.ts';
import { RUNTIMES, readUntil, script, specFor, testOwner } from './support.ts';

const owner = testOwner();
let engine: Engine;

beforeAll(async () => {
  engine = await connectEngine();
});

afterAll(async () => {
  await removeOwned(engine, owner);
  expect(await countOwned(engine, owner)).toBe(0);
  engine.close();
});

describe.each(RUNTIMES)('a container under %s', (runtime) => {
  let spec: ContainerSpec;

  beforeAll(async () => {
    spec = await specFor(engine, runtime, owner);
  });

  const run = (nodeScript: string) => startGuest(engine, { ...spec, nodeArguments: script(nodeScript) });

  it('has exactly the flags that were asked for', async () => {
    const guest = await startGuest(engine, spec);
    const { Config, HostConfig, Mounts, NetworkSettings } = await engine.docker
      .getContainer(guest.id)
      .inspect();
    await guest.kill();
    expect({
      image: Config.Image,
      user: Config.User,
      entrypoint: Config.Entrypoint,
      command: Config.Cmd,
      labels: Object.entries(Config.Labels).filter(
        ([name]) => !['loadline.base.recipe', 'loadline.guest'].includes(name),
      ),
      tty: Config.Tty,
      stdin: [Config.OpenStdin, Config.StdinOnce],
      networks: Object.keys(NetworkSettings.Networks).filter((name) => name !== 'none'),
      mounts: Mounts,
      binds: HostConfig.Binds,
      runtime: HostConfig.Runtime,
      network: HostConfig.NetworkMode,
      readOnly: HostConfig.ReadonlyRootfs,
      capDrop: HostConfig.CapDrop,
      capAdd: HostConfig.CapAdd,
      privileged: HostConfig.Privileged,
      security: HostConfig.SecurityOpt.map((option: string) => option.split('=')[0]),
      pids: HostConfig.PidsLimit,
      memory: [HostConfig.Memory, HostConfig.MemorySwap],
      nanoCpus: HostConfig.NanoCpus,
      ipc: HostConfig.IpcMode,
      tmpfs: HostConfig.Tmpfs,
      ulimits: HostConfig.Ulimits?.map(({ Name, Soft, Hard }) =>
        [Name ?? '', Soft ?? -1, Hard ?? -1].join(' '),
      ),
      log: HostConfig.LogConfig?.Type,
    }).toEqual({
      image: spec.imageId,
      user: `${spec.user}:${spec.user}`,
      entrypoint: ['node'],
      command: ['--max-old-space-size=128', '--disallow-code-generation-from-strings', '/loadline/guest.js'],
      labels: [
        ['loadline.expires', String(Math.round(spec.expiresAt))],
        ['loadline.owner', owner],
        ['loadline.pid-namespace', readlinkSync('/proc/self/ns/pid')],
        ['loadline.process', String(process.pid)],
        ['loadline.run', 'run-1'],
      ],
      tty: false,
      stdin: [true, true],
      networks: [],
      mounts: [],
      binds: null,
      runtime,
      network: 'none',
      readOnly: true,
      capDrop: ['ALL'],
      capAdd: null,
      privileged: false,
      security: runtime === 'runsc' ? ['no-new-privileges'] : ['no-new-privileges', 'seccomp'],
      pids: 64,
      memory: [268_435_456, 268_435_456],
      nanoCpus: 1_000_000_000,
      ipc: 'none',
      tmpfs: { '/tmp': `rw,noexec,nosuid,nodev,size=16777216,mode=700,uid=${spec.user},gid=${spec.user}` },
      ulimits: ['nofile 1024 1024', 'core 0 0', 'cpu 600 600', 'msgqueue 0 0'],
      log: 'none',
    });
  });

  it('passes bytes both ways and ends with its stdin', async () => {
    const guest = await startGuest(engine, spec);
    const log = text(guest.stderr);
    expect(await readUntil(guest.stdout, 'hello\n')).toContain('hello\n');
    guest.stdin.write('marco');
    expect(await readUntil(guest.stdout, 'marco')).toContain('marco');
    guest.stdin.end();
    expect(await guest.exited).toEqual({ code: 7, oomKilled: false });
    expect(await log).toBe('log\n');
    await guest.kill();
    expect(await countOwned(engine, owner)).toBe(0);
  });

  it('loses none of the bytes that a guest writes from its first moment on', async () => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const guest = await run(`
      const fs = require('fs');
      const all = (fd, data) => { for (let at = 0; at < data.length; ) try { at += fs.writeSync(fd, data, at); } catch (e) { if (e.code !== 'EAGAIN') throw e; } };
      for (let n = 0; n < 64; n++) all(1, Buffer.alloc(64 * 1024, 'x'));
    `);
    const seen = await buffer(guest.stdout);
    await guest.kill();
    const expected = createHash('sha256');
    for (let n = 0; n < 64; n++) expected.update(block);
    expect(seen.length).toBe(4 * 1024 * 1024);
    expect(createHash('sha256').update(seen).digest('hex')).toBe(expected.digest('hex'));
  });

  it('drops and counts the log that nobody reads', async () => {
    const guest = await run(`
      const fs = require('fs');
      const all = (fd, data) => { for (let at = 0; at < data.length; ) try { at += fs.writeSync(fd, data, at); } catch (e) { if (e.code !== 'EAGAIN') throw e; } };
      for (let n = 0; n < 1024; n++) all(2, Buffer.alloc(64 * 1024, 'l'));
      all(1, Buffer.from('done'));
    `);
    expect(await text(guest.stdout)).toBe('done');
    const kept = guest.stderr.readableLength;
    expect(kept + guest.droppedLogBytes()).toBe(64 * 1024 * 1024);
    expect(kept).toBeLessThanOrEqual(256 * 1024);
    await guest.kill();
  });

  it('ends a guest that uses more than its memory', async () => {
    const guest = await run('const a = []; for (;;) a.push(Buffer.alloc(8 << 20, 1));');
    expect(await guest.exited).toEqual({ code: 137, oomKilled: true });
    await guest.kill();
  });

  it('lets a guest write to /tmp alone, up to its size', async () => {
    const guest = await run(`
      const fs = require('fs');
      const attempt = (work) => { try { work(); return 'ok'; } catch (error) { return error.code; } };
      console.log(JSON.stringify([
        attempt(() => fs.writeFileSync('/tmp/a', 'a')),
        attempt(() => fs.writeFileSync('/a', 'a')),
        attempt(() => fs.writeFileSync('/loadline/guest.js', 'a')),
        attempt(() => fs.writeFileSync('/dev/shm/a', 'a')) !== 'ok',
        attempt(() => fs.writeFileSync('/tmp/big', Buffer.alloc(20 << 20))),
      ]));
    `);
    // gVisor looks at the owner before it looks at the mount.
    const readOnly = runtime === 'runsc' ? 'EACCES' : 'EROFS';
    expect(JSON.parse(await text(guest.stdout))).toEqual(['ok', readOnly, readOnly, true, 'ENOSPC']);
    await guest.kill();
  });

  it('is gone after kill, however often and whenever that is asked', async () => {
    const guest = await startGuest(engine, spec);
    await Promise.all([guest.kill(), guest.kill()]);
    await guest.kill();
    expect(await countOwned(engine, owner)).toBe(0);
    expect((await guest.exited).oomKilled).toBe(false);
    expect(await text(guest.stdout)).toMatch(/^(hello\n)?$/);
    guest.stdin.write('nobody reads this');
  });

  it('is not missed by kill when something else removed it', async () => {
    const guest = await startGuest(engine, spec);
    await removeOwned(engine, owner);
    await guest.kill();
    expect(await countOwned(engine, owner)).toBe(0);
  });
});

describe('what our seccomp profile stops under runc', () => {
  it('new processes and sockets, not threads', async () => {
    const spec = await specFor(engine, 'runc', owner);
    const guest = await startGuest(engine, {
      ...spec,
      nodeArguments: script(`
        const { spawnSync } = require('child_process');
        const { Worker } = require('worker_threads');
        const net = require('net');
        const socket = new Promise((resolve) => {
          try { net.createServer().once('error', (error) => resolve(error.code)).listen('/tmp/s', () => resolve('ok')); }
          catch (error) { resolve(error.code); }
        });
        const thread = new Promise((resolve) => new Worker('', { eval: true }).once('exit', resolve));
        Promise.all([socket, thread]).then(([s, t]) => {
          console.log(JSON.stringify({ process: spawnSync(process.execPath, ['-v']).error.code, socket: s, thread: t }));
          process.exit();
        });
      `),
    });
    expect(JSON.parse(await text(guest.stdout))).toEqual({ process: 'EPERM', socket: 'EPERM', thread: 0 });
    await guest.kill();
  });
});

it('a container under runc that works for longer than any run may is ended', async () => {
  const spec = await specFor(engine, 'runc', owner);
  const limits = { ...spec.limits, cpuSeconds: 1 };
  const guest = await startGuest(engine, { ...spec, limits, nodeArguments: script('for (;;);') });
  expect(await guest.exited).toEqual({ code: 137, oomKilled: false });
  await guest.kill();
});
