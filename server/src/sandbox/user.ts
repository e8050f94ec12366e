/** The uid and gid that containers run as: one that nobody on the engine's host has. */
import { readFileSync } from 'node:fs';
import { NothingRan } from './nothingRan.ts';

/**
 * Between what systemd gives to home-folder containers and what it gives to dynamic users, and below 65534, so it is
 * mapped in user namespaces too.
 */
export const FIRST_UID = 60_706;
export const LAST_UID = 61_183;

/** First free number, same for uid and gid. `passwd` and `group`: texts of the host's files, empty where remote. */
export function freeUser(passwd: string, group: string): number {
  const used = new Set<number>();
  for (const line of [...passwd.split('\n'), ...group.split('\n')]) {
    const parts = line.split(':');
    // passwd: name:password:uid:gid:...; group: name:password:gid:members
    for (const part of parts.slice(2, 4)) if (/^\d+$/.test(part)) used.add(Number(part));
  }
  for (let id = FIRST_UID; id <= LAST_UID; id++) if (!used.has(id)) return id;
  throw new NothingRan(
    'engine',
    `Every user id from ${FIRST_UID} to ${LAST_UID} is taken on this host; free one.`,
  );
}

export function sandboxUser(local: boolean): number {
  return local ? freeUser(readOr('/etc/passwd'), readOr('/etc/group')) : FIRST_UID;
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
