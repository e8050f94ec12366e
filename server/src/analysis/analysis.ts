/** The semantic core as its callers see it. Implemented over one TypeScript language service per project. */
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { AdapterFacts, SignatureFact, Subject, Suggestion } from './facts.ts';
import type { FlowFacts } from './flow/flowFacts.ts';

export interface AnalysisInput {
  surface: Surface;
  contract: Contract;
}

/**
 * Files are named by their path relative to the project folder, with `/`. Every question is answered for the text that
 * was set last; a file that was never set throws a RangeError.
 */
export interface Analysis {
  /** A new snapshot of document, grant or contract. Cheap where the typings do not change. */
  configure(input: AnalysisInput): void;
  setFile(file: string, text: string): void;
  removeFile(file: string): void;
  /** Cached until the text or the configuration changes. */
  facts(file: string): AdapterFacts;
  /** What happens when client calls fail; cached like `facts`. */
  flow(file: string): FlowFacts;
  /** Ours alone: members of the client, of bodies and options, literal values, contract members. */
  complete(file: string, offset: number): Suggestion[];
  subject(file: string, offset: number): Subject | null;
  signature(file: string, offset: number): SignatureFact | null;
  dispose(): void;
}
