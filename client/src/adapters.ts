/** The adapters of the workspace as the server knows them, kept for all who show them. */
import { commands, Disposable, EventEmitter, Uri, window } from 'vscode';
import type { AdapterItem, RunParams, ScenarioItem } from '../../shared/src/protocol.ts';
import type { Server } from './languageClient.ts';

export class Adapters implements Disposable {
  readonly #server: Server;
  readonly #changed = new EventEmitter<void>();
  readonly #parts: Disposable;
  #items: readonly AdapterItem[] = [];
  #asking: Promise<void> | null = null;
  #again = false;

  readonly onChange = this.#changed.event;

  constructor(server: Server) {
    this.#server = server;
    this.#parts = Disposable.from(
      this.#changed,
      server.onAdaptersChanged(() => void this.refresh()),
      server.onRun((run) => this.#noteRun(run)),
    );
  }

  get items(): readonly AdapterItem[] {
    return this.#items;
  }

  /** The adapter of a document, or undefined. */
  of(uri: Uri | undefined): AdapterItem | undefined {
    return uri && this.#items.find((item) => item.uri === uri.toString());
  }

  /** The adapter in front, else the only one there is. */
  current(): AdapterItem | undefined {
    const active = this.of(window.activeTextEditor?.document.uri);
    return active ?? (this.#items.length === 1 ? this.#items[0] : undefined);
  }

  /** Asks the server anew; requests that come meanwhile become one. */
  async refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return this.#asking;
    }
    this.#asking = this.#ask().finally(() => {
      this.#asking = null;
      if (this.#again) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#asking;
  }

  dispose(): void {
    this.#parts.dispose();
  }

  async #ask(): Promise<void> {
    try {
      this.#items = (await this.#server.adapters()).adapters;
      setContext(this.#items);
      this.#changed.fire();
    } catch (error) {
      this.#server.log.warn(`The adapters could not be listed: ${String(error)}`);
    }
  }

  /** A run's events are applied at once, so that nothing waits for the next answer. */
  #noteRun({ adapter, state, scenario, result, draft }: RunParams): void {
    if (state !== 'scenario' || scenario === undefined) return;
    const change = (item: ScenarioItem): ScenarioItem =>
      item.id !== scenario
        ? item
        : result === undefined
          ? { ...item, state: 'running' }
          : { ...item, state: result.verdict, result, stale: false, signed: !draft && item.signed };
    this.#items = this.#items.map((item) =>
      item.uri === adapter
        ? { ...item, scenarios: item.scenarios.map(change), found: item.found.map(change) }
        : item,
    );
    this.#changed.fire();
  }
}

/** What `when` clauses of the manifest ask for. */
function setContext(items: readonly AdapterItem[]): void {
  const paths = items.map(({ uri }) => Uri.parse(uri).fsPath);
  void commands.executeCommand('setContext', 'loadline.adapters', paths);
  void commands.executeCommand('setContext', 'loadline.hasProject', items.length > 0);
}

/** What a command was called with: a lens gives `{uri}`, a menu a Uri, the palette nothing. */
export function uriOf(argument: unknown): Uri | undefined {
  if (argument instanceof Uri) return argument;
  if (typeof argument === 'string') return Uri.parse(argument);
  const { uri } = (argument ?? {}) as { uri?: unknown };
  if (typeof uri === 'string') return Uri.parse(uri);
  return window.activeTextEditor?.document.uri;
}
