/** Proves, with a container of ours, that the sandbox is what it is said to be on this engine. */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import type { Tier } from '../../../shared/src/results.ts';
import { dropCached, readCached, writeCached } from './cacheFile.ts';
import { type ContainerSpec, creationOptions, type GuestExit, startGuest } from './container.ts';
import type { Engine } from './engine.ts';
import { NothingRan, throwIfCancelled, unlessCancelled } from './nothingRan.ts';
import { FACTS_SCRIPT, memoryScript, type ProbeReport, pidsScript, SURVIVED } from './probe.ts';
import { looksLikeGvisor, provenTier } from './tier.ts';

/** How a property was established. `asked`: the engine took it, and nothing inside shows it. */
export type Established = 'cgroup' | 'behaviour' | 'seen' | 'asked';

/** What was found, and what this engine cannot do or show. Stands in the evidence's environment. */
export interface PreflightRecord {
  tier: Tier;
  runtime: string;
  /** Kernel that the guest sees. */
  guestKernel: string;
  node: string;
  memory: Established;
  pids: Established;
  cpu: Established;
  noNewPrivileges: Established;
  /** `ours`: our profile is on. `runtime`: the runtime's own kernel filters. `engine`: the engine takes no profile of ours. */
  seccomp: 'ours' | 'runtime' | 'engine';
}

/** What the engine of a record cannot do, or cannot show that it does, in the words that evidence uses. */
export function cannotOf({ memory, pids, cpu, noNewPrivileges, seccomp }: PreflightRecord): string[] {
  return [
    ...(memory === 'behaviour' ? ['show the memory limit inside (it was seen to hold)'] : []),
    ...(pids === 'behaviour' ? ['show the limit of processes inside (it was seen to hold)'] : []),
    ...(cpu === 'asked' ? ['show the share of CPUs inside'] : []),
    ...(noNewPrivileges === 'asked' ? ['show no_new_privs inside'] : []),
    ...(seccomp === 'ours' ? [] : [`take our seccomp profile (the ${seccomp}'s own is on)`]),
  ];
}

export type PreflightSpec = Omit<ContainerSpec, 'nodeArguments' | 'environment' | 'runId'>;

const FORMAT = 1;
/** Each probe takes a second or two; under gVisor on a busy machine some more. */
const PROBE_MS = 60_000;
const REFRESH_AFTER_MS = 24 * 60 * 60 * 1000;

export interface CachedPreflight {
  record: PreflightRecord;
  /** Present where the record is old: does it again; rejects with NothingRan where it no longer holds. */
  refresh?: () => Promise<PreflightRecord>;
}

/** The record from the cache, else from a new preflight. Throws NothingRan. */
export async function preflight(
  engine: Engine,
  spec: PreflightSpec,
  options: { cacheDir: string; onProgress?: (text: string) => void; signal?: AbortSignal },
): Promise<CachedPreflight> {
  const file = path.join(options.cacheDir, `preflight-${cacheKey(engine, spec)}.json`);
  const again = async (signal?: AbortSignal) => {
    try {
      const record = await examine(engine, spec, signal);
      await writeCached(file, { format: FORMAT, at: Date.now(), record });
      return record;
    } catch (error) {
      if (error instanceof NothingRan && error.reason === 'preflight') await dropCached(file);
      throw error;
    }
  };
  const known = readEntry(await readCached(file));
  if (known === undefined) {
    options.onProgress?.('Checking the sandbox (once per engine and image)');
    return { record: await again(options.signal) };
  }
  const age = Date.now() - known.at;
  return age >= 0 && age < REFRESH_AFTER_MS
    ? { record: known.record }
    : { record: known.record, refresh: () => again() };
}

/** Everything that could change the answer; labels cannot, and they differ from process to process. */
function cacheKey(engine: Engine, spec: PreflightSpec): string {
  const { id, name, version, endpoint, kernelVersion, cgroupVersion, runtimes, rootless } = engine.facts;
  const runtime = runtimes.find((item) => item.name === spec.runtime);
  const { Labels: _, ...asked } = creationOptions({ ...spec, owner: '', runId: '', expiresAt: 0 });
  const about = { id, name, version, endpoint, kernelVersion, cgroupVersion, runtime, rootless, asked };
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, FACTS_SCRIPT, about]))
    .digest('hex')
    .slice(0, 32);
}

