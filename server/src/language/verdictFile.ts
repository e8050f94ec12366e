/** What an editor says in a verdict file: lenses, hovers and diagnostics on its lines. */
import type { CodeLens, Diagnostic, Hover, Position, Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { type VerifyResult, verifyText } from '../../../shared/src/evidence/verify.ts';
import { CLIENT_COMMANDS, COMMANDS, type VerdictLineState } from '../../../shared/src/protocol.ts';
import { markdownCode, markdownText, oneLine } from '../../../shared/src/text.ts';
import { diagnosticOf, kept } from './diagnosticForm.ts';
import type { FileContext, LineComparison } from './feature.ts';
import { markup } from './markup.ts';
import { type JudgedLine, judgedLines, MEANINGS, SIGNS } from './verdictReading.ts';

interface Reading {
  result: VerifyResult;
  lines: readonly JudgedLine[];
}

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
  const first = (state: VerdictLineState) => lines.find((each) => each.state === state);
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
  const lines = judgedLines({ text: document.getText(), result, comparison, trusted });
  return { result, lines };
}

function comparisonOf({ view, path }: FileContext): LineComparison | null {
  return view?.results.comparison?.(path) ?? null;
}

function startOf(line: number): Range {
  return { start: { line, character: 0 }, end: { line, character: 0 } };
}

function markOf(document: TextDocument, line: number): Range {
  const start = { line, character: 0 };
  const end = document.positionAt(document.offsetAt({ line, character: MARKED }));
  return { start, end: end.line === line ? end : start };
}
