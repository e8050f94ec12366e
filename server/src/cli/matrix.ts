/** The result of a qualification as text: what broke and what the ledger shows, then adapters x scenarios. */
import type { AdapterResult, QualifyResult, RunResult } from '../../../shared/src/results.ts';
import { terminalText } from '../../../shared/src/text.ts';

const INDENT = '    ';

export function matrixText(result: QualifyResult): string {
  const parts = [...result.adapters.flatMap(brokenText), ...matrix(result.adapters), '', engineText(result)];
  return `${parts.join('\n')}\n`;
}

function brokenText(adapter: AdapterResult): string[] {
  const runs = adapter.runs.filter((run) => run.verdict !== 'qualified');
  if (runs.length === 0) return [];
  return [`${terminalText(adapter.file)}`, ...groupedByText(runs).flatMap((group) => runText(group)), ''];
}

/** Scenarios that say the very same (an adapter that does not load, an engine that is away) are said once. */
function groupedByText(runs: RunResult[]): RunResult[][] {
  const groups = new Map<string, RunResult[]>();
  for (const run of runs) {
    const key = JSON.stringify([run.message, brokenRules(run).map((rule) => [rule.id, rule.text])]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

function runText(group: RunResult[]): string[] {
  const [run] = group;
  if (run === undefined) return [];
  const name = group.length > 3 ? `${group.length} scenarios` : group.map((item) => item.scenario).join(', ');
  if (run.verdict === 'not_run') {
    const may = run.mayHaveRun ? ' Adapter code may have run.' : '';
    return [`  - ${name}: did not run. ${terminalText(run.message ?? '')}${may}`];
  }
  return [
    `  x ${name}`,
    ...brokenRules(run).map((rule) => {
      const site = rule.sites[0];
      const place = site ? ` (line ${site.line})` : '';
      return `${INDENT}${rule.id}${place}: ${terminalText(rule.text)}`;
    }),
  ];
}

function brokenRules(run: RunResult) {
  return run.rules.filter((rule) => !rule.held);
}

function matrix(adapters: AdapterResult[]): string[] {
  const scenarios = [...new Set(adapters.flatMap((adapter) => adapter.runs.map((run) => run.scenario)))];
  const columns = adapters.map((adapter) => column(adapter, scenarios));
  const first = ['scenario', ...scenarios, '', 'scenarios held', 'calls to the vendor', 'verdict'];
  return rows([first, ...columns]);
}

function column(adapter: AdapterResult, scenarios: string[]): string[] {
  const byScenario = new Map(adapter.runs.map((run) => [run.scenario, run]));
  const held = adapter.runs.filter((run) => run.verdict === 'qualified').length;
  const calls = adapter.runs.reduce((sum, run) => sum + run.calls.sent, 0);
  return [
    terminalText(adapter.file),
    ...scenarios.map((scenario) => cell(byScenario.get(scenario))),
    '',
    `${held} of ${adapter.runs.length}`,
    String(calls),
    adapter.verdict,
  ];
}

function cell(run: RunResult | undefined): string {
  if (run === undefined) return '';
  if (run.verdict === 'not_run') return `not run (${run.reason})`;
  if (run.verdict === 'qualified') return 'held';
  return brokenRules(run)
    .map((rule) => rule.id)
    .join(' + ');
}

function rows(columns: string[][]): string[] {
  const widths = columns.map((cells) => Math.max(...cells.map((text) => text.length)));
  return (columns[0] ?? []).map((_, row) =>
    columns
      .map((cells, index) => (cells[row] ?? '').padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function engineText({ engine, loadline, adapters }: QualifyResult): string {
  if (engine === null) return `loadline ${loadline}, no engine was reached`;
  return `loadline ${loadline}, ${terminalText(engine.name)} ${terminalText(engine.version)}, runtime ${terminalText(engine.runtime)}, tier ${engine.tier}${spreadText(adapters)}`;
}

/** Nothing where one engine ran everything. */
function spreadText(adapters: AdapterResult[]): string {
  const hosts = adapters.flatMap(({ runs }) =>
    runs.flatMap(({ host }) => (host === undefined ? [] : [host])),
  );
  return hosts.length === 0 ? '' : `, spread over ${new Set(hosts).size} engines`;
}
