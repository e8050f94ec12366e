/**
 * What may succeed inside a container without leaving it, per kind of system call filter, and why. Whatever is not
 * listed must be refused. Under our own profile nothing is listed: there every attempt is refused.
 */
import type { SyscallFilter } from './probe.ts';

/** Why an attempt that succeeded went no further than its container, or undefined: it must not succeed. */
export function insideReason(filter: SyscallFilter, id: string): string | undefined {
  return SEEN_ELSEWHERE.has(id) ? OWN_LOOPBACK : INSIDE[filter].get(id);
}

const OWN_LOOPBACK = 'it reached the loopback of its own container alone';
/** Attempts on listeners of the host, which count them: one that succeeds and is not counted met somebody else. */
const SEEN_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['tcp-vendor', 'tcp6-vendor', 'udp-vendor', 'udp6-vendor', 'dns-by-hand'],
  ...['unix-vendor', 'unix-vendor-through-init', 'unix-abstract-vendor'],
]);

const PROCESS = "a process of gVisor's own kernel, counted within the container's limits";
const LOOPBACK = "a socket of gVisor's own network stack, which has the loopback interface alone";
const SHARED = "memory and queues of gVisor's own kernel, counted within the container's limits";
const TMP = "a name in the container's own /tmp, which is mounted nodev, nosuid and noexec";
const NAMESPACE = "a namespace of gVisor's own kernel, which holds nothing but this container";
const OWN_STATE = "a value that gVisor keeps for itself and the host's kernel never sees";

/** gVisor answers system calls in a kernel of its own: most that our profile refuses exist there and lead nowhere. */
const GVISOR: [string, string][] = [
  ['fork', PROCESS],
  ['clone', PROCESS],
  ['start-process', PROCESS],
  ['clone-user-namespace', NAMESPACE],
  ['unshare-mount', NAMESPACE],
  ['unshare-cgroup', NAMESPACE],
  ['unshare-time', NAMESPACE],
  ['unshare-user', NAMESPACE],
  ['ptrace-traceme', 'tracing among processes of the container alone'],
  ['kill-everybody', 'a signal to processes of the container alone'],
  ['io_uring_setup', "gVisor's own ring, carried out in its kernel: none is opened on the host"],
  ['syslog-read', "gVisor's own made-up log"],
  ['setpriority', OWN_STATE],
  ['sched_setaffinity', OWN_STATE],
  ['less-oom-score', OWN_STATE],
  ['prctl-read-filter', "gVisor's filter of the container's own process: it has none there"],
  ['mknod-disk', TMP],
  ['mknod-memory', TMP],
  ['mknod-fifo', TMP],
  ['symlink', TMP],
  ['chmod-setuid', TMP],
  ['setuid-file', TMP],
  ['shmget', SHARED],
  ['semget', SHARED],
  ['msgget', SHARED],
  ['mq_open', SHARED],
  ['memfd_create', SHARED],
  ['socket-unix', LOOPBACK],
  ['socket-tcp', LOOPBACK],
  ['socket-udp', LOOPBACK],
  ['socket-tcp6', LOOPBACK],
  ['socket-netlink', LOOPBACK],
  ['socketpair', LOOPBACK],
  ['listen', LOOPBACK],
  [
    'foreign-devices',
    "devices of gVisor's own kernel (fuse, net/tun), without the capabilities that they ask for",
  ],
];

const INSIDE: Record<SyscallFilter, ReadonlyMap<string, string>> = {
  ours: new Map(),
  runtime: new Map(GVISOR),
  // An engine with a profile of its own shares the host's kernel: what it lets through is shown as it is.
  engine: new Map(),
};
