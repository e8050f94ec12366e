/** Labels by which containers of ours are known, counted and swept. */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import * as os from 'node:os';

export const OWNER = 'loadline.owner';
const RUN = 'loadline.run';
/** Engine time after which anybody of the owner may remove it, ms since 1970. */
const EXPIRES = 'loadline.expires';
/** Id of the process that started it: any process that numbers processes alike can look whether it is there. */
const STARTED_BY = 'loadline.process';
/** Tells those apart that number processes each in their own way: containers that share a host name and an engine. */
const NUMBERED_IN = 'loadline.pid-namespace';

export function containerLabels(owner: string, runId: string, expiresAt: number): Record<string, string> {
  return {
    [OWNER]: owner,
    [RUN]: runId,
    [EXPIRES]: String(Math.round(expiresAt)),
    [STARTED_BY]: String(process.pid),
    [NUMBERED_IN]: pidNamespace(),
  };
}

/** Whether the process that started a container is gone; false where that is not known. */
export function isOrphan(labels: Readonly<Record<string, string>>): boolean {
  if (!Object.hasOwn(labels, NUMBERED_IN) || labels[NUMBERED_IN] !== pidNamespace()) return false;
  const pid = Number(Object.hasOwn(labels, STARTED_BY) ? labels[STARTED_BY] : Number.NaN);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Linux gives each PID namespace a number; elsewhere there is one. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'host';
  }
}

/** Expiry of a container by its labels; undefined where there is none or it is no time. */
export function expiryOf(labels: Readonly<Record<string, string>>): number | undefined {
  const text = Object.hasOwn(labels, EXPIRES) ? labels[EXPIRES] : undefined;
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}

/** This user on this machine, as an opaque id: what one of their processes left, another may sweep. */
export function defaultOwner(): string {
  let machine = os.hostname();
  try {
    machine += readFileSync('/etc/machine-id', 'utf8');
  } catch {
    // No machine id on this system: the host name has to do.
  }
  const user = `${os.userInfo().uid} ${os.userInfo().username}`;
  return createHash('sha256').update(`loadline owner\n${machine}\n${user}`).digest('hex').slice(0, 16);
}