function readEntry(value: unknown): { at: number; record: PreflightRecord } | undefined {
  const entry = value as { format?: unknown; at?: unknown; record?: { tier?: unknown } | null } | null;
  if (entry?.format !== FORMAT || typeof entry.at !== 'number') return undefined;
  const tier = entry.record?.tier;
  if (tier !== 'container' && tier !== 'kernel') return undefined;
  return { at: entry.at, record: entry.record as PreflightRecord };
}

async function examine(engine: Engine, spec: PreflightSpec, signal?: AbortSignal): Promise<PreflightRecord> {
  const problems: string[] = [];
  const answer = await runProbe(engine, spec, FACTS_SCRIPT, signal, (inspected) =>
    problems.push(...inspectDifferences(spec, inspected)),
  );
  const report = readReport(answer);
  problems.push(...reportProblems(engine, spec, report));
  const memory = report.memoryBytes === null ? 'behaviour' : 'cgroup';
  const pids = report.pids === null ? 'behaviour' : 'cgroup';
  if (memory === 'behaviour' && !(await memoryEnds(engine, spec, signal))) {
    problems.push('a guest can use more memory than its limit');
  }
  if (pids === 'behaviour' && !(await pidsEnd(engine, spec, signal))) {
    problems.push('a guest can start more processes than its limit');
  }
  if (problems.length > 0) {
    throw new NothingRan(
      'preflight',
      `The sandbox is not what it has to be on ${engine.facts.endpoint} with the runtime "${spec.runtime}": ${problems.join('; ')}. Correct the engine, or use another.`,
    );
  }
  return {
    tier: provenTier(engine.facts.kernelVersion, report),
    runtime: spec.runtime,
    guestKernel: report.release,
    node: report.node,
    memory,
    pids,
    cpu: report.cpus === null ? 'asked' : 'cgroup',
    noNewPrivileges: report.noNewPrivileges === '' ? 'asked' : 'seen',
    seccomp:
      spec.seccomp !== null ? 'ours' : looksLikeGvisor(engine.facts, spec.runtime) ? 'runtime' : 'engine',
  };
}

interface ProbeAnswer {
  out: string;
  log: string;
  exit: GuestExit;
}

/** Runs one script in a container like a run's. `inspected` is called with the engine's view of it while it runs. */
async function runProbe(
  engine: Engine,
  spec: PreflightSpec,
  script: string,
  signal: AbortSignal | undefined,
  inspected?: (info: Docker.ContainerInspectInfo) => void,
): Promise<ProbeAnswer> {
  const container = await startGuest(
    engine,
    { ...spec, runId: 'preflight', nodeArguments: ['--max-old-space-size=128', '-e', script] },
    signal,
  );
  const stop = () => void container.kill().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    stop();
  }, PROBE_MS);
  try {
    const output = Promise.all([text(container.stdout), text(container.stderr)]);
    inspected?.(await engine.docker.getContainer(container.id).inspect());
    const exit = await unlessCancelled(container.exited, signal);
    const [out, log] = await output;
    throwIfCancelled(signal);
    if (late) throw probeTooSlow();
    return { out, log, exit };
  } catch (error) {
    throwIfCancelled(signal);
    throw error;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', stop);
    await container.kill();
  }
}

function probeTooSlow(): NothingRan {
  return new NothingRan(
    'preflight',
    `A check of the sandbox did not end within ${PROBE_MS / 1000} seconds; check the engine's load and run again.`,
  );
}

function readReport({ out, log, exit }: ProbeAnswer): ProbeReport {
  try {
    return JSON.parse(out) as ProbeReport;
  } catch {
    const lines = (log || out).trim().split('\n');
    const words = (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, 200);
    throw new NothingRan(
      'preflight',
      `Node does not run in the sandbox (exit code ${exit.code}${words === '' ? '' : `: ${words}`}); check that the base image carries Node 22 for this platform.`,
    );
  }
}

