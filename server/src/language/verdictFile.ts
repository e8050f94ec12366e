/** Verdict files as they are read: for each line whether it is valid, stale, forged, or of a key that is not trusted. */
import type { CodeLens, Diagnostic, Hover, Position, Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Failure, FailureKind } from '../../../shared/src/evidence/failures.ts';
import { PREDICATE_TYPES } from '../../../shared/src/evidence/statement.ts';
import { type VerifyResult, verifyText } from '../../../shared/src/evidence/verify.ts';
import { CLIENT_COMMANDS, COMMANDS } from '../../../shared/src/protocol.ts';
import { markdownCode, markdownText, oneLine } from '../../../shared/src/text.ts';
import { diagnosticOf, kept } from './diagnosticForm.ts';
import type { FileContext, LineComparison } from './feature.ts';
import { markup } from './markup.ts';
import { type LineStatement, lineStatement } from './verdictLine.ts';

type LineState = 'valid' | 'stale' | 'forged' | 'damaged' | 'open' | 'untrusted' | 'unknown';

interface JudgedLine {
  /** 0-based. */
  line: number;
  state: LineState;
  /** null: what stands there is not in the form of a line. */
  statement: LineStatement | null;
  failures: readonly Failure[];
  /** Names of files that are other ones today. */
  changed: readonly string[];
}

interface Reading {
  result: VerifyResult;
  lines: readonly JudgedLine[];
}

const SIGNS: Record<LineState, string> = {
  valid: '✓ valid',
  stale: '○ stale',
  forged: '✗ forged',
  damaged: '✗ damaged',
  open: '✗ not whole',
  untrusted: '? untrusted',
  unknown: '? unknown rules',
};

const MEANINGS: Record<LineState, string> = {
  valid: 'The bytes are as a trusted key signed them, and the verdict follows from its evidence.',
  stale: 'As it was signed by a trusted key, but about other files than those of today.',
  forged: 'This is not what a signer wrote: it proves nothing.',
  damaged: 'This is not in the form that a signer writes: it proves nothing.',
  open: 'The checkpoint is as it was signed, but the lines above are not those that it seals.',
  untrusted:
    'The signature is good, but its key is neither yours nor among those of loadline.trustedKeys: anybody could have made it.',
  unknown: 'The signature is good, but this version does not know the rules that it was judged by.',
};

/** What is not simply broken bytes was changed by somebody. */
const FORGERIES: ReadonlySet<FailureKind> = new Set(['signature', 'verdict', 'order', 'key']);
const INPUTS = ['document', 'grant', 'config'] as const;
/** Characters of a line that a mark covers. */
const MARKED = 80;
/** Of a scenario in a title, which may be anybody's text. */
const NAME = 25;

export async function verdictFileLenses(context: FileContext): Promise<CodeLens[]> {
  if (context.kind !== 'verdicts') return [];
  const { lines } = await readingOf(context);
  const adapterUri = comparisonOf(context)?.adapterUri ?? null;
  return lines.flatMap(({ line, state, statement }) => {
    const range = startOf(line);
    const name = statement === null ? '' : ` · ${oneLine(statement.name, NAME)}`;
    const verify = {
      title: `${SIGNS[state]}${name}`,
      command: COMMANDS.verify,
      arguments: [{ uri: context.uri }],
    };
    const shown = state === 'valid' || state === 'stale' ? statement : null;
    const scenario = shown?.scenario ?? null;
    if (shown === null || scenario === null || adapterUri === null) return [{ range, command: verify }];
    const ledger = {
      title: `${shown.verdict}: open ledger`,
      command: CLIENT_COMMANDS.openLedger,
      arguments: [{ uri: adapterUri, scenario }],
    };
    return [
      { range, command: verify },
      { range, command: ledger },
    ];
  });
}

export async function hoverVerdictFile(context: FileContext, { line }: Position): Promise<Hover | null> {
  if (context.kind !== 'verdicts') return null;
  const { lines } = await readingOf(context);
  const judged = lines.find((each) => each.line === line);
  if (judged === undefined) return null;
  const { state, statement, failures } = judged;
  const facts = [
    ...failures.map(({ kind, text }) => `${kind}: ${text}`),
    ...(statement?.facts ?? []),
    ...(statement === null ? [] : [`key ${statement.kid}`]),
  ];
  const open = state === 'valid' || state === 'stale' ? (statement?.notEstablished ?? []) : [];
  const value = [
    `**${SIGNS[state]}**${statement === null ? '' : ` ${markdownCode(statement.title)}`}`,
    MEANINGS[state],
    facts.map((text) => `- ${markdownText(text)}`).join('\n'),
    ...(open.length === 0
      ? []
      : [`Not established:\n${open.map((text) => `- ${markdownText(text)}`).join('\n')}`]),
  ].join('\n\n');
  return { contents: markup(context.editor, value), range: markOf(context.document, line) };
}

