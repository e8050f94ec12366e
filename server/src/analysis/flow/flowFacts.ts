/** What happens when a client call fails, as plain values that the flow rules read. */
import type { TextSpan } from '../facts.ts';

/** Why something is said, at another place of the file. */
export interface FlowNote {
  message: string;
  span: TextSpan;
}

export interface FlowFinding {
  rule: 'retry-without-identity' | 'refusal-from-doubt' | 'unbounded-poll' | 'swallowed-error';
  /** The operation whose call fails. */
  operation: string;
  span: TextSpan;
  /** The reason in words, without the rule's own sentence: `the key is made anew by Date.now() at each attempt`. */
  reason: string;
  related: FlowNote[];
}

export interface FlowFacts {
  findings: FlowFinding[];
  /** Operation calls whose walk was given up at a limit: nothing is said about them. */
  unfinished: TextSpan[];
}
