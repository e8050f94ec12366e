/** The sandbox holds against the probe, and the probe sees a sandbox that does not hold. */
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Probed, ruleOf, runProbe, table } from './support.ts';

const broken = ({ result }: Probed) => result.rules.filter(({ held }) => !held).map(({ id }) => id);

/** Ids of what got through, without their explanations. */
const survivorsOf = (probed: Probed, id: Parameters<typeof ruleOf>[1]) =>
  ruleOf(probed, id).survivors.map((text) => text.split(':')[0]);

const ALL_REFUSED = [
  'refused_by_the_client: 29 29 0 0',
  'refused_by_the_broker: 118 118 0 0',
  'no_network: 30 30 0 0',
  'no_credential: 30 30 0 0',
  'no_host: 127 127 0 0',
  'the_vendor_saw_nothing: 5 5 0 0',
];

describe('a sandbox as every run has it', () => {
  test('refuses every attempt under runc', async () => {
    const probed = await runProbe('runc');
    expect(table(probed)).toEqual(ALL_REFUSED);
    expect(probed.result.rules.flatMap(({ notTried }) => notTried)).toEqual([]);
    expect(probed.result).toMatchObject({ runtime: 'runc', tier: 'container' });
    expect(probed.left).toBe(0);
  });

  test("lets nothing out of gVisor's own kernel under runsc", async () => {
    const probed = await runProbe('runsc');
    expect(table(probed)).toEqual([
      'refused_by_the_client: 29 29 0 0',
      'refused_by_the_broker: 118 118 0 0',
      'no_network: 30 21 9 0',
      'no_credential: 30 30 0 0',
      'no_host: 127 99 28 0',
      'the_vendor_saw_nothing: 5 5 0 0',
    ]);
    expect(probed.result.rules.flatMap(({ notTried }) => notTried)).toEqual([]);
    expect(probed.result).toMatchObject({ runtime: 'runsc', tier: 'kernel' });
    expect(probed.left).toBe(0);
  });
});

/** Ends its container as soon as one of these attempts begins. */
const endingAt = (...ids: string[]) => `{
  const fs = require('node:fs');
  const { writeSync } = fs;
  fs.writeSync = (file, text) => {
    const wrote = writeSync(file, text);
    if (${JSON.stringify(ids)}.includes(text.trim())) process.exit(2);
    return wrote;
  };
}
`;

test('an attempt that its container ends at hides none of those that come after it', async () => {
  const fatal = ['marker-file', 'start-process', 'root-folder'];
  const probed = await runProbe('runc', { prelude: endingAt(...fatal) });
  expect(table(probed)).toEqual(ALL_REFUSED);
  expect(probed.result.rules.flatMap(({ notTried }) => notTried)).toEqual([]);
  const ended = probed.evidence.attempts.filter(({ text }) => text === 'the container ended (exit code 2)');
  expect(ended.map(({ id }) => id)).toEqual(fatal);
  expect(probed.left).toBe(0);
});

describe('a sandbox that is weakened on purpose', () => {
  const unfiltered = (host: { SecurityOpt?: string[] }) => {
    host.SecurityOpt = ['no-new-privileges', 'seccomp=unconfined'];
  };

  test('without the filter of system calls, the kernel answers what it must not', async () => {
    const probed = await runProbe('runc', { weaken: ({ HostConfig }) => unfiltered(HostConfig) });
    expect(broken(probed)).toEqual(['no_network', 'no_host']);
    expect(survivorsOf(probed, 'no_host')).toEqual(
      expect.arrayContaining(['fork', 'clone', 'symlink', 'memfd_create', 'start-process']),
    );
    expect(survivorsOf(probed, 'no_network')).toEqual(expect.arrayContaining(['socket-tcp', 'listen']));
    expect(probed.left).toBe(0);
  });

  test("on the host's network, the vendor's sockets see the probe", async () => {
    const probed = await runProbe('runc', {
      weaken(options) {
        unfiltered(options.HostConfig);
        options.NetworkDisabled = false;
        options.HostConfig.NetworkMode = 'host';
      },
    });
    expect(broken(probed)).toEqual(['no_network', 'no_host', 'the_vendor_saw_nothing']);
    expect(survivorsOf(probed, 'no_network')).toEqual(
      expect.arrayContaining([
        'tcp-vendor',
        'udp-vendor',
        'dns-by-hand',
        'unix-abstract-vendor',
        'interfaces',
      ]),
    );
    expect(survivorsOf(probed, 'the_vendor_saw_nothing')).toEqual(expect.arrayContaining(['tcp', 'udp']));
    expect(probed.left).toBe(0);
  });

  test('with a folder of the host, its files and the secret in one of them are found', async () => {
    const probed = await runProbe('runc', {
      weaken({ HostConfig }) {
        const planted = readdirSync(tmpdir()).filter((name) => name.startsWith('loadline-probe-'));
        HostConfig.Binds = planted.map((name) => `${join(tmpdir(), name)}:/mnt/${name}:ro`);
      },
    });
    expect(broken(probed)).toEqual(['no_credential', 'no_host']);
    expect(survivorsOf(probed, 'no_credential')).toEqual(['files', 'memory']);
    expect(survivorsOf(probed, 'no_host')).toEqual(['home-folders', 'foreign-mounts']);
    expect(probed.left).toBe(0);
  });

  test("with the host's environment, the secret in it is found", async () => {
    const probed = await runProbe('runc', {
      weaken: (options) => void options.Env?.push(`LEAKED=${process.env.LOADLINE_PROBE_CANARY}`),
    });
    expect(broken(probed)).toEqual(['no_credential']);
    expect(survivorsOf(probed, 'no_credential')).toEqual(['environment', 'processes', 'memory']);
    expect(probed.left).toBe(0);
  });
});
