/** Scripts of ours that a probe container runs with `node -e`, and what they print: one line of JSON. */

/** What a container says of itself. Texts are empty and numbers null where the kernel it sees does not show them. */
export interface ProbeReport {
  node: string;
  release: string;
  commandLine: string;
  uid: number;
  gid: number;
  /** Effective and bounding capabilities, hex. */
  capEffective: string;
  capBounding: string;
  /** `1` where set; empty where not shown. */
  noNewPrivileges: string;
  /** `2`: a filter is on. */
  seccomp: string;
  interfaces: string[];
  /** Folders outside /proc and /sys in which a file could be made. */
  writable: string[];
  memoryBytes: number | null;
  /** Memory and swap together. */
  memorySwapBytes: number | null;
  pids: number | null;
  cpus: number | null;
  /** Bytes that fitted into /tmp. */
  tmpBytes: number;
  openFiles: string;
  /** Seconds of CPU time that a process may use. */
  cpuSeconds: string;
}

export const FACTS_SCRIPT = String.raw`
const fs = require('fs'), os = require('os');
const read = (...files) => {
  for (const file of files) try { return fs.readFileSync(file, 'utf8').trim(); } catch {}
  return '';
};
const status = new Map(read('/proc/self/status').split('\n').map((line) => line.split(/:\s*/, 2)));
const field = (name) => status.get(name) ?? '';
const number = (text) => (/^\d+$/.test(text) ? Number(text) : null);
const limit = (name) => read('/proc/self/limits').split('\n').find((line) => line.startsWith(name))?.split(/\s{2,}/)[1] ?? '';
const cg = '/sys/fs/cgroup/';
const v2 = fs.existsSync(cg + 'cgroup.controllers');
const quota = v2 ? read(cg + 'cpu.max').split(' ')
  : [read(cg + 'cpu/cpu.cfs_quota_us', cg + 'cpu,cpuacct/cpu.cfs_quota_us'), read(cg + 'cpu/cpu.cfs_period_us', cg + 'cpu,cpuacct/cpu.cfs_period_us')];
const memory = number(v2 ? read(cg + 'memory.max') : read(cg + 'memory/memory.limit_in_bytes'));
const swap2 = number(read(cg + 'memory.swap.max'));
const writable = [];
const look = (folder, depth) => {
  const file = folder + '/.loadline-probe';
  try { fs.closeSync(fs.openSync(file, 'wx')); fs.unlinkSync(file); writable.push(folder || '/'); } catch {}
  let entries = [];
  try { entries = fs.readdirSync(folder || '/', { withFileTypes: true }); } catch {}
  for (const entry of entries) {
    const path = folder + '/' + entry.name;
    if (entry.isDirectory() && depth < 12 && !/^\/(proc|sys)$/.test(path)) look(path, depth + 1);
  }
};
look('', 0);
let tmpBytes = 0;
try { for (const block = Buffer.alloc(1 << 20), fd = fs.openSync('/tmp/fill', 'wx'); tmpBytes < 1 << 30; ) tmpBytes += fs.writeSync(fd, block); } catch {}
console.log(JSON.stringify({
  node: process.version,
  release: os.release(),
  commandLine: read('/proc/cmdline'),
  uid: process.getuid(),
  gid: process.getgid(),
  capEffective: field('CapEff'),
  capBounding: field('CapBnd'),
  noNewPrivileges: field('NoNewPrivs'),
  seccomp: field('Seccomp'),
  interfaces: read('/proc/net/dev').split('\n').slice(2).map((line) => line.split(':')[0].trim()),
  writable,
  memoryBytes: memory,
  memorySwapBytes: v2 ? (memory === null || swap2 === null ? null : memory + swap2) : number(read(cg + 'memory/memory.memsw.limit_in_bytes')),
  pids: number(v2 ? read(cg + 'pids.max') : read(cg + 'pids/pids.max')),
  cpus: number(quota[0] ?? '') === null ? null : Number(quota[0]) / Number(quota[1]),
  tmpBytes,
  openFiles: limit('Max open files'),
  cpuSeconds: limit('Max cpu time'),
}));
`;

/** Printed by the scripts below when nothing stopped them. */
export const SURVIVED = 'survived';

/** Touches more memory than \`bytes\`. */
export function memoryScript(bytes: number): string {
  const step = 8 * 1024 * 1024;
  return `const held = []; for (let n = 0; n < ${Math.ceil((bytes * 1.5) / step)}; n++) held.push(Buffer.alloc(${step}, 1)); console.log('${SURVIVED}', held.length);`;
}

/**
 * Starts threads past the limit and, where threads are not counted (gVisor), processes. Running out shows as a refusal
 * (EAGAIN) or as the death of the container.
 */
export function pidsScript(pids: number): string {
  return `
const { spawn } = require('child_process');
process.env.UV_THREADPOOL_SIZE = '${pids + 16}';
require('fs').stat('/', () => {
  let started = 0;
  const next = () => {
    if (started > ${pids}) { console.log('${SURVIVED}', started); process.exit(); }
    const child = spawn(process.execPath, ['--v8-pool-size=1', '-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    child.on('error', (error) => { console.log(error.code); process.exit(); });
    child.on('spawn', () => { started++; next(); });
  };
  next();
});
`;
}
