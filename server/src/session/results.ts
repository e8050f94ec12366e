/**
 * What is known of the runs of adapters: their verdict files, verified, and drafts of this session. One model for each
 * adapter, read when it changed; whoever asks gets what is known now.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { ScenarioItem } from '../../../shared/src/protocol.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import type { JudgedText, KnownScenario, LineComparison, ResultsView } from '../language/feature.ts';
import { ConfinedFiles, sha256 } from '../workspace/files.ts';
import { Drafts, type JudgedBy } from './drafts.ts';
import { KeptFaults } from './keptFaults.ts';
import { type LedgerOf, ledgerUri } from './ledgerAddress.ts';
import type { OpenProject } from './openProject.ts';
import { type RunInputs, type SignedRun, signedRuns, stampOf, verdictFileOf } from './verdictLines.ts';

export { verdictFileOf } from './verdictLines.ts';

interface Model {
  /** Of the file that was read; empty: there is none. null: it has to be read again. */
  stamp: string | null;
  signed: Map<string, SignedRun>;
  /** What did not run and has no older result. */
  notRun: Map<string, RunResult>;
  /** What signed runs of this session said beside their evidence. */
  told: Map<string, RunResult>;
  running: Set<string>;
}

export interface ResultsParts {
  /** Told of an adapter of which something else is known now. */
  changed(adapter: string): void;
  /** Those of the key ids whose verdicts count. */
  trusted(kids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Texts that were judged, kept to find places again after an edit. */
const TEXTS = 64;

interface Now {
  sha256: string;
  inputs: RunInputs;
}

export class Results implements ResultsView {
  readonly #project: OpenProject;
  readonly #parts: ResultsParts;
  readonly #models = new Map<string, Model>();
  readonly #drafts = new Drafts();
  readonly #kept: KeptFaults;
  readonly #texts = new Map<string, string>();
  readonly #digests = new Map<string, { text: string; stamp: string; sha256: string }>();

  constructor(project: OpenProject, parts: ResultsParts) {
    this.#project = project;
    this.#parts = parts;
    this.#kept = new KeptFaults(project.folder);
  }

  scenarios(adapter: string): readonly KnownScenario[] {
    const { contract } = this.#project;
    if (contract === null) return [];
    if (!this.#models.has(adapter)) void this.refresh(adapter);
    const now = { sha256: this.digestOf(adapter), inputs: this.inputs() };
    const known = contract.scenarios.map(({ id, title, aimsAt }) => ({
      id,
      title,
      aimsAt,
      ...this.#known(adapter, id, now),
    }));
    if (known.some(({ judged }) => judged?.sha256 === now.sha256)) this.#noteText(adapter, now.sha256);
    return known;
  }

  found(adapter: string): readonly KnownScenario[] {
    const now = { sha256: this.digestOf(adapter), inputs: this.inputs() };
    return this.#kept.faults(adapter).map((fault) => ({
      id: fault,
      title: oneLine(fault, SUMMARY_LENGTH),
      aimsAt: '',
      isFound: true,
      ...this.#known(adapter, fault, now),
    }));
  }

  comparison(verdictFile: string): LineComparison {
    const adapter = this.#project.adapters().find((each) => verdictFileOf(each) === verdictFile);
    return {
      ...this.inputs(),
      adapterUri: adapter === undefined ? null : this.#project.uriOf(adapter),
      adapter: adapter === undefined ? '' : this.digestOf(adapter),
      trusted: (kids) => this.#parts.trusted(kids),
    };
  }

