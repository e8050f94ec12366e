/**
 * What happens when a client call fails: each export is walked with one operation failing at a time, under each shape
 * of failure that leaves an order in doubt, and the rules read the paths. A rule speaks only of what it is sure of.
 */
import type { Contract } from '../../../../shared/src/contracts/contract.ts';
import { methods } from '../../../../shared/src/surface/operationShape.ts';
import type { Surface } from '../../../../shared/src/surface/surface.ts';
import type { AnalysedAdapter } from '../adapter.ts';
import type { AnalysedFile } from '../analysedFile.ts';
import type { TextSpan } from '../facts.ts';
import { explore } from './explore.ts';
import type { FlowFacts, FlowFinding } from './flowFacts.ts';
import { operationFacts } from './operations.ts';
import { refusalFromDoubt } from './rules/refusalFromDoubt.ts';
import { retryWithoutIdentity } from './rules/retryWithoutIdentity.ts';
import type { Rule, Said } from './rules/rule.ts';
import { swallowedError } from './rules/swallowedError.ts';
import { unboundedPoll } from './rules/unboundedPoll.ts';
import { isAlike, SAMPLES, type Sample } from './world.ts';

const RULES: readonly Rule[] = [retryWithoutIdentity, refusalFromDoubt, unboundedPoll, swallowedError];

/** Steps for all walks of one file. */
const STEPS = 250_000;
/** Reads that a walked poll is allowed. Two tell a bound from a single read. */
const READS = 2;

type Exported = Contract['exports'][number];

export function flowFactsOf(file: AnalysedAdapter): FlowFacts {
  const { surface, contract } = file.context;
  const flow = new Flow(file, surface, contract);
  for (const exported of contract.exports) {
    if (file.exports.some(({ name }) => name === exported.name)) flow.walk(exported);
  }
  return flow.facts();
}

class Flow {
  readonly #budget = { steps: STEPS };
  readonly #operations;
  readonly #findings = new Map<string, FlowFinding>();
  readonly #unfinished = new Set<string>();

  constructor(
    readonly file: AnalysedFile,
    readonly surface: Surface,
    readonly contract: Contract,
  ) {
    this.#operations = operationFacts(surface);
  }

  /** All operations that the export reaches fail in turn; some are reached only after another's failure. */
  walk(exported: Exported): void {
    const reached = new Set<string>();
    this.#ask(exported, null, reached);
    for (const operation of reached) this.#ask(exported, operation, reached);
  }

  facts(): FlowFacts {
    const unfinished = this.file.clientUses.flatMap(({ kind, name, node }) => {
      const span =
        kind === 'call' && name !== null && this.#unfinished.has(name) ? this.file.toReal(node) : null;
      return span === null ? [] : [span];
    });
    const findings = [...this.#findings.values()].sort((a, b) => a.span.start - b.span.start);
    return { findings, unfinished };
  }

  #ask(exported: Exported, failing: string | null, reached: Set<string>): void {
    const { statics } = this.contract;
    const parameters = parameterNames(exported);
    const isPoll = statics.poll?.export === exported.name;
    const bound = isPoll ? READS : null;
    const walkedBefore: Sample[] = [];
    const read = new Set<string>();
    for (const sample of failing === null ? SAMPLES.slice(0, 1) : SAMPLES) {
      if (walkedBefore.some((before) => isAlike(before, sample, read))) continue;
      walkedBefore.push(sample);
      const traces = explore({
        sourceFile: this.file.sourceFile,
        client: this.surface.client,
        operations: methods(this.surface).map(({ name }) => name),
        export: exported.name,
        parameters,
        bound: statics.poll !== null && isPoll ? { property: statics.poll.bound, value: READS } : null,
        failing,
        sample,
        budget: this.#budget,
        read,
      });
      if (this.#budget.steps <= 0 && failing !== null) this.#unfinished.add(failing);
      for (const { calls } of traces) for (const { operation } of calls) reached.add(operation);
      for (const trace of traces) {
        const walked = {
          export: exported.name,
          statics,
          operations: this.#operations,
          reached,
          failing: failing === null ? null : (this.#operations.get(failing) ?? null),
          sample: sample.text,
          trace,
          bound,
          subject: parameters[0] ?? '',
        };
        for (const rule of RULES) this.#add(rule(walked));
      }
    }
  }

  #add(said: Said | null): void {
    const span = said === null ? null : this.file.toReal(said.node);
    if (said === null || span === null) return;
    const key = `${said.rule} ${span.start} ${span.end}`;
    if (this.#findings.has(key)) return;
    const related = said.related.flatMap(({ message, node }) => {
      const place = this.#place(node);
      return place === null ? [] : [{ message, span: place }];
    });
    const { rule, operation, reason } = said;
    this.#findings.set(key, { rule, operation, span, reason, related });
  }

  #place(node: Said['node']): TextSpan | null {
    return this.file.toReal(node);
  }
}

/** Names of the parameters in a signature of the contract. */
function parameterNames({ signature }: Exported): string[] {
  const inside = /^\(([^)]*)\)/.exec(signature.trim())?.[1] ?? '';
  return inside.split(',').flatMap((part) => /^\s*(\w+)/.exec(part)?.[1] ?? []);
}
