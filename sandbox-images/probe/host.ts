/** Tries to read, change or use up something of the host, with what Node has. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { LookTargets } from '../../shared/src/probe.ts';
import { type Attempts, firstOf } from './attempt.ts';

const read = (file: string) => fs.readFileSync(file, 'latin1');

/** What was achieved by work that throws where it is refused. */
function achieved(_work: unknown, what: string): string {
  return what;
}

/** Opens for writing; where that works, writes nothing. */
function openForWriting(file: string): string {
  fs.closeSync(fs.openSync(file, 'r+'));
  return `${file} can be written`;
}

function listed(folder: string): string | null {
  const names = fs.readdirSync(folder);
  return names.length > 0 ? `${folder} holds ${names.slice(0, 5).join(' ')}` : null;
}

/** Mounts that are not of the container's own kind. */
const OWN_MOUNT =
  /^(\/|\/tmp|\/(proc|sys|dev)(\/.*)?|\/etc\/(hostname|hosts|resolv\.conf)|\/run\/\.containerenv|\/run\/secrets)$/;

/** Podman gives each container files of its own there, and covers folders that would be writable. */
function isPodmans(root: string, place: string, options: string, type: string): boolean {
  if (!options.split(',').includes('ro')) return false;
  if (place === '/run' || place === '/var/tmp') return type === 'tmpfs';
  return /^\/etc\/(passwd|group)$/.test(place) && root.endsWith(place.replace('/etc/', '/userdata/'));
}

/** Lines of mountinfo: number, parent, device, root within it, place, options, optional fields, `-`, type, source, options. */
function foreignMounts(): string | null {
  const places = read('/proc/self/mountinfo')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [mount = '', system = ''] = line.split(' - ');
      const [, , , root = '', place = '', options = ''] = mount.split(' ');
      const [type = ''] = system.split(' ');
      return OWN_MOUNT.test(place) || isPodmans(root, place, options, type) ? [] : [place];
    });
  return places.length > 0 ? places.join(' ') : null;
}

/** Folders outside /tmp, and files, that take a new file or a byte. */
function writable(folder: string, depth: number): string[] {
  const all: string[] = [];
  const file = `${folder}/.loadline-probe`;
  try {
    fs.closeSync(fs.openSync(file, 'wx'));
    fs.unlinkSync(file);
    all.push(folder === '' ? '/' : folder);
  } catch {
    // As it should be.
  }
  let entries: fs.Dirent[] = [];
  try {
    entries = fs.readdirSync(folder === '' ? '/' : folder, { withFileTypes: true });
  } catch {
    return all;
  }
  for (const entry of entries) {
    const inside = `${folder}/${entry.name}`;
    if (/^\/(proc|tmp|sys)$/.test(inside)) continue;
    if (entry.isDirectory() && depth > 0) all.push(...writable(inside, depth - 1));
    else if (entry.isFile()) {
      try {
        openForWriting(inside);
        all.push(inside);
      } catch {
        // As it should be.
      }
    }
  }
  return all;
}

const DEVICES = new Set([
  ...['null', 'zero', 'full', 'random', 'urandom', 'tty', 'console', 'ptmx', 'pts', 'fd', 'stdin', 'stdout'],
  ...['stderr', 'core', 'shm', 'mqueue'],
]);

function foreignDevices(): string | null {
  const others = fs.readdirSync('/dev').filter((name) => !DEVICES.has(name));
  return others.length > 0 ? others.join(' ') : null;
}

/** Descriptors that the runtime left open would lead out of the root. */
function leakedDescriptors(): string | null {
  const own = /^(pipe|socket|anon_inode|host):|^\/dev\/(null|u?random|pts\/\d+)$|^\/proc\/\d+\/fd$|^\/memfd:/;
  const leaked = fs.readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const target = fs.readlinkSync(`/proc/self/fd/${name}`);
      return own.test(target) ? [] : [target];
    } catch {
      return [];
    }
  });
  return leaked.length > 0 ? leaked.join(' ') : null;
}

/** The marker through every way that leads, or once led, out of a container's root. */
function markerPaths({ markerFile }: LookTargets): string[] {
  const up = '../'.repeat(16);
  const bare = markerFile.slice(1);
  const descriptors = Array.from({ length: 32 }, (_, fd) => `/proc/self/fd/${fd}/${up}${bare}`);
  return [
    markerFile,
    `${up}${bare}`,
    `/proc/1/root${markerFile}`,
    `/proc/1/cwd/${up}${bare}`,
    `/proc/self/cwd/${up}${bare}`,
    ...descriptors,
  ];
}

function otherProcesses(): string | null {
  const own = new Set([String(process.pid), String(process.ppid)]);
  const others = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !own.has(name));
  return others.length > 0 ? `${others.length} processes: ${others.slice(0, 5).join(' ')}` : null;
}

function throughLink(target: string, use: (link: string) => unknown): unknown {
  const link = `/tmp/link-${Math.random().toString(36).slice(2)}`;
  fs.symlinkSync(target, link);
  return use(link);
}

function runFromTmp(): string {
  const copy = '/tmp/program';
  const start = Buffer.alloc(64 * 1024);
  const fd = fs.openSync('/loadline/probe-helper', 'r');
  const size = fs.readSync(fd, start);
  fs.closeSync(fd);
  fs.writeFileSync(copy, start.subarray(0, size), { mode: 0o755 });
  const { error, status } = spawnSync(copy, [], { timeout: 2000 });
  if (error) throw error;
  return `a program in /tmp ran (${status})`;
}