  /** The run that an address of a ledger names, or undefined where it was replaced. */
  byAddress({ run }: LedgerOf, adapter: string): RunResult | undefined {
    if ('draft' in run) {
      const draft = this.#drafts.get(adapter, run.scenario);
      return draft?.id === run.draft ? draft.result : undefined;
    }
    const signed = [...this.#model(adapter).signed.values()];
    return signed.find(({ line, result }) => line === run.line && result.credential === run.id)?.result;
  }

  /** Reads the verdict file again where it is another one. */
  async refresh(adapter: string): Promise<void> {
    const model = this.#model(adapter);
    const file = this.#verdictFile(adapter);
    const stamp = stampOf(file);
    if (stamp === model.stamp) return;
    model.stamp = stamp;
    const trusted = (kids: readonly string[]) => this.#parts.trusted(kids);
    const signed =
      stamp === '' ? new Map<string, SignedRun>() : await signedRuns(this.#project.folder, file, trusted);
    // Another reading may have begun meanwhile: the newest counts.
    if (model.stamp !== stamp) return;
    model.signed = signed;
    this.#parts.changed(adapter);
  }

  /** Reads every file again, for what is trusted is another thing now. */
  async refreshAll(): Promise<void> {
    for (const [adapter, model] of [...this.#models]) {
      model.stamp = null;
      await this.refresh(adapter);
    }
  }

  noteRunning(adapter: string, scenarios: readonly string[]): void {
    for (const id of scenarios) this.#model(adapter).running.add(id);
    this.#parts.changed(adapter);
  }

  /** A scenario is over. What was not signed (yet) counts as a draft until the file says more. */
  noteResult(adapter: string, result: RunResult, judged: JudgedBy): void {
    const { running, notRun } = this.#model(adapter);
    running.delete(result.scenario);
    notRun.delete(result.scenario);
    if (result.verdict === 'not_run') notRun.set(result.scenario, result);
    else this.#drafts.set(adapter, result, judged);
    this.#parts.changed(adapter);
  }

  /** Signed: the file speaks for these now. */
  async noteSigned(adapter: string, scenarios: readonly string[]): Promise<void> {
    const model = this.#model(adapter);
    for (const id of scenarios) {
      const draft = this.#drafts.get(adapter, id);
      if (draft) model.told.set(id, withoutEvidence(draft.result));
      this.#drafts.delete(adapter, id);
    }
    model.stamp = null;
    await this.refresh(adapter);
  }

  /** A run is over, whatever became of it. */
  noteEnded(adapter: string): void {
    this.#model(adapter).running.clear();
    this.#parts.changed(adapter);
  }

  /** Results follow an adapter that is renamed within the folder; those of a deleted one go (`to` null). */
  move(from: string, to: string | null): void {
    const model = this.#models.get(from);
    this.#models.delete(from);
    this.#digests.delete(from);
    this.#drafts.move(from, to);
    if (model && to !== null) this.#models.set(to, { ...model, stamp: null });
    this.#parts.changed(from);
    if (to !== null) this.#parts.changed(to);
  }

  /** SHA-256 of the adapter as it is now, in the editor or on disk; empty: there is none. */
  digestOf(adapter: string): string {
    const text = this.#project.textOf(adapter)?.getText();
    if (text === undefined) return '';
    const stamp = changeOf(join(this.#project.folder, adapter));
    const known = this.#digests.get(adapter);
    if (known?.text === text && known.stamp === stamp) return known.sha256;
    const digest = this.#savedDigest(adapter, text) ?? sha256(text);
    this.#digests.set(adapter, { text, stamp, sha256: digest });
    return digest;
  }

  /** Digests of grant, document and loadline.json as they are now. */
  inputs(): RunInputs {
    const { document, grant, config } = this.#project.project.digests;
    return { document, grant, config };
  }

  /** A text that is about to be judged. */
  keepText(digest: string, text: string): void {
    this.#texts.delete(digest);
    this.#texts.set(digest, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS && oldest !== undefined) this.#texts.delete(oldest);
  }

  #known(adapter: string, id: string, now: Now): Omit<KnownScenario, 'id' | 'title' | 'aimsAt'> {
    const model = this.#models.get(adapter);
    const running = model?.running.has(id) ?? false;
    const draft = this.#drafts.get(adapter, id);
    if (draft) {
      return {
        ...shown(draft.result, running),
        stale: draft.sha256 !== now.sha256 || !sameInputs(draft.inputs, now.inputs),
        signed: false,
        judged: this.#judged(draft.sha256),
        ledger: this.#ledger(adapter, { draft: draft.id, scenario: id }),
      };
    }
    const signed = model?.signed.get(id);
    if (signed) return this.#signed(adapter, signed, now, running);
    const failed = model?.notRun.get(id);
    const state = running ? 'running' : failed ? 'not_run' : 'none';
    return { state, stale: false, signed: false, ...(failed ? { result: failed } : {}) };
  }

  #signed(
    adapter: string,
    { statement, line, result }: SignedRun,
    now: Now,
    running: boolean,
  ): Omit<KnownScenario, 'id' | 'title' | 'aimsAt'> {
    const { inputs, run } = statement.predicate;
    const digest = statement.subject[0].digest.sha256;
    const told = this.#models.get(adapter)?.told.get(inputs.scenario);
    // Advice and log are signed nowhere: they are shown as long as this session remembers the run.
    const { advice, log } = told?.credential === run.jti ? told : result;
    const sameRules = contractById(this.#project.contract?.id ?? '')?.version === inputs.contract;
    return {
      ...shown({ ...result, advice, log }, running),
      stale: digest !== now.sha256 || !sameInputs(inputs, now.inputs) || !sameRules,
      signed: true,
      judged: this.#judged(digest),
      ledger: this.#ledger(adapter, { line, id: run.jti }),
    };
  }

  #judged(digest: string): JudgedText {
    return { sha256: digest, text: this.#texts.get(digest) ?? null };
  }

  #noteText(adapter: string, digest: string): void {
    const text = this.#project.textOf(adapter)?.getText();
    if (text !== undefined && !this.#texts.has(digest)) this.keepText(digest, text);
  }

  /** Of the bytes on disk, a byte order mark among them, where the editor holds the same text. */
  #savedDigest(adapter: string, text: string): string | null {
    try {
      const { source, sha256: digest } = new ConfinedFiles(this.#project.folder).readFile(adapter);
      return source.text === text ? digest : null;
    } catch {
      return null;
    }
  }

  #ledger(adapter: string, run: LedgerOf['run']): string {
    return ledgerUri({ verdictFile: this.#verdictFile(adapter), run });
  }

  #verdictFile(adapter: string): string {
    return verdictFileOf(join(this.#project.folder, adapter));
  }

  #model(adapter: string): Model {
    const known = this.#models.get(adapter);
    if (known) return known;
    const made: Model = {
      stamp: null,
      signed: new Map(),
      notRun: new Map(),
      told: new Map(),
      running: new Set(),
    };
    this.#models.set(adapter, made);
    return made;
  }
}

function shown(result: RunResult, running: boolean): { state: ScenarioItem['state']; result: RunResult } {
  return { state: running ? 'running' : result.verdict, result };
}

function withoutEvidence({ evidence: _, ...result }: RunResult): RunResult {
  return result;
}

function sameInputs(a: RunInputs, b: RunInputs): boolean {
  return a.document === b.document && a.grant === b.grant && a.config === b.config;
}

/** Changes when a file on disk does. */
function changeOf(path: string): string {
  try {
    const { mtimeMs, ctimeMs, size } = lstatSync(path);
    return `${mtimeMs} ${ctimeMs} ${size}`;
  } catch {
    return '';
  }
}
