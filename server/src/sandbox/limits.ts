/** What a container of ours may have. One value, so that creation, preflight and evidence speak of the same. */
export interface SandboxLimits {
  memoryBytes: number;
  pids: number;
  /** CPUs, as a share of time. */
  cpus: number;
  /** Size of /tmp. */
  tmpBytes: number;
  openFiles: number;
  /** CPU time of a process: what is left of a runner that died does not work for ever. No run takes as much. */
  cpuSeconds: number;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 256 * 1024 * 1024,
  pids: 64,
  cpus: 1,
  tmpBytes: 16 * 1024 * 1024,
  openFiles: 1024,
  cpuSeconds: 600,
};
