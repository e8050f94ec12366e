/** Messages between the ruleset process and those that start it. JSON-RPC on its stdio. */
import type { SourceRange } from '../../../shared/src/surface/surface.ts';

export interface CheckParams {
  /** Name of the root document among `files`. */
  root: string;
  /** Text of every file of the document, by its path relative to the project folder. Nothing else is read. */
  files: Record<string, string>;
  /** Problems that are shown; finding a place costs some ms each in a big file. */
  most: number;
}

export interface RuleProblem {
  /** Id of the rule, e.g. `struct`. */
  rule: string;
  severity: 'error' | 'warn';
  message: string;
  range: SourceRange;
}

export interface CheckAnswer {
  problems: RuleProblem[];
  /** Problems that were found, shown or not. */
  found: number;
  /** Its parser does not take the text: nothing was checked. A sentence of the library's. */
  refused?: string;
}

export const CHECK = 'check';
