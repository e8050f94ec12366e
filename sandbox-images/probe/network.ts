/** Tries to reach anything: the probe's own listeners on the host first of all. */
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import type { LookTargets } from '../../shared/src/probe.ts';
import { type Attempts, anyOf } from './attempt.ts';

const CONNECT_MS = 700;

function reach(options: NetConnectOpts): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => {
      socket.destroy();
      resolve(`connected to ${JSON.stringify(options)}`);
    });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
  });
}

function datagram(address: string, port: number, broadcast: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const end = (error: Error | null) => {
      socket.close();
      if (error) reject(error);
      else resolve(`sent a datagram to ${address}`);
    };
    socket.on('error', end);
    socket.bind(0, () => {
      if (broadcast) socket.setBroadcast(true);
      socket.send('probe', port, address, end);
    });
  });
}

/** Addresses of routers, from the kernel's own table. */
function gateways(): string[] {
  const rows = readFileSync('/proc/net/route', 'utf8').trim().split('\n').slice(1);
  return rows.flatMap((row) => {
    const gateway = row.split('\t')[2] ?? '';
    const bytes = gateway.match(/../g)?.reverse() ?? [];
    return /^0*$/.test(gateway) ? [] : [bytes.map((byte) => Number.parseInt(byte, 16)).join('.')];
  });
}

function otherInterfaces(): string | null {
  const rows = readFileSync('/proc/net/dev', 'utf8').trim().split('\n').slice(2);
  const names = rows.map((row) => row.split(':')[0]?.trim()).filter((name) => name !== 'lo');
  return names.length > 0 ? names.join(' ') : null;
}

/** Abstract sockets that other processes of this network namespace listen on. */
function abstractNames(): string[] {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return rows.flatMap((row) => {
    const path = row.trim().split(/\s+/)[7];
    return path?.startsWith('@') ? [path.slice(1)] : [];
  });
}

/** Abstract names have a length; some versions of Node fill them up with zeros. */
function spelledOut(name: string): string[] {
  return [`\0${name}`, `\0${name}`.padEnd(107, '\0'), `\0${name}`.padEnd(108, '\0')];
}

const ENGINE_SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/run/user/1000/docker.sock',
  '/run/systemd/private',
  '/run/dbus/system_bus_socket',
];

function resolveBy(server: string): Promise<string> {
  const resolver = new Resolver({ timeout: CONNECT_MS, tries: 1 });
  resolver.setServers([server]);
  return new Promise((resolve, reject) => {
    resolver.resolve4('probe.loadline.invalid', (error) =>
      // Whoever says that the name does not exist has answered.
      error === null || error.code === 'ENOTFOUND' ? resolve(`${server} answered`) : reject(error),
    );
  });
}

export function networkAttempts(targets: LookTargets): Attempts {
  const { addresses, tcpPort, udpPort } = targets;
  const four = addresses.filter((address) => !address.includes(':'));
  const six = addresses.filter((address) => address.includes(':'));
  const tcp = (hosts: string[], port: number) => () => anyOf(hosts, (host) => reach({ host, port }));
  return new Map<string, () => unknown>([
    ['tcp-vendor', tcp(four, tcpPort)],
    ['tcp6-vendor', tcp(six, tcpPort)],
    ['tcp-gateway', () => anyOf(gateways(), (host) => reach({ host, port: tcpPort }))],
    ['tcp-metadata', tcp(['169.254.169.254', 'fd00:ec2::254'], 80)],
    ['tcp-engine', tcp(four, 2375)],
    ['tcp-named-host', tcp(['host.docker.internal', 'gateway.docker.internal'], tcpPort)],
    ['udp-vendor', () => anyOf(four, (host) => datagram(host, udpPort, false))],
    ['udp6-vendor', () => anyOf(six, (host) => datagram(host, udpPort, false))],
    ['udp-broadcast', () => datagram('255.255.255.255', udpPort, true)],
    ['udp-multicast', () => datagram('224.0.0.251', 5353, false)],
    [
      'dns-system',
      () =>
        new Promise<string>((resolve, reject) => {
          lookup('example.com', (error, address) => (error ? reject(error) : resolve(address)));
        }),
    ],
    ['dns-by-hand', () => anyOf(four, (host) => resolveBy(`${host}:${udpPort}`))],
    ['unix-vendor', () => reach({ path: targets.unixPath })],
    ['unix-vendor-through-init', () => reach({ path: `/proc/1/root${targets.unixPath}` })],
    ['unix-engine', () => anyOf(ENGINE_SOCKETS, (path) => reach({ path }))],
    ['unix-abstract-vendor', () => anyOf(spelledOut(targets.abstractName), (path) => reach({ path }))],
    ['unix-abstract-listed', () => anyOf(abstractNames(), (name) => reach({ path: `\0${name}` }))],
    [
      'listen',
      () => {
        const server = createServer();
        return new Promise<string>((resolve, reject) => {
          server.on('error', reject);
          server.listen(0, '0.0.0.0', () => {
            server.close();
            resolve('listened on 0.0.0.0');
          });
        });
      },
    ],
    ['interfaces', otherInterfaces],
  ]);
}
