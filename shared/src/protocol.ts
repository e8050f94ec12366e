/** Every message of ours between an editor and the language server. Types and names alone; LSP's own are not here. */
import type { AdapterVerdict, RunResult } from './results.ts';

/** `initializationOptions`. An editor that sends none is one without a JavaScript service, in a trusted folder. */
export interface InitializationOptions {
  /** Workspace trust. Untrusted: no process, no socket, no file written. Default true (editors without the notion). */
  trusted?: boolean;
  /** Whether the editor's own JavaScript service runs now. Default false. */
  javascriptService?: boolean;
}

/** Notification to the server: what may change while it runs. */
export interface EditorStateParams {
  trusted?: boolean;
  javascriptService?: boolean;
}

export type RunState = 'queued' | 'running' | 'scenario' | 'signing' | 'ended';

/** Notification to the editor: a run goes on. */
export interface RunParams {
  run: string;
  kind: 'qualify' | 'explore' | 'probe' | 'exam';
  state: RunState;
  /** URI of the adapter (of a probe: of loadline.json; of an exam: of the folder with the hand-ins). */
  adapter: string;
  /** A draft runs the text of the buffer and is never signed. */
  draft: boolean;
  /** Scenarios of this run, in the contract's order; of an exploration: what was found before and is tried again. */
  scenarios: string[];
  /** Of `scenario`: the one that started or ended. */
  scenario?: string;
  /** Of `scenario`: absent while it runs. Without its evidence. */
  result?: Omit<RunResult, 'evidence'>;
  /** Of `ended`. */
  verdict?: AdapterVerdict;
  /** Of `ended`: why it could not be done or was not signed, and what to do; a word for the button that helps. */
  problem?: { text: string; help?: 'engine' | 'socket' | 'image' | 'tier' | 'save' | 'key' };
  /** What is being done, for people. */
  text?: string;
}

/** Request: ends a run. Answers when it has been told to; the run's `ended` follows. */
export interface CancelRunParams {
  run: string;
}

/** Notification to the editor: what the server knows of an adapter has changed. */
export interface StatusParams {
  /** URI of the adapter. */
  uri: string;
  verdict: 'qualified' | 'failed' | 'partial' | 'stale' | 'none';
  /** `running`: a run of it is under way. */
  busy: boolean;
  /** Engine, tier and what is wrong with them, where a run has shown it. */
  engine: string | null;
  /** Why no project governs this file, with what to do. */
  problem?: string;
}

/** Request: every adapter of the workspace with what is known of it. Test Explorer and views read this. */
export interface AdapterItem {
  uri: string;
  /** URI of loadline.json's folder. */
  project: string;
  name: string;
  contract: string;
  /** Where `module.exports` stands, 0-based. */
  line: number;
  scenarios: ScenarioItem[];
  /** Schedules that explorations found; no verdict of the adapter depends on them. */
  found: ScenarioItem[];
}

export interface ScenarioItem {
  /** Of a schedule that was found: what was done to the vendor, as it is kept. */
  id: string;
  /** Has passed the gate. */
  title: string;
  aimsAt: string;
  state: 'none' | 'running' | 'qualified' | 'failed' | 'not_run';
  /** The text it was judged on is not the text now. */
  stale: boolean;
  signed: boolean;
  /** Address of its ledger: `LEDGER_SCHEME`, or the verdict file's line. Absent where nothing ran. */
  ledger?: string;
  result?: Omit<RunResult, 'evidence'>;
}

export interface AdaptersAnswer {
  adapters: AdapterItem[];
}

/** Request: one run with its evidence, for the replay and the ledger. */
export interface EvidenceParams {
  uri: string;
  scenario: string;
}

export interface EvidenceAnswer {
  /** null: nothing is known of it. */
  result: RunResult | null;
  /** Digest of the adapter's bytes that ran. */
  sha256: string;
  signed: boolean;
  stale: boolean;
}

/** What is known of a line of a verdict file. `open`: a checkpoint over other lines than those above it. */
export type VerdictLineState = 'valid' | 'stale' | 'forged' | 'damaged' | 'open' | 'untrusted' | 'unknown';

/** Whose key signed: one's own, one that the settings name, or neither. */
export type KeyOwner = 'mine' | 'trusted' | 'unknown';

/** Request: a verdict file as it is on disk, to be read by a person. All texts have passed the gate. */
export interface VerdictFileAnswer {
  /** Base name. */
  name: string;
  /** One sentence on what holds of all of it, in words that say what is wrong where something is. */
  summary: string;
  /** Whether nothing is wrong with its bytes, signatures, order and verdicts. */
  whole: boolean;
  /** URI of the adapter beside it; null: there is none. */
  adapter: string | null;
  /** Keys of lines whose signature is good, in the order that they are met. */
  keys: SigningKeyItem[];
  rows: VerdictRow[];
  /** What nobody may read into the file. */
  notEstablished: string[];
  /** Whether keys may be trusted here: not in an untrusted workspace. */
  mayTrust: boolean;
}

export interface SigningKeyItem {
  /** RFC 7638 thumbprint of the key, whole. */
  kid: string;
  whose: KeyOwner;
  /** Lines that it signed. */
  lines: number;
  /** The public key itself. */
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string };
}

/** A line of a verdict file. */
export interface VerdictRow {
  /** From 1. */
  line: number;
  state: VerdictLineState;
  /** Sign and word of the state. */
  label: string;
  /** What the state means, one sentence. */
  meaning: string;
  /** Why it is refused, by kind, or which files are other ones today. */
  facts: { kind: string; text: string }[];
  /** What the line says; null: it is not one that a signer wrote. */
  says: VerdictLineSays | null;
}

