/** What a kind of line has to offer: a file of it is then signed, merged, sealed and verified like any other. */
import type { Check } from '../contracts/shape.ts';
import type { CheckpointPredicate, JudgedStatement } from './statement.ts';

export interface LineRules<S extends JudgedStatement = JudgedStatement> {
  /** Form of the statement's predicate. */
  readonly predicate: Check;
  /** What its lines leave open, beside what every signed file does. */
  readonly notEstablished: readonly string[];
  /** The subject is an adapter. */
  readonly aboutAdapter: boolean;
  /** Whether this version knows the rules that the statement names. */
  isKnown(statement: S): boolean;
  /** What a file has one line of: a newer one takes the older one's place. */
  nameOf(statement: S): string;
  /** Below 0: `a` stands before `b` in a file. Of statements whose rules are known. */
  compare(a: S, b: S): number;
  /** What the lines of one file have in common, in canonical form. */
  sharedFacts(statement: S): string;
  /** The verdict that follows from the lines of a file. */
  verdictOf(statements: readonly S[]): CheckpointPredicate['verdict'];
  /** Judges again from the evidence. @throws Refused of kind `version`, `form` or `verdict` */
  requireFollows(statement: S): Promise<void>;
}
