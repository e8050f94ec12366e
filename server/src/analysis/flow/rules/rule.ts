/** What the rules read, and what they say. */
import type ts from 'typescript';
import type { ContractStatics } from '../../../../../shared/src/contracts/contract.ts';
import type { FlowFinding } from '../flowFacts.ts';
import type { OperationFacts } from '../operations.ts';
import type { Trace } from '../world.ts';

/** One path through an export while all calls of one operation fail. */
export interface Walked {
  export: string;
  statics: ContractStatics;
  operations: ReadonlyMap<string, OperationFacts>;
  /** Operations that the export was seen to call on any path. */
  reached: ReadonlySet<string>;
  /** The operation that fails; null: none does. */
  failing: OperationFacts | null;
  /** The failure in words. */
  sample: string;
  trace: Trace;
  /** Status reads that the path was allowed; null: the export does not poll. */
  bound: number | null;
  /** Name of the export's first argument. */
  subject: string;
}

/** A finding with nodes in place of spans. */
export interface Said {
  rule: FlowFinding['rule'];
  operation: string;
  node: ts.Node;
  reason: string;
  related: { message: string; node: ts.Node }[];
}

export type Rule = (walked: Walked) => Said | null;

/** The catch or handler that a failure came to, as related information. */
export function atHandler({ trace }: Walked, message: string): Said['related'] {
  return trace.handler === null ? [] : [{ message, node: trace.handler }];
}
