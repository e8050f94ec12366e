/** Picking a scenario, and the ledger of one that ran. */
import { l10n, type QuickPickItem, Uri, window, workspace } from 'vscode';
import {
  type AdapterItem,
  COMMANDS,
  LEDGER_SCHEME,
  type RunStarted,
  type ScenarioItem,
} from '../../shared/src/protocol.ts';
import { uriOf } from './adapters.ts';
import type { Parts } from './parts.ts';

interface ScenarioPick extends QuickPickItem {
  scenario: ScenarioItem;
}

const SIGNS: Record<ScenarioItem['state'], string> = {
  none: '$(circle-outline)',
  running: '$(sync~spin)',
  qualified: '$(pass)',
  failed: '$(error)',
  not_run: '$(question)',
};

/** Runs the scenarios that are picked; with one named in the argument, that one. */
export async function pickScenario(
  { server, adapters }: Parts,
  argument: unknown,
): Promise<RunStarted | undefined> {
  await adapters.refresh();
  const item = adapters.of(uriOf(argument)) ?? adapters.current();
  if (item === undefined) {
    void window.showInformationMessage(l10n.t('Open an adapter first: a file that a loadline.json names.'));
    return undefined;
  }
  const picked = await window.showQuickPick(item.scenarios.map(pickOf), {
    title: l10n.t('Scenarios of {0}', item.name),
    placeHolder: l10n.t('Pick what to run'),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined || picked.length === 0) return undefined;
  const scenarios = picked.map(({ scenario }) => scenario.id);
  return server.command<RunStarted>(COMMANDS.qualify, { uri: item.uri, scenarios });
}

function pickOf(scenario: ScenarioItem): ScenarioPick {
  const stale = scenario.stale ? `, ${l10n.t('stale')}` : '';
  return {
    label: `${SIGNS[scenario.state]} ${scenario.id}`,
    description: `${wordOf(scenario)}${stale}`,
    detail: scenario.title,
    scenario,
  };
}

export function wordOf({ state }: ScenarioItem): string {
  switch (state) {
    case 'qualified':
      return l10n.t('held');
    case 'failed':
      return l10n.t('failed');
    case 'running':
      return l10n.t('running');
    case 'not_run':
      return l10n.t('did not run');
    default:
      return l10n.t('not run yet');
  }
}

/** Opens the ledger of a scenario that has one. */
export async function openLedger(parts: Parts, argument: unknown): Promise<void> {
  await parts.adapters.refresh();
  const item = parts.adapters.of(uriOf(argument)) ?? parts.adapters.current();
  const scenario = item && (await ledgerScenario(item, argument));
  if (item === undefined || scenario === undefined) return;
  const address = scenario.ledger ?? '';
  if (!address.startsWith(`${LEDGER_SCHEME}:`)) return;
  const document = await workspace.openTextDocument(Uri.parse(address));
  await window.showTextDocument(document, { preview: true });
}

async function ledgerScenario(item: AdapterItem, argument: unknown): Promise<ScenarioItem | undefined> {
  const { scenario: named } = (argument ?? {}) as { scenario?: unknown };
  const withLedger = [...item.scenarios, ...item.found].filter(({ ledger }) => ledger !== undefined);
  if (withLedger.length === 0) {
    void window.showInformationMessage(l10n.t('{0} has not run yet, so there is no ledger.', item.name));
    return undefined;
  }
  const known = withLedger.find(({ id }) => id === named);
  if (known) return known;
  const picked = await window.showQuickPick(withLedger.map(pickOf), {
    title: l10n.t('Ledger of which run?'),
  });
  return picked?.scenario;
}