export interface VerdictLineSays {
  /** Scenario of a run; else what the line is. */
  name: string;
  scenario: string | null;
  /** File that it is about, and the digest of its bytes in hex. */
  subject: string;
  sha256: string;
  verdict: string;
  /** Rules that broke. */
  broken: { id: string; text: string }[];
  /** ISO 8601, as stated; null: it states none. */
  endedAt: string | null;
  kid: string;
  whose: KeyOwner;
  /** Further sentences. */
  details: string[];
  notEstablished: string[];
  /** Address of its ledger (`LEDGER_SCHEME`), where the line is a verdict that counts. */
  ledger: string | null;
}

/** Arguments of the commands `loadline.server.*`, one object each. */
export interface QualifyCommandParams {
  uri: string;
  scenarios?: string[];
  /** Runs the buffer's text, unsigned. */
  draft?: boolean;
}

export interface ExploreCommandParams {
  uri: string;
  faults?: 1 | 2;
  /** Seconds. */
  budget?: number;
  /** Schedules tried at most; absent: only time ends it. */
  trials?: number;
  /** Instead of all else: ids of `AdapterItem.found`; empty: all of them. */
  found?: string[];
}

/** What authors handed in is graded under seeds that are drawn then, and signed. */
export interface GradeCommandParams {
  /** Of the folder with the hand-ins. */
  uri: string;
  /** Hand-ins of one author that are graded. */
  handIns?: number;
  seeds?: number;
}

export interface UriParams {
  uri: string;
}

export interface ShowGrantParams {
  /** URI of any file of the project. */
  uri: string;
  /** Name of the operation. */
  operation: string;
}

/** Operations of a document that is no project's yet. */
export interface DocumentOperationsAnswer {
  title: string;
  operations: { name: string; route: string; summary: string; reads: boolean }[];
}

export interface NewAdapterParams {
  /** URI of the vendor document. */
  uri: string;
  /** URI of the folder to make. */
  folder: string;
  /** Names of the operations to grant. */
  granted: string[];
}

export interface NewAdapterAnswer {
  /** URIs of what was written, the adapter first. */
  files: string[];
}

/** Answer of `exportSarif`, `exportKeys` and `describe`: text for a file or the clipboard. */
export interface TextAnswer {
  text: string;
}

/** Answer of a command that runs something. */
export interface RunStarted {
  run: string;
}

export const COMMANDS = {
  qualify: 'loadline.server.qualify',
  qualifyAll: 'loadline.server.qualifyAll',
  explore: 'loadline.server.explore',
  probe: 'loadline.server.probe',
  verify: 'loadline.server.verify',
  describe: 'loadline.server.describe',
  /** UriParams -> TextAnswer: the paper of an exam. */
  examPaper: 'loadline.server.examPaper',
  /** UriParams of an adapter -> RunStarted: the scenario that may be practised, unsigned. */
  examPractice: 'loadline.server.examPractice',
  /** GradeCommandParams -> RunStarted. */
  examGrade: 'loadline.server.examGrade',
  writeTypings: 'loadline.server.writeTypings',
  /** UriParams of an adapter -> TextAnswer: SARIF 2.1.0 of what is known of it. */
  exportSarif: 'loadline.server.exportSarif',
  /** No parameters -> TextAnswer: the public keys as a JWK set. */
  exportKeys: 'loadline.server.exportKeys',
  /** No parameters -> RotateAnswer of the signer. */
  rotateKey: 'loadline.server.rotateKey',
  /** ShowGrantParams -> nothing: the editor shows the line that grants an operation, else where it would stand. */
  showGrant: 'loadline.server.showGrant',
  /** UriParams of a document -> DocumentOperationsAnswer. */
  documentOperations: 'loadline.server.documentOperations',
  /** NewAdapterParams -> NewAdapterAnswer. */
  newAdapter: 'loadline.server.newAdapter',
} as const;

export const MESSAGES = {
  /** Notification to the editor: RunParams. */
  run: 'loadline/run',
  /** Request to the server: CancelRunParams. */
  cancelRun: 'loadline/cancelRun',
  /** Notification to the server: EditorStateParams. */
  editorState: 'loadline/editorState',
  /** Notification to the editor: StatusParams. */
  status: 'loadline/status',
  /** Request to the server, no parameters: AdaptersAnswer. */
  adapters: 'loadline/adapters',
  /** Notification to the editor, no parameters: ask for `adapters` again. */
  adaptersChanged: 'loadline/adaptersChanged',
  /** Request to the server: EvidenceParams -> EvidenceAnswer. */
  evidence: 'loadline/evidence',
  /** Request to the server: UriParams of a verdict file -> VerdictFileAnswer. */
  verdictFile: 'loadline/verdictFile',
  /** Notification to the server, no parameters: the file of trusted keys was changed. */
  keysChanged: 'loadline/keysChanged',
} as const;

/** Commands that a code lens or a quick fix names and that the editor's own side carries out. */
export const CLIENT_COMMANDS = {
  /** One argument: {uri}. A pick list of all scenarios with their states. */
  pickScenario: 'loadline.pickScenario',
  /** One argument: {uri, scenario}. The ledger of that run. */
  openLedger: 'loadline.openLedger',
} as const;

/**
 * Scheme of virtual ledger documents: `loadline-ledger:<path>?line=N&run=ID` of a line of that verdict file, or
 * `?draft=ID&scenario=S`. The path is written as in a `file:` URI.
 */
export const LEDGER_SCHEME = 'loadline-ledger';

/** Scheme of virtual typings: `loadline-typings:<folder>/<client>.d.ts`, client and contract of that project. */
export const TYPINGS_SCHEME = 'loadline-typings';
