/**
 * What is known of the runs of adapters: their verdict files, verified, and drafts of this session. One model for each
 * adapter, read when it changed; whoever asks gets what is known now.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import { FILE_BYTES, type VerifyResult, verifyText } from '../../../shared/src/evidence/verify.ts';
import { LEDGER_SCHEME, type ScenarioItem } from '../../../shared/src/protocol.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import type { KnownScenario, ResultsView } from '../language/feature.ts';
import type { OpenProject } from './openProject.ts';
import { type RunInputs, resultOf, statementsOf } from './verdictLines.ts';

/** Drafts kept of one adapter: the newest of each scenario. */
interface Kept {
  result: RunResult;
  sha256: string;
  inputs: RunInputs;
}

interface Model {
  /** mtime and size of the file that was read; empty: there is none. */
  stamp: string;
  verified: VerifyResult | null;
  signed: Map<string, { statement: VerdictStatement; line: number; result: RunResult }>;
  drafts: Map<string, Kept>;
  running: Set<string>;
}

export class Results implements ResultsView {
  readonly #project: OpenProject;
  readonly #models = new Map<string, Model>();
  readonly #changed: (adapter: string) => void;
  readonly #digests = new Map<string, { text: string; sha256: string }>();

  /** `changed` is told of an adapter whose model is another now. */
  constructor(project: OpenProject, changed: (adapter: string) => void) {
    this.#project = project;
    this.#changed = changed;
  }

  scenarios(adapter: string): readonly KnownScenario[] {
    const { contract } = this.#project;
    if (contract === null) return [];
    const model = this.#models.get(adapter);
    if (model === undefined) void this.refresh(adapter);
    return contract.scenarios.map(({ id, title, aimsAt }) => ({
      id,
      title,
      aimsAt,
      ...this.#known(adapter, model, id),
    }));
  }

  /** What `verify` said of the adapter's file; null: there is none. */
  verified(adapter: string): VerifyResult | null {
    return this.#models.get(adapter)?.verified ?? null;
  }

  /** Reads the verdict file again where it is another one. */
  async refresh(adapter: string): Promise<void> {
    const model = this.#model(adapter);
    const file = verdictFileOf(join(this.#project.folder, adapter));
    const stamp = stampOf(file);
    if (stamp === model.stamp) return;
    model.stamp = stamp;
    const { verified, signed } =
      stamp === '' ? { verified: null, signed: new Map() } : await readVerdicts(file);
    // Another reading may have begun meanwhile: the newest counts.
    if (model.stamp !== stamp) return;
    model.verified = verified;
    model.signed = signed;
    this.#changed(adapter);
  }

  noteRunning(adapter: string, scenarios: readonly string[]): void {
    for (const id of scenarios) this.#model(adapter).running.add(id);
    this.#changed(adapter);
  }

  /** A run has ended. What was not signed (yet) counts as a draft until the file says more. */
  noteResult(adapter: string, result: RunResult, sha256: string): void {
    const model = this.#model(adapter);
    model.running.delete(result.scenario);
    if (result.verdict !== 'not_run')
      model.drafts.set(result.scenario, { result, sha256, inputs: this.#inputs() });
    this.#changed(adapter);
  }

  /** Signed: the file speaks for these now. */
  async noteSigned(adapter: string, scenarios: readonly string[]): Promise<void> {
    const model = this.#model(adapter);
    for (const id of scenarios) model.drafts.delete(id);
    model.stamp = 'unknown';
    await this.refresh(adapter);
  }

  noteEnded(adapter: string): void {
    this.#model(adapter).running.clear();
    this.#changed(adapter);
  }

  /** Results follow an adapter that is renamed within the folder; those of a deleted one go. */
  move(from: string, to: string | null): void {
    const model = this.#models.get(from);
    this.#models.delete(from);
    if (model && to !== null) this.#models.set(to, { ...model, stamp: 'unknown' });
  }

  /** SHA-256 of the adapter as it is now, in the editor or on disk; empty: there is none. */
  digestOf(adapter: string): string {
    const text = this.#project.textOf(adapter)?.getText();
    if (text === undefined) return '';
    const known = this.#digests.get(adapter);
    if (known?.text === text) return known.sha256;
    const sha256 = createHash('sha256').update(text, 'utf8').digest('hex');
    this.#digests.set(adapter, { text, sha256 });
    return sha256;
  }

  #known(
    adapter: string,
    model: Model | undefined,
    id: string,
  ): Omit<KnownScenario, 'id' | 'title' | 'aimsAt'> {
    const running = model?.running.has(id) ?? false;
    const draft = model?.drafts.get(id);
    const signed = model?.signed.get(id);
    if (draft) {
      const stale = draft.sha256 !== this.digestOf(adapter) || !sameInputs(draft.inputs, this.#inputs());
      return {
        ...shown(draft.result, running),
        stale,
        signed: false,
        ledger: this.#ledger(adapter, `draft=${id}`),
      };
    }
    if (signed === undefined) return { state: running ? 'running' : 'none', stale: false, signed: false };
    const { statement, line, result } = signed;
    const { document, grant, config } = statement.predicate.inputs;
    const stale =
      statement.subject[0].digest.sha256 !== this.digestOf(adapter) ||
      !sameInputs({ document, grant, config }, this.#inputs());
    return { ...shown(result, running), stale, signed: true, ledger: this.#ledger(adapter, `line=${line}`) };
  }

  #ledger(adapter: string, query: string): string {
    return `${LEDGER_SCHEME}:${encodeURI(verdictFileOf(join(this.#project.folder, adapter)))}?${query}`;
  }

  #inputs(): RunInputs {
    const { document, grant, config } = this.#project.project.digests;
    return { document, grant, config };
  }

  #model(adapter: string): Model {
    const known = this.#models.get(adapter);
    if (known) return known;
    const made: Model = {
      stamp: '',
      verified: null,
      signed: new Map(),
      drafts: new Map(),
      running: new Set(),
    };
    this.#models.set(adapter, made);
    return made;
  }
}

function shown(result: RunResult, running: boolean): { state: ScenarioItem['state']; result: RunResult } {
  return { state: running ? 'running' : result.verdict, result };
}

function sameInputs(a: RunInputs, b: RunInputs): boolean {
  return a.document === b.document && a.grant === b.grant && a.config === b.config;
}

/** `adapter.js` -> `adapter.verdicts.jsonl`, beside it. */
export function verdictFileOf(adapter: string): string {
  return `${adapter.replace(/\.[^./\\]+$/, '')}.verdicts.jsonl`;
}

function stampOf(file: string): string {
  try {
    // A link may lead out of the folder; a signer writes none.
    const found = lstatSync(file);
    return found.isFile() && found.size <= FILE_BYTES ? `${found.mtimeMs} ${found.size}` : '';
  } catch {
    return '';
  }
}

/** Lines that verify; a line that does not is no verdict. */
async function readVerdicts(file: string): Promise<Pick<Model, 'verified' | 'signed'>> {
  const signed: Model['signed'] = new Map();
  try {
    const text = readFileSync(file, 'utf8');
    const verified = await verifyText(text, { partial: true });
    const bad = new Set(verified.failures.map(({ line }) => line));
    if (bad.has(0)) return { verified, signed };
    for (const { statement, line } of statementsOf(text, bad))
      signed.set(statement.predicate.inputs.scenario, { statement, line, result: resultOf(statement) });
    return { verified, signed };
  } catch {
    return { verified: null, signed };
  }
}
