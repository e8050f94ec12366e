/** Code lenses in adapters: how the runs stand, above `module.exports` and above each function of the contract. */
import type { CodeLens, Command, Range } from 'vscode-languageserver';
import { CLIENT_COMMANDS, COMMANDS } from '../../../shared/src/protocol.ts';
import type { AdapterFacts, TextSpan } from '../analysis/facts.ts';
import type { FileContext, KnownScenario } from './feature.ts';
import { rangeOf } from './spans.ts';

/** Titles on one line do not wrap, so a row has an end. */
const MOST = 6;

export async function adapterLenses(context: FileContext): Promise<CodeLens[]> {
  const { view, kind, path, trusted, uri } = context;
  if (kind !== 'adapter' || view === null || !trusted) return [];
  const facts = await view.facts(path);
  if (facts === null) return [];
  const scenarios = view.results.scenarios(path);
  const head = headOf(facts);
  const top = head === null ? [] : adapterRow(startOf(context, head), uri, scenarios);
  const functions = facts.exports.flatMap(({ name, span, function: whole }) => {
    return functionRow(
      startOf(context, whole ?? span),
      uri,
      scenarios.filter(({ aimsAt }) => aimsAt === name),
    );
  });
  return [...top, ...functions];
}

/** A lens stands on the line where its thing begins. */
function startOf({ document }: FileContext, { start }: TextSpan): Range {
  return rangeOf(document, { start, end: start });
}

function headOf({ form, exports }: AdapterFacts): TextSpan | null {
  if (form.kind === 'commonjs') return form.exports;
  return exports[0]?.span ?? null;
}

function adapterRow(range: Range, uri: string, scenarios: readonly KnownScenario[]): CodeLens[] {
  const current = scenarios.filter(({ stale, result }) => result !== undefined && !stale);
  const held = current.filter(({ state }) => state === 'qualified').length;
  const failed = scenarios.filter(({ state }) => state === 'failed');
  const running = scenarios.filter(({ state }) => state === 'running').length;
  const state =
    running > 0 ? ` · running ${running}` : current.length > 0 ? ` · ${held}/${scenarios.length} held` : '';
  return [
    lens(range, `Qualify adapter${state}`, COMMANDS.qualify, { uri }),
    ...(failed.length > 0
      ? [
          lens(range, `▶ failed (${failed.length})`, COMMANDS.qualify, {
            uri,
            scenarios: failed.map(({ id }) => id),
          }),
        ]
      : []),
    lens(range, 'Scenarios…', CLIENT_COMMANDS.pickScenario, { uri }),
  ];
}

/** Broken ones first; six at most. */
function functionRow(range: Range, uri: string, scenarios: readonly KnownScenario[]): CodeLens[] {
  const weight = ({ state }: KnownScenario): number => (state === 'failed' ? 0 : state === 'running' ? 1 : 2);
  const ordered = [...scenarios].sort((a, b) => weight(a) - weight(b));
  const rest = ordered.length - MOST;
  return [
    ...ordered.slice(0, MOST).map(({ id, state, stale }) =>
      lens(range, `${signOf(state)} ${id}${stale ? ' (stale)' : ''}`, COMMANDS.qualify, {
        uri,
        scenarios: [id],
      }),
    ),
    ...(rest > 0 ? [lens(range, `+${rest}…`, CLIENT_COMMANDS.pickScenario, { uri })] : []),
  ];
}

function signOf(state: KnownScenario['state']): string {
  switch (state) {
    case 'qualified':
      return '✓ held';
    case 'failed':
      return '✗ failed';
    case 'running':
      return '… running';
    case 'not_run':
      return '? did not run';
    default:
      return '▶';
  }
}

function lens(range: Range, title: string, command: string, argument: object): CodeLens {
  return { range, command: { title, command, arguments: [argument] } satisfies Command };
}
