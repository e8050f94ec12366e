/** A run's ledger and trace as a document to read, made anew from the verdict file's line or the draft. */
import type { Location } from 'vscode-languageserver';
import type { Evidence, LedgerRow, TraceRow } from '../../../shared/src/evidence/evidence.ts';
import { rowText } from '../../../shared/src/evidence/rowText.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { FileContext, KnownScenario } from './feature.ts';

const HEAD_LINES = 5;
const WIDTH = 300;

/** Where a row is read: in the virtual document, or on the verdict file's line where an editor has no such documents. */
export function ledgerAddress(
  { uri, editor }: FileContext,
  { ledger }: KnownScenario,
  seq: number,
): Location {
  const line = ledger !== undefined && editor.textDocumentContent ? HEAD_LINES + seq - 1 : 0;
  const range = { start: { line, character: 0 }, end: { line, character: 0 } };
  if (ledger === undefined) return { uri, range };
  if (editor.textDocumentContent) return { uri: ledger, range };
  const verdict = /[?&]line=(\d+)/.exec(ledger)?.[1];
  if (verdict === undefined) return { uri, range };
  const at = { line: Number(verdict) - 1, character: 0 };
  return {
    uri: `file://${ledger.slice(ledger.indexOf(':') + 1, ledger.indexOf('?'))}`,
    range: { start: at, end: at },
  };
}

/** Each ledger row `n` stands on line HEAD_LINES + n - 1 (0-based). */
export function ledgerText({ scenario, verdict, rules }: RunResult, { ledger, trace }: Evidence): string {
  const broken = rules.filter(({ held }) => !held);
  const head = [
    `Ledger of ${scenario}: the vendor's own account, ${ledger.length} rows. Verdict: ${verdict}.`,
    broken.length === 0
      ? 'Every rule held.'
      : `Broken: ${broken.map(({ id, ledger: rows }) => `${id} (rows ${rows.join(', ') || 'none'})`).join('; ')}.`,
    '',
    columns('row', 'time', 'step', 'call', 'by', 'what'),
    columns('---', '--------', '----', '----', '--------', '----'),
  ];
  return [
    ...head,
    ...ledger.map(ledgerLine),
    '',
    `Trace: the calls that the broker saw, ${trace.length} rows.`,
    '',
    columns('call', 'time', 'step', 'code', 'answered', 'what'),
    columns('----', '--------', '----', '----', '--------', '----'),
    ...trace.map(traceLine),
    '',
  ]
    .map((line) => oneLineKept(line))
    .join('\n');
}

function ledgerLine(row: LedgerRow): string {
  return columns(row.seq, seconds(row.at), row.step ?? '-', row.call ?? '-', row.by, rowText(row));
}

function traceLine({
  seq,
  at,
  step,
  status,
  origin,
  operation,
  method,
  route,
  sent,
  refused,
  site,
  count = 1,
}: TraceRow): string {
  const times = count > 1 ? ` (${count} times)` : '';
  const why = refused === undefined ? '' : `, refused: ${refused}`;
  const place = site === undefined ? '' : `, line ${site.line}`;
  return columns(
    seq,
    seconds(at),
    step ?? '-',
    status,
    origin,
    `${operation ?? `${method} ${route ?? '?'}`}${times}, sent: ${sent}${why}${place}`,
  );
}

function columns(
  ...cells: [
    seq: string | number,
    time: string,
    step: string | number,
    call: string | number,
    by: string,
    what: string,
  ]
): string {
  const [seq, time, step, call, by, what] = cells;
  return `${String(seq).padStart(5)}  ${time.padStart(10)}  ${String(step).padStart(4)}  ${String(call).padStart(4)}  ${by.padEnd(8)}  ${what}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** The gate keeps one blank of many; the columns need theirs, so only the words go through it. */
function oneLineKept(line: string): string {
  const words = line.trimStart();
  const indent = line.length - words.length;
  return (
    ' '.repeat(indent) +
    words
      .split('  ')
      .map((part) => oneLine(part, WIDTH))
      .join('  ')
  );
}
