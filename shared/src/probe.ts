/** The boundary probe: what it is asked, what its container is told to try, and what it yields. */
import type { Json } from './json.ts';
import type { EngineFacts, NotRunReason, Tier } from './results.ts';
import type { SandboxOptions } from './runnerProtocol.ts';
import type { Surface } from './surface/surface.ts';

/** In the order in which they are shown. */
export const PROBE_RULES = [
  { id: 'refused_by_the_client', title: 'the client calls nothing that is not granted' },
  {
    id: 'refused_by_the_broker',
    title: 'the broker refuses every forged message and every route not granted',
  },
  { id: 'no_network', title: 'nothing can be reached but the broker' },
  { id: 'no_credential', title: 'no credential and no secret of the host can be found' },
  { id: 'no_host', title: 'nothing of the host can be read, changed or used up' },
  { id: 'the_vendor_saw_nothing', title: "the vendor's ledger and its sockets saw none of it" },
] as const;

export type ProbeRuleId = (typeof PROBE_RULES)[number]['id'];

/** `ours`: our profile is on. `runtime`: the runtime's own kernel filters. `engine`: the engine takes no profile of ours. */
export type SyscallFilter = 'ours' | 'runtime' | 'engine';

/** `inside`: it succeeded, within what the container has of its own and without leaving it. */
export type ProbeOutcome = 'refused' | 'inside' | 'survived';

export interface ProbeAttempt {
  rule: ProbeRuleId;
  /** Unique within its rule. */
  id: string;
  outcome: ProbeOutcome;
  /** What was seen: foreign text. Signed as a digest. */
  text: string;
}

/** What a probe leaves behind, from which alone its rules are judged. */
export interface ProbeEvidence {
  filter: SyscallFilter;
  attempts: ProbeAttempt[];
  /** What was not tried, and why: foreign text. Signed as digests. */
  notTried: { rule: ProbeRuleId; why: string }[];
}

export interface ProbeRuleOutcome {
  id: ProbeRuleId;
  /** Everything on the rule's list was tried and nothing got through. */
  held: boolean;
  /** One sentence of ours. */
  text: string;
  attempts: number;
  refused: number;
  inside: number;
  /** Ids of the attempts that got through. */
  survivors: string[];
  /** Ids on the rule's list that were not tried. */
  notTried: string[];
}

export interface ProbeJudgement {
  /** `failed`: something got through. `partial`: nothing did, and not everything was tried. */
  verdict: 'qualified' | 'failed' | 'partial';
  rules: ProbeRuleOutcome[];
}

export interface ProbeRule {
  id: ProbeRuleId;
  /** Everything on the rule's list was tried and nothing got through. */
  held: boolean;
  /** One sentence for people. */
  text: string;
  /** Of this rule; `refused` + `inside` + the number of survivors. */
  attempts: number;
  refused: number;
  /** Succeeded, but only within what the container has of its own; the reasons are in probeExpected.ts. */
  inside: number;
  /** What got through, one sentence each; foreign text, escaped where it is shown. */
  survivors: string[];
  /** What was not tried and may get through, and why; foreign text. Empty where the rule holds. */
  notTried: string[];
  /** What there was nothing to try with here; foreign text. */
  notes: string[];
}

export interface ProbeResult {
  /** Name of the engine's runtime. */
  runtime: string;
  tier: Tier;
  verdict: ProbeJudgement['verdict'];
  rules: ProbeRule[];
}

export interface ProbeParams {
  /** Id of this request, chosen by the caller: cancel and progress name it. */
  run: string;
  surface: Surface;
  sandbox: SandboxOptions;
}

export type ProbeAnswer =
  | {
      ok: true;
      engine: EngineFacts;
      result: ProbeResult;
      evidence: ProbeEvidence;
      /** Of the script that tried from within, and of its helper (null: there was none). */
      digests: { prober: string; helper: string | null };
      /** ISO 8601, UTC. */
      startedAt: string;
      endedAt: string;
    }
  | { ok: false; reason: NotRunReason; message: string };

/** One attempt as the container tells of it: a claim, used only where nothing on the host shows it. */
export interface Tried {
  id: string;
  happened: boolean;
  detail: string;
}

/** Something that looks like a secret, and where it was found. */
export interface Found {
  place: string;
  text: string;
}

export interface LookReport {
  tried: Tried;
  found: Found[];
}

export interface ForgedCall {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: Json;
}

/** Where the probe's own listeners are, and what it planted. None of these is a secret. */
export interface LookTargets {
  /** The host's addresses, loopback among them. */
  addresses: string[];
  tcpPort: number;
  udpPort: number;
  unixPath: string;
  /** Name in the abstract namespace, without the leading zero byte. */
  abstractName: string;
  /** A file on the host that every user may read. */
  markerFile: string;
  /** Size limits of the sandbox. */
  tmpBytes: number;
  openFiles: number;
}

/**
 * What the probe's container is to do; travels where an adapter's text would. Of a list of attempts, each is a step of
 * its own: its report is here before the next begins. A step without an argument asks for the names of a list.
 */
export type ProbeTask =
  | { mode: 'calls' }
  | { mode: 'frame'; name: string }
  | { mode: 'network' | 'host'; targets: LookTargets }
  | { mode: 'secrets' }
  | { mode: 'syscalls' }
  | { mode: 'memory'; bytes: number }
  | { mode: 'processes'; count: number };

/** Path of the helper in the probe's image. */
export const HELPER_NAME = 'probe-helper';
