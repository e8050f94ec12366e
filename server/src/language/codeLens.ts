/** Code lenses in adapters: how the runs stand, above `module.exports` and above each function of the contract. */
import type { CodeLens, Command, Position, Range } from 'vscode-languageserver';
import { CLIENT_COMMANDS, COMMANDS } from '../../../shared/src/protocol.ts';
import type { AdapterFacts, TextSpan } from '../analysis/facts.ts';
import type { FileContext, KnownScenario, ProjectView } from './feature.ts';
import { verdictFileLenses } from './verdictFile.ts';

/** Titles on one line do not wrap, so a row has an end. */
const MOST = 6;

/** Where rows stand: `name` null is that of the adapter. */
interface Anchor {
  name: string | null;
  at: Position;
}

/** Where they stood last: a text that is being typed may have no exports for a moment, and rows that jump are no help. */
const lastAnchors = new WeakMap<ProjectView, Map<string, readonly Anchor[]>>();

export async function adapterLenses(context: FileContext): Promise<CodeLens[]> {
  const { view, kind, path, trusted, uri } = context;
  if (kind === 'verdicts') return verdictFileLenses(context);
  if (kind !== 'adapter' || view === null || !trusted) return [];
  const anchors = await anchorsOf(context, view);
  const scenarios = view.results.scenarios(path);
  return anchors.flatMap(({ name, at }) => {
    const range = { start: at, end: at };
    if (name === null) return adapterRow(range, uri, scenarios);
    const aimed = scenarios.filter(({ aimsAt }) => aimsAt === name);
    return functionRow(range, uri, aimed);
  });
}

async function anchorsOf({ path, document }: FileContext, view: ProjectView): Promise<readonly Anchor[]> {
  const facts = (await view.analysisOf(path, document))?.facts(path) ?? null;
  const found = (facts === null ? [] : anchorsIn(facts)).map(({ name, span }) => ({
    name,
    at: document.positionAt(span.start),
  }));
  const known = lastAnchors.get(view) ?? new Map<string, readonly Anchor[]>();
  lastAnchors.set(view, known);
  if (found.length === 0) return known.get(path) ?? [];
  known.set(path, found);
  return found;
}

/** A lens stands on the line where its thing begins. */
function anchorsIn(facts: AdapterFacts): { name: string | null; span: TextSpan }[] {
  const head = headOf(facts);
  return [
    ...(head === null ? [] : [{ name: null, span: head }]),
    ...facts.exports.map(({ name, span, function: whole }) => ({ name, span: whole ?? span })),
  ];
}

function headOf({ form, exports }: AdapterFacts): TextSpan | null {
  if (form.kind === 'commonjs') return form.exports;
  return exports[0]?.span ?? null;
}

function adapterRow(range: Range, uri: string, scenarios: readonly KnownScenario[]): CodeLens[] {
  const current = scenarios.filter(
    ({ stale, state }) => !stale && (state === 'qualified' || state === 'failed'),
  );
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
    ...ordered
      .slice(0, MOST)
      .map(({ id, state, stale }) =>
        lens(range, `${signOf(state, stale)} ${id}`, COMMANDS.qualify, { uri, scenarios: [id] }),
      ),
    ...(rest > 0 ? [lens(range, `+${rest}…`, CLIENT_COMMANDS.pickScenario, { uri })] : []),
  ];
}

/** The sign is the outcome, the word beside it says whether it is about this text. */
function signOf(state: KnownScenario['state'], stale: boolean): string {
  switch (state) {
    case 'qualified':
      return stale ? '✓ stale' : '✓ held';
    case 'failed':
      return stale ? '✗ stale' : '✗ failed';
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