/** What the engine says that it did not set as asked. */
function inspectDifferences(spec: PreflightSpec, info: Docker.ContainerInspectInfo): string[] {
  const asked = creationOptions({ ...spec, runId: 'preflight' }).HostConfig ?? {};
  const given = new Map<string, unknown>(Object.entries(info.HostConfig));
  const names = [
    ...['NetworkMode', 'ReadonlyRootfs', 'PidsLimit', 'Memory', 'MemorySwap', 'NanoCpus'],
    // Podman says the same of both whatever it did: there is one runtime that it starts, and /dev/shm shows as unwritable.
    ...(spec.podman ? [] : ['Runtime', 'IpcMode']),
  ];
  const wanted = new Map<string, unknown>(Object.entries(asked));
  const problems = names
    .filter((name) => wanted.get(name) !== given.get(name))
    .map(
      (name) => `${name} is ${JSON.stringify(given.get(name))} and not ${JSON.stringify(wanted.get(name))}`,
    );
  if (info.HostConfig.Privileged) problems.push('the container is privileged');
  if (info.Mounts.length > 0) {
    problems.push(
      `the base image mounts volumes (${info.Mounts.map((mount) => mount.Destination).join(', ')})`,
    );
  }
  return problems;
}

/** What the guest sees that it must not. */
function reportProblems(engine: Engine, spec: PreflightSpec, report: ProbeReport): string[] {
  const { limits, user } = spec;
  const problems: string[] = [];
  const expect = (what: string, seen: unknown, wanted: unknown) => {
    if (seen !== wanted)
      problems.push(`${what} is ${JSON.stringify(seen)} and not ${JSON.stringify(wanted)}`);
  };
  expect('the uid', report.uid, user);
  expect('the gid', report.gid, user);
  expect('the set of effective capabilities', report.capEffective, '0000000000000000');
  expect('the set of bounding capabilities', report.capBounding, '0000000000000000');
  expect('the list of network interfaces', report.interfaces.join(' '), 'lo');
  expect('the list of writable folders', report.writable.join(' '), '/tmp');
  expect('the size of /tmp', report.tmpBytes, limits.tmpBytes);
  if (report.noNewPrivileges !== '') expect('no_new_privs', report.noNewPrivileges, '1');
  if (spec.seccomp !== null) expect('the seccomp mode', report.seccomp, '2');
  if (report.openFiles !== '') expect('the limit of open files', report.openFiles, String(limits.openFiles));
  if (report.cpuSeconds !== '') expect('the limit of CPU time', report.cpuSeconds, String(limits.cpuSeconds));
  if (report.memoryBytes !== null) expect('the memory limit', report.memoryBytes, limits.memoryBytes);
  if (report.memorySwapBytes !== null) expect('memory and swap', report.memorySwapBytes, limits.memoryBytes);
  if (report.pids !== null) expect('the limit of processes', report.pids, limits.pids);
  if (report.cpus !== null) expect('the share of CPUs', report.cpus, limits.cpus);
  if (!report.node.startsWith('v22.')) expect('the version of Node', report.node, 'v22');
  if (report.noNewPrivileges === '' && !looksLikeGvisor(engine.facts, spec.runtime)) {
    problems.push('no_new_privs is not shown');
  }
  return problems;
}

async function memoryEnds(engine: Engine, spec: PreflightSpec, signal?: AbortSignal): Promise<boolean> {
  const { out, exit } = await runProbe(engine, spec, memoryScript(spec.limits.memoryBytes), signal);
  return !out.includes(SURVIVED) && exit.code !== 0;
}

async function pidsEnd(engine: Engine, spec: PreflightSpec, signal?: AbortSignal): Promise<boolean> {
  const { out, exit } = await runProbe(engine, spec, pidsScript(spec.limits.pids), signal);
  // Running out of memory first would say nothing about processes.
  return !out.includes(SURVIVED) && exit.oomKilled === false && (exit.code !== 0 || out.trim() === 'EAGAIN');
}
