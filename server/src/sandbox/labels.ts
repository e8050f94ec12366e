/** Labels by which containers of ours are known, counted and swept. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as os from 'node:os';

export const OWNER = 'loadline.owner';
export const RUN = 'loadline.run';
/** Engine time after which anybody of the owner may remove it, ms since 1970. */
export const EXPIRES = 'loadline.expires';
/** Id of the process that started it: an owner is one user on one machine, so any process of theirs can look. */
export const STARTED_BY = 'loadline.process';

export function containerLabels(owner: string, runId: string, expiresAt: number): Record<string, string> {
  return {
    [OWNER]: owner,
    [RUN]: runId,
    [EXPIRES]: String(Math.round(expiresAt)),
    [STARTED_BY]: String(process.pid),
  };
}

/** Whether the process that started a container is gone; false where that is not known. */
export function isOrphan(labels: Readonly<Record<string, string>>): boolean {
  const pid = Number(Object.hasOwn(labels, STARTED_BY) ? labels[STARTED_BY] : Number.NaN);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
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
