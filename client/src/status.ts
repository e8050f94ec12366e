/** The language status item: what is known of the adapter in front, and of the engine. */
import { Disposable, type LanguageStatusItem, LanguageStatusSeverity, l10n, languages, window } from 'vscode';
import type { StatusParams } from '../../shared/src/protocol.ts';
import type { Server } from './languageClient.ts';

const TEXTS: Record<StatusParams['verdict'], () => string> = {
  qualified: () => l10n.t('Qualified'),
  failed: () => l10n.t('Failed'),
  partial: () => l10n.t('Partly qualified'),
  stale: () => l10n.t('Verdict is stale'),
  none: () => l10n.t('Not qualified yet'),
};

export class StatusItem implements Disposable {
  readonly #item: LanguageStatusItem;
  readonly #known = new Map<string, StatusParams>();
  readonly #parts: Disposable;

  constructor(server: Server) {
    this.#item = languages.createLanguageStatusItem('loadline', [
      { scheme: 'file', language: 'javascript' },
      { scheme: 'file', language: 'loadline-grant' },
    ]);
    this.#item.name = 'Loadline';
    this.#parts = Disposable.from(
      this.#item,
      server.onStatus((status) => {
        this.#known.set(status.uri, status);
        this.#show();
      }),
      window.onDidChangeActiveTextEditor(() => this.#show()),
    );
    this.#show();
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #show(): void {
    const uri = window.activeTextEditor?.document.uri.toString();
    const status = uri === undefined ? undefined : this.#known.get(uri);
    this.#item.text = status === undefined ? 'Loadline' : TEXTS[status.verdict]();
    this.#item.detail = status?.problem ?? status?.engine ?? l10n.t('Engine not asked yet');
    this.#item.busy = status?.busy ?? false;
    this.#item.severity = severityOf(status);
    this.#item.command =
      status === undefined || status.problem !== undefined
        ? { command: 'loadline.showLog', title: l10n.t('Show Log') }
        : { command: 'loadline.qualify', title: l10n.t('Qualify'), arguments: [{ uri }] };
  }
}

function severityOf(status: StatusParams | undefined): LanguageStatusSeverity {
  if (status?.problem !== undefined) return LanguageStatusSeverity.Warning;
  if (status?.verdict === 'failed') return LanguageStatusSeverity.Error;
  return status?.verdict === 'stale' ? LanguageStatusSeverity.Warning : LanguageStatusSeverity.Information;
}
