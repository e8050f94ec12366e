/** Replay and matrix: what their pages ask for, answered from the server. */
import { commands, Disposable, l10n, Position, Range, Uri, window } from 'vscode';
import { checkReplay, replayOf } from '../../../shared/src/contracts/fleet/replay.ts';
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import {
  type AdapterItem,
  COMMANDS,
  type EvidenceAnswer,
  type RunStarted,
} from '../../../shared/src/protocol.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { uriOf } from '../adapters.ts';
import { type Parts, walled } from '../parts.ts';
import type { FromPage, ShownCall, ShownRun } from './messages.ts';
import { openPage, type PagePanel } from './page.ts';

/** Of a call in the timeline. */
const CALL_LENGTH = 120;

export function registerViews(parts: Parts): Disposable {
  const { server } = parts;
  return Disposable.from(
    commands.registerCommand('loadline.openReplay', (argument?: unknown) =>
      walled(server, () => openReplay(parts, argument)),
    ),
    commands.registerCommand('loadline.openMatrix', () => walled(server, () => openMatrix(parts))),
  );
}

async function openMatrix(parts: Parts): Promise<void> {
  const { adapters, context } = parts;
  await adapters.refresh();
  const page = openPage(
    context,
    { type: 'loadline.matrix', title: l10n.t('Loadline Matrix'), script: 'matrix' },
    (message) => walled(parts.server, () => answer(parts, page, message)),
  );
  follow(parts, page);
}

async function openReplay(parts: Parts, argument: unknown): Promise<void> {
  const { adapters, context } = parts;
  await adapters.refresh();
  const item = adapters.of(uriOf(argument)) ?? adapters.current() ?? adapters.items[0];
  const scenario = item && scenarioOf(item, argument);
  if (item === undefined || scenario === undefined) {
    void window.showInformationMessage(
      l10n.t('There is no adapter here to replay: a loadline.json names them.'),
    );
    return;
  }
  const page = openPage(
    context,
    { type: 'loadline.replay', title: l10n.t('Loadline Replay'), script: 'replay' },
    (message) =>
      walled(parts.server, async () => {
        if (message.kind === 'ready') await show(parts, page, { side: 0, uri: item.uri, scenario });
        await answer(parts, page, message);
      }),
  );
  follow(parts, page);
}

/** The scenario that was asked for, else one that failed, else one that ran. */
function scenarioOf(item: AdapterItem, argument: unknown): string | undefined {
  const { scenario } = (argument ?? {}) as { scenario?: unknown };
  if (typeof scenario === 'string') return scenario;
  const { scenarios } = item;
  const told = scenarios.find(({ state }) => state === 'failed') ?? scenarios.find(({ result }) => result);
  return (told ?? scenarios[0])?.id;
}

/** A page shows what is known now, as long as it is open. */
function follow({ adapters }: Parts, { panel, send }: PagePanel): void {
  const listening = adapters.onChange(() => send({ kind: 'adapters', adapters: [...adapters.items] }));
  panel.onDidDispose(() => listening.dispose());
}

async function answer(parts: Parts, page: PagePanel, message: FromPage): Promise<void> {
  switch (message.kind) {
    case 'ready':
      page.send({ kind: 'adapters', adapters: [...parts.adapters.items] });
      return;
    case 'show':
      if (page.panel.viewType.endsWith('loadline.matrix'))
        await commands.executeCommand('loadline.openReplay', message);
      else await show(parts, page, message);
      return;
    case 'run':
      await runThenShow(parts, page, message);
      return;
    case 'ledger':
      await commands.executeCommand('loadline.openLedger', message);
      return;
    case 'code': {
      const place = new Position(Math.max(0, message.line - 1), Math.max(0, message.column - 1));
      await window.showTextDocument(Uri.parse(message.uri), {
        selection: new Range(place, place),
        viewColumn: 1,
      });
    }
  }
}

type Asked = { side: number; uri: string; scenario: string };

async function show(
  { server, adapters }: Parts,
  { send }: PagePanel,
  { side, uri, scenario }: Asked,
): Promise<void> {
  const item = adapters.items.find((each) => each.uri === uri);
  const run = shownRun(item, scenario, await server.evidence({ uri, scenario }));
  const why =
    run === null ? l10n.t('{0} has not run yet under this text, so there is nothing to draw.', scenario) : '';
  send({ kind: 'run', side, uri, scenario, run, why });
}

async function runThenShow(
  parts: Parts,
  page: PagePanel,
  { uri, scenario }: { uri: string; scenario: string },
): Promise<void> {
  const isFound = parts.adapters.items.some(
    (item) => item.uri === uri && item.found.some(({ id }) => id === scenario),
  );
  const [command, params] = isFound
    ? [COMMANDS.explore, { uri, found: [scenario] }]
    : [COMMANDS.qualify, { uri, scenarios: [scenario] }];
  const { run } = await parts.server.command<RunStarted>(command, params);
  const listening = parts.server.onRun((params) => {
    if (params.run !== run || params.state !== 'ended') return;
    listening.dispose();
    void walled(parts.server, () => show(parts, page, { side: 0, uri, scenario }));
  });
  page.panel.onDidDispose(() => listening.dispose());
}

function shownRun(
  item: AdapterItem | undefined,
  scenario: string,
  { result, signed, stale }: EvidenceAnswer,
): ShownRun | null {
  if (item === undefined || !result?.evidence || result.evidence.ledger.length === 0) return null;
  const replay = replayOf(result.evidence);
  return {
    adapter: item.name,
    scenario,
    title: [...item.scenarios, ...item.found].find(({ id }) => id === scenario)?.title ?? '',
    verdict: result.verdict,
    signed,
    stale,
    replay,
    check: checkReplay(replay, result.evidence),
    calls: result.evidence.trace.map(callOf),
    rules: result.rules.map(({ sites: _, ...rule }) => rule),
  };
}

function callOf({ at, operation, method, route, status, refused }: TraceRow): ShownCall {
  const name = operation ?? `${method} ${route ?? '?'}`;
  const text = refused === undefined ? `${name}: ${status}` : `${name}: ${status}, refused: ${refused}`;
  return { at, text: oneLine(text, CALL_LENGTH), good: status >= 200 && status < 300 };
}
