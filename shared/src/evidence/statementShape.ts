/** Whether a parsed line is one of ours: every member that has to be there, and no other. */
import {
  type Check,
  list,
  literal,
  nullable,
  oneOf,
  optional,
  requireShape,
  text,
  Unjudgeable,
  whole,
} from '../contracts/shape.ts';
import { kindOfType, rulesOfKind } from './lineKinds.ts';
import { digest, exact, fileVerdict, key, pattern, subject } from './shapeParts.ts';
import {
  type CheckpointStatement,
  type JudgedKind,
  type JudgedStatement,
  PREDICATE_TYPES,
  type SignedLine,
  STATEMENT_TYPE,
} from './statement.ts';

const keyId = pattern('a key id', /^[\w-]{43}$/);

const checkpointPredicate = exact({
  key,
  count: whole,
  lines: list(digest),
  verdict: oneOf(fileVerdict),
  sequence: whole,
  previous: nullable(digest),
  history: exact({ runs: whole, failures: whole }),
  rotatedFrom: optional(keyId),
  mergedFrom: optional(list(keyId)),
  notEstablished: list(text),
});

function lineOf(predicateType: string, predicate: Check): Check {
  return exact({
    protected: text,
    signature: text,
    statement: exact({
      _type: literal(STATEMENT_TYPE),
      subject,
      predicateType: literal(predicateType),
      predicate,
    }),
  });
}

const checkpointLine = lineOf(PREDICATE_TYPES.checkpoint, checkpointPredicate);

export type ParsedLine =
  | { kind: JudgedKind; line: SignedLine<JudgedStatement> }
  | { kind: 'checkpoint'; line: SignedLine<CheckpointStatement> };

/** @throws Unjudgeable, which names the place, where `value` is no line of a signed file */
export function parsedLine(value: unknown): ParsedLine {
  const type = predicateTypeOf(value);
  if (type === PREDICATE_TYPES.checkpoint) {
    requireShape(checkpointLine, value, 'line');
    const line = value as SignedLine<CheckpointStatement>;
    requireCheckpoint(line.statement);
    return { kind: 'checkpoint', line };
  }
  // A type that is none is said as such by the form of the most usual kind.
  const kind = kindOfType(type) ?? 'verdict';
  requireShape(lineOf(PREDICATE_TYPES[kind], rulesOfKind(kind).predicate), value, 'line');
  return { kind, line: value as SignedLine<JudgedStatement> };
}

function predicateTypeOf(value: unknown): unknown {
  const statement = (value as { statement?: { predicateType?: unknown } | null } | null)?.statement;
  return statement?.predicateType;
}

function requireCheckpoint({ predicate }: CheckpointStatement): void {
  const { sequence, previous, history, count, lines, mergedFrom } = predicate;
  if (sequence === 0 || (sequence === 1) !== (previous === null))
    throw new Unjudgeable('The checkpoint does not say which one it replaced.');
  if (history.failures > history.runs)
    throw new Unjudgeable('The checkpoint counts more failures than runs.');
  if (count !== lines.length) throw new Unjudgeable('The checkpoint counts other lines than it lists.');
  if (mergedFrom !== undefined && (mergedFrom.length === 0 || new Set(mergedFrom).size < mergedFrom.length))
    throw new Unjudgeable('The checkpoint names no key, or one twice, of the files that were merged.');
}
