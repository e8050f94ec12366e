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
  kind: 'qualify' | 'explore' | 'probe';
  state: RunState;
  /** URI of the adapter (of a probe: of loadline.json). */
  adapter: string;
  /** A draft runs the text of the buffer and is never signed. */
  draft: boolean;
  /** Scenarios of this run, in the contract's order. */
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
}

export interface ScenarioItem {
  id: string;
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
