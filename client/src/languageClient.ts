/** The language server as the rest of the client sees it: started on need, restarted on demand, its messages as events. */
import { type Disposable, EventEmitter, type ExtensionContext, l10n, window, workspace } from 'vscode';
import {
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  TransportKind,
} from 'vscode-languageclient/node';
import {
  type AdaptersAnswer,
  type EvidenceAnswer,
  type EvidenceParams,
  MESSAGES,
  type RunParams,
  type StatusParams,
  type UriParams,
  type VerdictFileAnswer,
} from '../../shared/src/protocol.ts';
import { editorState, watchEditorState } from './editorState.ts';

const SELECTOR = [
  { scheme: 'file', language: 'javascript' },
  { scheme: 'file', language: 'loadline-grant' },
  { scheme: 'file', pattern: '**/loadline.json' },
  { scheme: 'file', language: 'yaml' },
  { scheme: 'file', language: 'json' },
  { scheme: 'file', pattern: '**/*.verdicts.jsonl' },
];

export class Server implements Disposable {
  readonly log = window.createOutputChannel('Loadline', { log: true });
  readonly #script: string;
  readonly #runs = new EventEmitter<RunParams>();
  readonly #statuses = new EventEmitter<StatusParams>();
  readonly #adaptersChanged = new EventEmitter<void>();
  readonly #state: Disposable;
  #client: LanguageClient | null = null;
  #starting: Promise<LanguageClient> | null = null;

  readonly onRun = this.#runs.event;
  readonly onStatus = this.#statuses.event;
  readonly onAdaptersChanged = this.#adaptersChanged.event;

  constructor(context: ExtensionContext) {
    this.#script = context.asAbsolutePath('dist/server.js');
    this.#state = watchEditorState(
      () => void this.#client?.sendNotification(MESSAGES.editorState, editorState()),
    );
  }

  /** The running client; starts the server where it does not run. A start that fails is said once. */
  ready(): Promise<LanguageClient> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null;
      void this.#sayFailed(error);
      throw error;
    });
    return this.#starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.ready();
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#starting = null;
    await client?.dispose();
  }

  async command<Answer>(command: string, params: object): Promise<Answer> {
    const client = await this.ready();
    return client.sendRequest<Answer>('workspace/executeCommand', { command, arguments: [params] });
  }

  async adapters(): Promise<AdaptersAnswer> {
    return (await this.ready()).sendRequest<AdaptersAnswer>(MESSAGES.adapters, {});
  }

  async evidence(params: EvidenceParams): Promise<EvidenceAnswer> {
    return (await this.ready()).sendRequest<EvidenceAnswer>(MESSAGES.evidence, params);
  }

  async verdictFile(params: UriParams): Promise<VerdictFileAnswer> {
    return (await this.ready()).sendRequest<VerdictFileAnswer>(MESSAGES.verdictFile, params);
  }

  /** The file of trusted keys was changed. */
  async noteKeysChanged(): Promise<void> {
    await (await this.ready()).sendNotification(MESSAGES.keysChanged);
  }

  async cancelRun(run: string): Promise<void> {
    await (await this.ready()).sendRequest(MESSAGES.cancelRun, { run });
  }

  dispose(): void {
    this.#state.dispose();
    for (const part of [this.#runs, this.#statuses, this.#adaptersChanged, this.log]) part.dispose();
  }

  async #start(): Promise<LanguageClient> {
    const server = { module: this.#script, transport: TransportKind.ipc };
    const client = new LanguageClient(
      'loadline',
      'Loadline',
      { run: server, debug: server },
      this.#options(),
    );
    client.onNotification(MESSAGES.run, (params: RunParams) => this.#runs.fire(params));
    client.onNotification(MESSAGES.status, (params: StatusParams) => this.#statuses.fire(params));
    client.onNotification(MESSAGES.adaptersChanged, () => this.#adaptersChanged.fire());
    await client.start();
    this.#client = client;
    return client;
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      // A request that fails is for the log; what a person must know arrives as a message of ours.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: editorState(),
      synchronize: { configurationSection: 'loadline' },
      markdown: { isTrusted: false, supportHtml: false },
      diagnosticPullOptions: { onChange: true, onSave: true, onTabs: false },
    };
  }

  async #sayFailed(error: unknown): Promise<void> {
    this.log.error(error instanceof Error ? error : String(error));
    const show = l10n.t('Show Log');
    const retry = l10n.t('Try Again');
    const picked = await window.showErrorMessage(
      l10n.t('The Loadline server did not start. Its log says why.'),
      show,
      retry,
    );
    if (picked === show) this.log.show();
    if (picked === retry) await this.ready().catch(() => undefined);
  }
}

/** Whether a workspace is one that server and runs may be started for. */
export function isTrusted(): boolean {
  return workspace.isTrusted;
}