function fillTmp({ tmpBytes }: LookTargets): string | null {
  const block = Buffer.alloc(1024 * 1024, 1);
  const fd = fs.openSync('/tmp/fill', 'w');
  let written = 0;
  try {
    while (written <= tmpBytes) written += fs.writeSync(fd, block);
  } finally {
    fs.closeSync(fd);
    fs.rmSync('/tmp/fill');
  }
  return `${written} bytes fitted into /tmp`;
}

function openTooMany({ openFiles }: LookTargets): string {
  const open: number[] = [];
  try {
    for (let n = 0; n <= openFiles; n++) open.push(fs.openSync('/dev/null', 'r'));
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
  return `${open.length} files were open`;
}

const HOMES = [
  '/root',
  '/home',
  '/Users',
  '/mnt',
  '/media',
  '/srv',
  '/var/lib/docker',
  '/var/lib/containers',
  '/host',
];
const KERNEL_FILES = [
  '/proc/kcore',
  '/proc/kmsg',
  '/dev/mem',
  '/dev/kmem',
  '/dev/port',
  '/dev/sda',
  '/dev/vda',
];
const LOGS = ['/proc/timer_list', '/proc/sched_debug', '/proc/keys', '/proc/latency_stats'];
const SETTINGS = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/vm/overcommit_memory',
];
const CGROUPS = [
  'release_agent',
  'notify_on_release',
  'cgroup.procs',
  'memory/cgroup.procs',
  'devices/devices.allow',
  'memory/release_agent',
];
const SYS = ['/sys/kernel/uevent_helper', '/sys/power/state', '/sys/kernel/mm/transparent_hugepage/enabled'];

/** Kernel files with content are more than the empty stand-ins that runtimes put over them. */
function nonEmpty(file: string): string | null {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const size = fs.readSync(fd, Buffer.alloc(64));
    return size > 0 ? `${file} can be read` : null;
  } finally {
    fs.closeSync(fd);
  }
}

export function hostAttempts(targets: LookTargets): Attempts {
  return new Map<string, () => unknown>([
    ['marker-file', () => firstOf(markerPaths(targets), (file) => `${file}: ${read(file).length} bytes`)],
    ['home-folders', () => firstOf(HOMES, listed)],
    ['foreign-mounts', foreignMounts],
    [
      'writable-places',
      () =>
        writable('', 10)
          .filter((place) => place !== '/tmp')
          .join(' ') || null,
    ],
    ['leaked-descriptors', leakedDescriptors],
    ['foreign-devices', foreignDevices],
    ['other-processes', otherProcesses],
    ['kernel-memory', () => firstOf(KERNEL_FILES, nonEmpty)],
    ['kernel-tables', () => firstOf(LOGS, nonEmpty)],
    ['kernel-settings', () => firstOf(SETTINGS, openForWriting)],
    ['kernel-trigger', () => firstOf(['/proc/sysrq-trigger', '/proc/irq/0/smp_affinity'], openForWriting)],
    ['sys-settings', () => firstOf(SYS, openForWriting)],
    ['cgroup-files', () => firstOf(CGROUPS, (name) => openForWriting(`/sys/fs/cgroup/${name}`))],
    ['firmware-tables', () => firstOf(['/sys/firmware', '/proc/scsi', '/proc/acpi'], listed)],
    ['own-program', () => openForWriting('/proc/self/exe')],
    [
      'user-map',
      () => achieved(fs.writeFileSync('/proc/self/uid_map', '0 0 1'), 'became root of a namespace'),
    ],
    [
      'less-oom-score',
      () => achieved(fs.writeFileSync('/proc/self/oom_score_adj', '-1000'), 'cannot be ended for memory'),
    ],
    ['raise-open-files', () => openTooMany(targets)],
    ['fill-tmp', () => fillTmp(targets)],
    ['run-from-tmp', runFromTmp],
    [
      'load-from-tmp',
      () => {
        fs.writeFileSync('/tmp/part.node', fs.readFileSync('/loadline/probe-helper'), { mode: 0o755 });
        process.dlopen({ exports: {} }, '/tmp/part.node');
        return 'native code was loaded from /tmp';
      },
    ],
    [
      'start-process',
      () => {
        const { error, status } = spawnSync(process.execPath, ['-e', '0'], { timeout: 5000 });
        if (error) throw error;
        return `another Node ran (${status})`;
      },
    ],
    ['symlink-out', () => throughLink(`/proc/1/root${targets.markerFile}`, (link) => read(link).length)],
    ['symlink-write', () => throughLink('/etc/hosts', openForWriting)],
    ['symlink-program', () => throughLink(process.execPath, openForWriting)],
    ['hard-link', () => achieved(fs.linkSync('/proc/self/exe', '/tmp/hard'), 'linked the program into /tmp')],
    [
      'rename-out',
      () => {
        fs.writeFileSync('/tmp/mine', '');
        fs.renameSync('/tmp/mine', path.join('/loadline', 'mine'));
        return 'moved a file out of /tmp';
      },
    ],
    [
      'setuid-file',
      () => {
        fs.writeFileSync('/tmp/set', '');
        fs.chmodSync('/tmp/set', 0o4777);
        return (fs.statSync('/tmp/set').mode & 0o4000) !== 0 ? 'a setuid file in /tmp' : null;
      },
    ],
    ['become-root', () => achieved(process.setuid?.(0), 'became root')],
    ['root-folder', () => achieved(process.chdir('/proc/1/root/root'), 'entered a home folder')],
  ]);
}
