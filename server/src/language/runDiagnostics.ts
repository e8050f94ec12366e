/** What the last runs say, at the calls that caused it. */
import type { Diagnostic, DiagnosticRelatedInformation, Range } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import { rowText } from '../../../shared/src/evidence/rowText.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { diagnosticOf, kept } from './diagnosticForm.ts';
import type { FileContext, KnownScenario } from './feature.ts';
import { ledgerAddress } from './ledger.ts';

type Site = RuleOutcome['sites'][number];

/** Ledger rows told of one broken rule. */
const ROWS = 5;

export async function runDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  if (context.kind !== 'adapter' || context.view === null) return [];
  const scenarios = context.view.results.scenarios(context.path).filter(({ result }) => result !== undefined);
  const current = scenarios.filter(({ stale }) => !stale);
  return kept([
    ...brokenRules(context, current),
    ...advice(context, current),
    staleVerdict(
      context,
      scenarios.filter(({ stale, signed }) => stale && signed),
    ),
  ]);
}

/** One diagnostic for each rule and place: the scenarios that show it are told together. */
function brokenRules(context: FileContext, scenarios: readonly KnownScenario[]): (Diagnostic | null)[] {
  const byPlace = new Map<
    string,
    { rule: RuleOutcome; shown: { scenario: KnownScenario; rule: RuleOutcome }[] }
  >();
  for (const scenario of scenarios) {
    for (const rule of scenario.result?.rules ?? []) {
      if (rule.held) continue;
      const [site] = rule.sites;
      const key = `${rule.id} ${site?.line ?? 0}:${site?.column ?? 0}`;
      const known = byPlace.get(key) ?? { rule, shown: [] };
      byPlace.set(key, { ...known, shown: [...known.shown, { scenario, rule }] });
    }
  }
  return [...byPlace.values()].map(({ rule, shown }) => {
    const names = shown.map(({ scenario }) => scenario.id).join(', ');
    return diagnosticOf(context, {
      code: `rule/${rule.id}`,
      severity: 'error',
      message: `${rule.text} (${names})`,
      range: siteRange(context.document, rule.sites[0]),
      relatedInformation: shown
        .slice(0, 3)
        .flatMap(({ scenario, rule: each }) => relatedOf(context, scenario, each)),
    });
  });
}

function relatedOf(
  context: FileContext,
  scenario: KnownScenario,
  rule: RuleOutcome,
): DiagnosticRelatedInformation[] {
  const { document, uri } = context;
  const others = rule.sites.slice(1).map((site) => ({
    location: { uri, range: siteRange(document, site) },
    message: `${scenario.id}: another call that took part`,
  }));
  const rows = scenario.result?.evidence?.ledger.filter(({ seq }) => rule.ledger.includes(seq)) ?? [];
  const told = rows.slice(0, ROWS).map((row) => ({
    location: ledgerAddress(context, scenario, row.seq),
    message: oneLine(
      `${scenario.id}, ledger row ${row.seq} at ${(row.at / 1000).toFixed(2)} s: ${rowText(row)}`,
    ),
  }));
  return [...others, ...told];
}

function advice(context: FileContext, scenarios: readonly KnownScenario[]): (Diagnostic | null)[] {
  const told = new Map<string, Diagnostic | null>();
  for (const { result } of scenarios) {
    for (const { code, text, sites } of result?.advice ?? []) {
      const [site] = sites;
      const key = `${code} ${site?.line}:${site?.column}`;
      if (told.has(key)) continue;
      told.set(
        key,
        diagnosticOf(context, {
          code: `advice/${code}`,
          severity: 'information',
          message: text,
          range: siteRange(context.document, site),
        }),
      );
    }
  }
  return [...told.values()];
}

function staleVerdict(context: FileContext, stale: readonly KnownScenario[]): Diagnostic | null {
  if (stale.length === 0) return null;
  return diagnosticOf(context, {
    code: 'stale-verdict',
    severity: 'information',
    message: `${stale.length} signed ${stale.length === 1 ? 'verdict is' : 'verdicts are'} about another text than this one: the adapter, the grant, the document or loadline.json has changed since. Qualify again, or undo the change.`,
    range: firstLine(context.document),
  });
}

/** From the claimed place to the end of what is written there: never outside of the text. */
function siteRange(document: TextDocument, site: Site | undefined): Range {
  if (site === undefined || site.line > document.lineCount) return firstLine(document);
  const line = site.line - 1;
  const text = lineText(document, line);
  const from = Math.min(Math.max(0, site.column - 1), text.length);
  const word = /^[\w$.]*/.exec(text.slice(from))?.[0].length ?? 0;
  return {
    start: { line, character: from },
    end: { line, character: from + Math.max(word, from < text.length ? 1 : 0) },
  };
}

function firstLine(document: TextDocument): Range {
  return { start: { line: 0, character: 0 }, end: { line: 0, character: lineText(document, 0).length } };
}

function lineText(document: TextDocument, line: number): string {
  const end = { line: line + 1, character: 0 };
  return document.getText({ start: { line, character: 0 }, end }).replace(/[\r\n]+$/, '');
}
