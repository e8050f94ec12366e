/** A verdict file as rows for a person: whatever stands in it passes the gate here, and is bounded. */
import type { VerifyResult } from '../../../shared/src/evidence/verify.ts';
import type {
  KeyOwner,
  SigningKeyItem,
  VerdictFileAnswer,
  VerdictLineSays,
  VerdictRow,
} from '../../../shared/src/protocol.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { LineStatement } from './verdictLine.ts';
import { type JudgedLine, judgedLines, MEANINGS, SIGNS, type ToRead } from './verdictReading.ts';

/** More than any contract has scenarios. */
const MOST_ROWS = 200;
/** Entries of each list in a row. */
const MOST_ENTRIES = 20;
const NAME_LENGTH = 80;

export interface VerdictFile extends ToRead {
  /** Base name. */
  name: string;
  /** Owners of the key ids that count. */
  trusted: ReadonlyMap<string, KeyOwner>;
  mayTrust: boolean;
  /** Address of the ledger of a line (from 1) and its run. */
  ledgerOf(line: number, run: string): string;
}

export function verdictRows(file: VerdictFile): VerdictFileAnswer {
  const { name, result, comparison, mayTrust } = file;
  // What is wrong with all of it makes no line worth a row.
  const isRead = !result.failures.some(({ line }) => line === 0);
  const lines = isRead ? judgedLines(file) : [];
  return {
    name: oneLine(name, NAME_LENGTH),
    summary: summaryOf(lines, file),
    whole: result.verified,
    adapter: comparison?.adapterUri ?? null,
    keys: keysOf(lines, file),
    rows: lines.slice(0, MOST_ROWS).map((line) => rowOf(line, file)),
    notEstablished: result.notEstablished.map((each) => oneLine(each)),
    mayTrust,
  };
}

function summaryOf(lines: readonly JudgedLine[], { result, mayTrust }: VerdictFile): string {
  const keys = mayTrust ? '' : ' This workspace is not trusted, so your own keys were not asked for.';
  const cut = lines.length > MOST_ROWS ? ` The first ${MOST_ROWS} of ${lines.length} lines are shown.` : '';
  return `${stateOf(lines, result)}${cut}${keys}`;
}

function stateOf(lines: readonly JudgedLine[], result: VerifyResult): string {
  const [first] = result.failures;
  if (first !== undefined) {
    const place = first.line === 0 ? '' : `line ${first.line}, `;
    const more = result.failures.length - 1;
    return `NOT verified: ${place}${first.kind}: ${oneLine(first.text)}${more > 0 ? ` And ${more} more.` : ''}`;
  }
  const runs = `${result.lines} ${result.lines === 1 ? 'line' : 'lines'} and the checkpoint that seals them: ${result.verdict}.`;
  const changed = [...new Set(lines.flatMap((line) => line.changed))];
  if (lines.some(({ state }) => state === 'untrusted'))
    return `As it was signed, but by a key that is neither yours nor trusted, so it is no verdict here. ${runs}`;
  if (changed.length > 0) return `As it was signed, but stale: ${changed.join(', ')} changed since. ${runs}`;
  return `Verified. ${runs}`;
}

function keysOf(lines: readonly JudgedLine[], { trusted }: VerdictFile): SigningKeyItem[] {
  const keys = new Map<string, SigningKeyItem>();
  for (const { statement } of lines) {
    if (statement === null) continue;
    const { kid, key } = statement;
    const known = keys.get(kid);
    if (known) known.lines += 1;
    else {
      const jwk = { kty: key.kty, crv: key.crv, x: key.x };
      keys.set(kid, { kid, whose: trusted.get(kid) ?? 'unknown', lines: 1, jwk });
    }
  }
  return [...keys.values()].slice(0, MOST_ENTRIES);
}

function rowOf(judged: JudgedLine, file: VerdictFile): VerdictRow {
  const { line, state, statement, failures, changed } = judged;
  return {
    line: line + 1,
    state,
    label: SIGNS[state],
    meaning: MEANINGS[state],
    facts: [
      ...failures.map(({ kind, text }) => ({ kind, text: oneLine(text) })),
      ...changed.map((name) => ({ kind: 'stale', text: `${name} changed since` })),
    ].slice(0, MOST_ENTRIES),
    says: statement === null ? null : saysOf(statement, judged, file),
  };
}

function saysOf(
  statement: LineStatement,
  { line, state }: JudgedLine,
  { trusted, ledgerOf }: VerdictFile,
): VerdictLineSays {
  const { kid, run, scenario, broken, endedAt } = statement;
  const counts = state === 'valid' || state === 'stale';
  const texts = (all: readonly string[]) => all.slice(0, MOST_ENTRIES).map((each) => oneLine(each));
  return {
    name: oneLine(statement.name, NAME_LENGTH),
    scenario: scenario === null ? null : oneLine(scenario, NAME_LENGTH),
    subject: oneLine(statement.subject, NAME_LENGTH),
    sha256: oneLine(statement.sha256, NAME_LENGTH),
    verdict: oneLine(statement.verdict, NAME_LENGTH),
    broken: broken
      .slice(0, MOST_ENTRIES)
      .map(({ id, text }) => ({ id: oneLine(id, NAME_LENGTH), text: oneLine(text) })),
    endedAt: endedAt === null ? null : oneLine(endedAt, NAME_LENGTH),
    kid,
    whose: trusted.get(kid) ?? 'unknown',
    details: texts(statement.facts),
    notEstablished: texts(statement.notEstablished),
    ledger: counts && run !== null ? ledgerOf(line + 1, run) : null,
  };
}
