/** What a checkpoint seals: its lines, in its order, nothing else, and the verdict that follows from them. */
import { sameJson } from '../sameJson.ts';
import type { Failure, FailureKind } from './failures.ts';
import { rulesOfKind } from './lineKinds.ts';
import type { ReadLine } from './readLine.ts';
import type { CheckpointStatement, JudgedKind, JudgedStatement, SignedLine } from './statement.ts';

/** A line of the file: null where it could not be read, which was said already. */
export type FileLine = ReadLine | null;

export interface Sealed {
  checkpoint: SignedLine<CheckpointStatement>;
  kid: string;
  /** Number of the checkpoint's line, from 1. */
  number: number;
  /** The lines before it. */
  lines: readonly FileLine[];
}

/** What is wrong between a checkpoint and the lines before it. */
export function sealFailures(sealed: Sealed): Failure[] {
  return [
    ...placeFailures(sealed),
    ...kindFailures(sealed.lines),
    ...orderFailures(sealed.lines),
    ...keyFailures(sealed),
    ...subjectFailures(sealed),
    ...verdictFailures(sealed),
  ];
}

function placeFailures({ checkpoint, number, lines }: Sealed): Failure[] {
  const { lines: digests } = checkpoint.statement.predicate;
  const listed = new Set(digests);
  const failures: Failure[] = [];
  const present = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (line === null) continue;
    const text = misplaced(line, { listed, expected: digests[index], before: present });
    if (text !== null) failures.push(failure(index + 1, 'order', text));
    present.add(line.digest);
  }
  // A line that cannot be read stands for one that is listed.
  const unread = lines.filter((line) => line === null).length;
  const missing = digests.filter((digest) => !present.has(digest)).length - unread;
  if (missing > 0)
    failures.push(
      failure(number, 'missing', `${missing} of the lines that the checkpoint lists are not there.`),
    );
  return failures;
}

function misplaced(
  line: ReadLine,
  { listed, expected, before }: { listed: Set<string>; expected: string | undefined; before: Set<string> },
): string | null {
  if (line.kind === 'checkpoint') return 'A checkpoint stands before the last line.';
  if (before.has(line.digest)) return 'The line stands in the file twice.';
  if (expected === line.digest) return null;
  return listed.has(line.digest)
    ? 'The line stands in another place than the checkpoint has it.'
    : 'The checkpoint does not list this line.';
}

interface Judged {
  kind: JudgedKind;
  statement: JudgedStatement;
}

function judgedOf(line: FileLine | undefined): Judged | null {
  if (line === null || line === undefined || line.kind === 'checkpoint') return null;
  return { kind: line.kind, statement: line.line.statement };
}

/** A file holds lines of one kind. */
function kindFailures(lines: readonly FileLine[]): Failure[] {
  const first = lines.map(judgedOf).find((line) => line !== null);
  return lines.flatMap((line, index) => {
    const judged = judgedOf(line);
    return judged === null || judged.kind === first?.kind
      ? []
      : [failure(index + 1, 'form', 'The line is of another kind than the first one.')];
  });
}

/** One line of each name, in the order of its kind. */
function orderFailures(lines: readonly FileLine[]): Failure[] {
  let last: Judged | null = null;
  return lines.flatMap((line, index): Failure[] => {
    const judged = judgedOf(line);
    if (judged === null || !rulesOfKind(judged.kind).isKnown(judged.statement)) return [];
    const before = last;
    last = judged;
    if (before?.kind !== judged.kind) return [];
    return rulesOfKind(judged.kind).compare(before.statement, judged.statement) < 0
      ? []
      : [failure(index + 1, 'order', 'The lines are not one of each name in the order that they have.')];
  });
}

function keyFailures({ checkpoint, kid, lines }: Sealed): Failure[] {
  const { rotatedFrom, mergedFrom = [] } = checkpoint.statement.predicate;
  const named = [kid, rotatedFrom, ...mergedFrom];
  return lines.flatMap((line, index) =>
    line === null || named.includes(line.kid)
      ? []
      : [failure(index + 1, 'key', 'The line is signed by a key that the checkpoint does not name.')],
  );
}

function subjectFailures({ checkpoint, lines }: Sealed): Failure[] {
  return lines.flatMap((line, index) =>
    line === null ||
    line.kind === 'checkpoint' ||
    sameJson(line.line.statement.subject, checkpoint.statement.subject)
      ? []
      : [failure(index + 1, 'verdict', 'The line is about another file than the checkpoint.')],
  );
}

function verdictFailures({ checkpoint, number, lines }: Sealed): Failure[] {
  const judged = lines.map(judgedOf).filter((line) => line !== null);
  const [first] = judged;
  if (judged.length < lines.length || judged.some(({ kind }) => kind !== first?.kind)) return [];
  const rules = rulesOfKind(first?.kind ?? 'verdict');
  const statements = judged.map(({ statement }) => statement);
  // Of rules that are not known here it cannot be said what they ask for.
  if (!statements.every((statement) => rules.isKnown(statement))) return [];
  const follows = rules.verdictOf(statements);
  const { verdict } = checkpoint.statement.predicate;
  return verdict === follows
    ? []
    : [failure(number, 'verdict', `The checkpoint says ${verdict}, but its lines say ${follows}.`)];
}

function failure(line: number, kind: FailureKind, text: string): Failure {
  return { line, kind, text };
}
