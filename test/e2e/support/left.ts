/** What an editor has running: its processes, and the containers that they started. */
import { readdirSync, readFileSync } from 'node:fs';
import Docker from 'dockerode';

interface Process {
  pid: number;
  parent: number;
  command: string;
}

function everyProcess(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The name in brackets may hold anything; what follows it does not.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), parent, command }];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

/** All that a process started, at any depth. */
export function startedBy(pid: number): Process[] {
  const all = everyProcess();
  const below = (parent: number): Process[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid);
}

/** Names of our bundles that run below a process, in order. */
export function bundlesOf(pid: number): string[] {
  return startedBy(pid)
    .flatMap(({ command }) => /\/dist\/(server|runner|signer|ruleset)\.js\b/.exec(command)?.[1] ?? [])
    .sort();
}

/** Process ids of one of our bundles below a process. */
export function pidsOf(pid: number, bundle: 'server' | 'runner'): number[] {
  return startedBy(pid)
    .filter(({ command }) => command.includes(`/dist/${bundle}.js`))
    .map((each) => each.pid);
}

/** Ids of our containers on an engine that is the test's own, whoever started them. */
export async function containersOn(host: string): Promise<string[]> {
  const docker = new Docker({ socketPath: host.replace('unix://', '') });
  const list = await docker.listContainers({ all: true, filters: { label: ['loadline.owner'] } });
  return list.map(({ Id }) => Id);
}
