/** What can be wrong with the text of a YAML or JSON file, and the limits of reading it. */
import type { Severity } from '../../../shared/src/surface/surface.ts';
import type { TreeNode } from './tree.ts';

/** Deepest nesting that is read. The deepest real document measured has 40. */
export const MAX_DEPTH = 200;

/** Something wrong with the text itself, at offsets of it. */
export interface TreeProblem {
  code: string;
  severity: Severity;
  message: string;
  start: number;
  end: number;
}

export interface ParsedTree {
  /** `null`: nothing in it. */
  root: TreeNode | null;
  problems: TreeProblem[];
}

export const TOO_DEEP = {
  code: 'document-syntax',
  severity: 'error',
  message: `The document nests deeper than ${MAX_DEPTH} levels; what is deeper is not read.`,
} as const;

/** The second of two equal keys; the first one counts. */
export function duplicateKey(key: string, start: number, end: number): TreeProblem {
  return {
    code: 'document-duplicate-key',
    severity: 'error',
    message: `The key "${key}" stands here a second time; the first one is used. Remove one of them.`,
    start,
    end,
  };
}