/** What `verify` finds wrong, on the lines that it is about; each fact once. */
export async function verdictFileDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  if (context.kind !== 'verdicts') return [];
  const { result, lines } = await readingOf(context);
  const first = (state: LineState) => lines.find((each) => each.state === state);
  const stale = first('stale');
  const untrusted = first('untrusted');
  return kept([
    ...result.failures.map(({ line, kind, text }) =>
      diagnosticOf(context, {
        code: `verdict-file/${kind}`,
        severity: kind === 'version' ? 'warning' : 'error',
        message: text,
        range: markOf(context.document, Math.max(0, line - 1)),
      }),
    ),
    stale === undefined
      ? null
      : diagnosticOf(context, {
          code: 'stale-verdict',
          severity: 'information',
          message: `What was judged has changed since: ${stale.changed.join(', ')}. Qualify again, or undo the change.`,
          range: markOf(context.document, stale.line),
        }),
    untrusted === undefined
      ? null
      : diagnosticOf(context, {
          code: 'verdict-file/key',
          severity: 'information',
          message: `The key ${untrusted.statement?.kid} is neither yours nor among those of loadline.trustedKeys, so these are not shown as verdicts.`,
          range: markOf(context.document, untrusted.line),
        }),
  ]);
}

/** Verified once for each version of a document, of which each is a value of its own. */
const verified = new WeakMap<TextDocument, Promise<VerifyResult>>();

async function readingOf(context: FileContext): Promise<Reading> {
  const { document } = context;
  const known = verified.get(document) ?? verifyText(document.getText(), { partial: true });
  verified.set(document, known);
  const result = await known;
  const comparison = comparisonOf(context);
  const trusted = (await comparison?.trusted(result.keys)) ?? new Set<string>();
  const whole = result.failures.some(({ line }) => line === 0);
  const isWhole = !result.failures.some(({ kind }) => kind !== 'version');
  const lines = document
    .getText()
    .split('\n')
    .flatMap((text, line): JudgedLine[] => {
      if (text === '') return [];
      const failures = result.failures.filter((failure) => failure.line === line + 1);
      // A line whose form failed holds anything at all.
      const isRead = !whole && !failures.some(({ kind }) => kind === 'form' || kind === 'signature');
      const statement = isRead ? lineStatement(text) : null;
      const changed = statement === null ? [] : changedSince(statement, comparison);
      const state = whole ? 'damaged' : stateOf({ failures, statement, changed }, trusted, isWhole);
      return [{ line, state, statement, failures, changed }];
    });
  return { result, lines };
}

function comparisonOf({ view, path }: FileContext): LineComparison | null {
  return view?.results.comparison?.(path) ?? null;
}

function stateOf(
  { failures, statement, changed }: Omit<JudgedLine, 'line' | 'state'>,
  trusted: ReadonlySet<string>,
  isWhole: boolean,
): LineState {
  if (failures.some(({ kind }) => FORGERIES.has(kind))) return 'forged';
  if (failures.some(({ kind }) => kind !== 'version') || statement === null) return 'damaged';
  if (failures.length > 0) return 'unknown';
  if (statement.type === PREDICATE_TYPES.checkpoint && !isWhole) return 'open';
  if (!trusted.has(statement.kid)) return 'untrusted';
  return changed.length > 0 ? 'stale' : 'valid';
}

/** Names of the files that are there and not those that were judged. */
function changedSince({ sha256, inputs, type }: LineStatement, now: LineComparison | null): string[] {
  if (now === null) return [];
  const differs = (judged: string | undefined, today: string) =>
    judged !== undefined && today !== '' && judged !== today;
  const names = { document: 'the vendor document', grant: 'the grant', config: 'loadline.json' };
  const isAdapter = type === PREDICATE_TYPES.verdict || type === PREDICATE_TYPES.checkpoint;
  return [
    ...(isAdapter && differs(sha256, now.adapter) ? ['the adapter'] : []),
    ...INPUTS.flatMap((name) => (differs(inputs[name], now[name]) ? [names[name]] : [])),
  ];
}

function startOf(line: number): Range {
  return { start: { line, character: 0 }, end: { line, character: 0 } };
}

function markOf(document: TextDocument, line: number): Range {
  const start = { line, character: 0 };
  const end = document.positionAt(document.offsetAt({ line, character: MARKED }));
  return { start, end: end.line === line ? end : start };
}
