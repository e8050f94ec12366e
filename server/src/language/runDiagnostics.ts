/** What the last runs say, at the calls that caused it. */
import type { Diagnostic, DiagnosticRelatedInformation } from 'vscode-languageserver';
import type { RuleOutcome } from '../../../shared/src/evidence/evidence.ts';
import { rowText } from '../../../shared/src/evidence/rowText.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { diagnosticOf, kept } from './diagnosticForm.ts';
import type { FileContext, KnownScenario } from './feature.ts';
import { ledgerAddress } from './ledger.ts';
import { type FindSite, firstLine, movedSite, siteRange } from './siteRange.ts';
import { verdictFileDiagnostics } from './verdictFile.ts';

/** Ledger rows told of one broken rule. */
const ROWS = 5;
/** Scenarios of one broken rule whose rows are told. */
const TOLD = 3;

export async function runDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  if (context.kind === 'verdicts') return verdictFileDiagnostics(context);
  if (context.kind !== 'adapter' || context.view === null) return [];
  const { results } = context.view;
  const all = [...results.scenarios(context.path), ...(results.found?.(context.path) ?? [])];
  const scenarios = all.filter(({ result }) => result !== undefined);
  const find = siteFinder(context);
  const current = scenarios.filter(({ stale }) => !stale);
  const stale = scenarios.filter((scenario) => scenario.stale);
  return kept([
    ...brokenRules(context, current, find, false),
    ...brokenRules(context, stale, find, true),
    ...advice(context, current),
    staleVerdict(
      context,
      stale.filter(({ signed }) => signed),
    ),
  ]);
}

/** Places by the text that a scenario was judged on; each text is compared once. */
function siteFinder({ document }: FileContext): (scenario: KnownScenario) => FindSite {
  const moved = new Map<string, FindSite>();
  return ({ stale, judged }) => {
    if (!stale) return (site) => siteRange(document, site);
    const key = judged?.sha256 ?? '';
    const found = moved.get(key) ?? movedSite(document, judged);
    moved.set(key, found);
    return found;
  };
}

interface Shown {
  scenario: KnownScenario;
  rule: RuleOutcome;
}

/**
 * One diagnostic for each rule and place: the scenarios that show it are told together. What was judged before the last
 * change is no error of the text as it is now: it is told as information, where its line still stands.
 */
function brokenRules(
  context: FileContext,
  scenarios: readonly KnownScenario[],
  find: (scenario: KnownScenario) => FindSite,
  stale: boolean,
): (Diagnostic | null)[] {
  return [...byPlace(scenarios).values()].map(([first, ...others]) => {
    const range = find(first.scenario)(first.rule.sites[0]);
    if (range === null) return null;
    const shown = [first, ...others];
    const names = namesOf(shown.map(({ scenario }) => scenario)).join(', ');
    const since = stale ? '; judged before the last change' : '';
    return diagnosticOf(context, {
      code: `rule/${first.rule.id}`,
      severity: stale ? 'information' : 'error',
      message: `${first.rule.text} (${names}${since})`,
      range,
      relatedInformation: shown
        .slice(0, TOLD)
        .flatMap(({ scenario, rule }) => relatedOf(context, scenario, rule, find(scenario))),
    });
  });
}

const nameOf = ({ id, title, isFound }: KnownScenario) => (isFound ? title : id);

/** Of the contract's scenarios all; of what was found, which is a sentence each, the first and how many more there are. */
function namesOf(scenarios: readonly KnownScenario[]): string[] {
  const [first, ...others] = scenarios.filter(({ isFound }) => isFound);
  const more = others.length === 0 ? [] : [`${others.length} more that were found by exploring`];
  const found = first === undefined ? [] : [first.title, ...more];
  return [...scenarios.filter(({ isFound }) => !isFound).map(({ id }) => id), ...found];
}

function byPlace(scenarios: readonly KnownScenario[]): Map<string, [Shown, ...Shown[]]> {
  const found = new Map<string, [Shown, ...Shown[]]>();
  for (const scenario of scenarios) {
    for (const rule of scenario.result?.rules ?? []) {
      if (rule.held) continue;
      const [site] = rule.sites;
      const key = `${rule.id} ${site?.line ?? 0}:${site?.column ?? 0} ${scenario.stale ? scenario.judged?.sha256 : ''}`;
      const known = found.get(key);
      if (known) known.push({ scenario, rule });
      else found.set(key, [{ scenario, rule }]);
    }
  }
  return found;
}

function relatedOf(
  context: FileContext,
  scenario: KnownScenario,
  rule: RuleOutcome,
  find: FindSite,
): DiagnosticRelatedInformation[] {
  const { uri } = context;
  const others = rule.sites.slice(1).flatMap((site) => {
    const range = find(site);
    if (range === null) return [];
    return [{ location: { uri, range }, message: `${nameOf(scenario)}: another call that took part` }];
  });
  const rows = scenario.result?.evidence?.ledger.filter(({ seq }) => rule.ledger.includes(seq)) ?? [];
  const told = rows.slice(0, ROWS).map((row) => ({
    location: ledgerAddress(context, scenario, row.seq),
    message: oneLine(
      `${nameOf(scenario)}, ledger row ${row.seq} at ${(row.at / 1000).toFixed(2)} s: ${rowText(row)}`,
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
