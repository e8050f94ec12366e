/** What a checkpoint seals: its lines, in its order, nothing else, and the verdict that follows from them. */
import { contractByVersion } from '../contracts/index.ts';
import { sameJson } from '../sameJson.ts';
import type { Failure, FailureKind } from './failures.ts';
import type { ReadLine } from './readLine.ts';
import type { CheckpointStatement, SignedLine, VerdictStatement } from './statement.ts';
import { verdictOfLines } from './statements.ts';

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
    ...scenarioFailures(sealed.lines),
    ...keyFailures(sealed),
    ...subjectFailures(sealed),
    ...verdictFailures(sealed),
  ];
}

function placeFailures({ checkpoint, number, lines }: Sealed): Failure[] {
  const listed = checkpoint.statement.predicate.lines;
  const failures: Failure[] = [];
  const present = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (line === null) continue;
    const text = misplaced(line, listed, index, present);
    if (text !== null) failures.push(failure(index + 1, 'order', text));
    present.add(line.digest);
  }
  // A line that cannot be read stands for one that is listed.
  const unread = lines.filter((line) => line === null).length;
  const missing = listed.filter((digest) => !present.has(digest)).length - unread;
  if (missing > 0)
    failures.push(
      failure(number, 'missing', `${missing} of the lines that the checkpoint lists are not there.`),
    );
  return failures;
}

function misplaced(
  line: ReadLine,
  listed: readonly string[],
  index: number,
  before: ReadonlySet<string>,
): string | null {
  if (line.kind === 'checkpoint') return 'A checkpoint stands before the last line.';
  if (before.has(line.digest)) return 'The line stands in the file twice.';
  if (listed[index] === line.digest) return null;
  return listed.includes(line.digest)
    ? 'The line stands in another place than the checkpoint has it.'
    : 'The checkpoint does not list this line.';
}

/** One line a scenario, in the contract's order. */
function scenarioFailures(lines: readonly FileLine[]): Failure[] {
  let last = -1;
  return lines.flatMap((line, index): Failure[] => {
    if (line?.kind !== 'verdict') return [];
    const { contract, scenario } = line.line.statement.predicate.inputs;
    const place = contractByVersion(contract)?.scenarios.findIndex(({ id }) => id === scenario) ?? -1;
    if (place === -1) return [];
    const before = last;
    last = place;
    return place > before
      ? []
      : [failure(index + 1, 'order', 'The scenarios are not one line each in the order of the contract.')];
  });
}

function keyFailures({ checkpoint, kid, lines }: Sealed): Failure[] {
  const named = [kid, checkpoint.statement.predicate.rotatedFrom];
  return lines.flatMap((line, index) =>
    line === null || named.includes(line.kid)
      ? []
      : [failure(index + 1, 'key', 'The line is signed by a key that the checkpoint does not name.')],
  );
}

function subjectFailures({ checkpoint, lines }: Sealed): Failure[] {
  return lines.flatMap((line, index) =>
    line?.kind !== 'verdict' || sameJson(line.line.statement.subject, checkpoint.statement.subject)
      ? []
      : [failure(index + 1, 'verdict', 'The line is about another adapter than the checkpoint.')],
  );
}

function verdictFailures({ checkpoint, number, lines }: Sealed): Failure[] {
  const verdicts: VerdictStatement[] = [];
  for (const line of lines) {
    if (line?.kind !== 'verdict') return [];
    verdicts.push(line.line.statement);
  }
  // Of rules that are not known here it cannot be said which scenarios they ask for.
  if (verdicts.some(({ predicate }) => contractByVersion(predicate.inputs.contract) === undefined)) return [];
  const follows = verdictOfLines(verdicts);
  const { verdict } = checkpoint.statement.predicate;
  return verdict === follows
    ? []
    : [failure(number, 'verdict', `The checkpoint says ${verdict}, but its lines say ${follows}.`)];
}

function failure(line: number, kind: FailureKind, text: string): Failure {
  return { line, kind, text };
}
