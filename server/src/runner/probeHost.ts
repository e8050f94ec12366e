/** What stands on the host for the probe to find, if it could: a vendor that really listens, and planted secrets. */
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LookTargets } from '../../../shared/src/probe.ts';
import { SANDBOX_LIMITS } from '../sandbox/limits.ts';

const LOOPBACK = '127.0.0.1';

/** Contacts since the probe's own check of its listeners. */
export interface Contacts {
  /** Connections to the vendor's port. */
  tcp: number;
  /** Requests that the vendor read: its ledger. */
  requests: number;
  udp: number;
  unix: number;
  abstract: number;
}

export interface ProbeHost {
  /** Of the vendor, for the broker. */
  readonly origin: string;
  readonly canary: string;
  readonly targets: LookTargets;
  contacts(): Contacts;
  close(): Promise<void>;
}

const CANARY = 'LOADLINE_PROBE_CANARY';
const CHECK_MS = 2000;

/** Throws an Error with a sentence for people where a listener does not count what it should. */
export async function openProbeHost(): Promise<ProbeHost> {
  const counts: Contacts = { tcp: 0, requests: 0, udp: 0, unix: 0, abstract: 0 };
  const canary = `loadline-canary-${randomBytes(16).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'loadline-probe-'));
  // Open to every user: what keeps a container out must be the container.
  chmodSync(folder, 0o755);
  const markerFile = join(folder, 'marker');
  writeFileSync(markerFile, `${canary}\n`, { mode: 0o644 });
  process.env[CANARY] = canary;

  const vendor = countingVendor(counts);
  const unix = countingServer(() => counts.unix++);
  const abstract = countingServer(() => counts.abstract++);
  const udp = createSocket('udp4').on('message', () => counts.udp++);
  const close = async () => {
    delete process.env[CANARY];
    rmSync(folder, { recursive: true, force: true });
    vendor.closeAllConnections();
    for (const server of [vendor, unix, abstract]) server.close();
    udp.close();
  };
  const unixPath = join(folder, 'vendor.sock');
  const abstractName = `loadline-probe-${randomBytes(8).toString('hex')}`;
  try {
    // On loopback alone: nobody else's business. A container that shares the host's network reaches it there.
    await Promise.all([
      listening(vendor, { host: LOOPBACK, port: 0 }),
      listening(unix, { path: unixPath }),
      ...(process.platform === 'linux' ? [listening(abstract, { path: `\0${abstractName}` })] : []),
      bound(udp),
    ]);
    chmodSync(unixPath, 0o777);
    const tcpPort = (vendor.address() as AddressInfo).port;
    const { tmpBytes, openFiles } = SANDBOX_LIMITS;
    const targets: LookTargets = {
      ...{ addresses: hostAddresses(), tcpPort, udpPort: udp.address().port },
      ...{ unixPath, abstractName, markerFile, tmpBytes, openFiles },
    };
    const own = await checkListeners(targets, counts);
    const contacts = (): Contacts => ({
      tcp: counts.tcp - own.tcp,
      requests: counts.requests - own.requests,
      udp: counts.udp - own.udp,
      unix: counts.unix - own.unix,
      abstract: counts.abstract - own.abstract,
    });
    return { origin: `http://${LOOPBACK}:${tcpPort}`, canary, targets, contacts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function countingVendor(counts: Contacts): HttpServer {
  const server = createServer((_request, response) => {
    counts.requests += 1;
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  return server.on('connection', () => {
    counts.tcp += 1;
  });
}

function countingServer(count: () => void): Server {
  return createTcpServer((socket) => {
    count();
    socket.on('error', () => undefined).end();
  });
}

async function listening(
  server: Server,
  at: { host: string; port: number } | { path: string },
): Promise<void> {
  server.listen(at);
  await once(server, 'listening');
}

async function bound(socket: Socket): Promise<void> {
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
}

function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
}

/** A listener that counts nothing would prove nothing: each is contacted once from here. Returns those contacts. */
async function checkListeners(targets: LookTargets, counts: Contacts): Promise<Contacts> {
  const { tcpPort, udpPort, unixPath, abstractName } = targets;
  await fetch(`http://${LOOPBACK}:${tcpPort}/`);
  const sender = createSocket('udp4');
  await new Promise<void>((resolve) => sender.send('check', udpPort, LOOPBACK, () => resolve()));
  sender.close();
  await touched({ path: unixPath });
  if (process.platform === 'linux') await touched({ path: `\0${abstractName}` });
  const wanted = process.platform === 'linux' ? 1 : 0;
  for (let waited = 0; waited < CHECK_MS; waited += 20) {
    const { tcp, requests, udp, unix, abstract } = counts;
    if (tcp > 0 && requests > 0 && udp > 0 && unix > 0 && abstract >= wanted) return { ...counts };
    await pause(20);
  }
  throw new Error(
    'A listener of the probe on this host cannot be reached from the host itself; check its firewall.',
  );
}

async function touched(at: { path: string }): Promise<void> {
  const socket = connect(at);
  await once(socket, 'connect');
  socket.destroy();
}
