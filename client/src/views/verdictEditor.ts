/** The readable view of a verdict file: an editor beside the text, which stays as it is. */
import { basename } from 'node:path';
import {
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  commands,
  Disposable,
  env,
  l10n,
  RelativePattern,
  Uri,
  type WebviewPanel,
  window,
  workspace,
} from 'vscode';
import type { VerdictFileAnswer } from '../../../shared/src/protocol.ts';
import { uriOf } from '../adapters.ts';
import { type Parts, walled } from '../parts.ts';
import { trustKey } from '../trustKey.ts';
import type { FromPage } from './messages.ts';
import { fillPage, type PagePanel } from './page.ts';

const VIEW = 'loadline.verdicts';

export function registerVerdictEditor(parts: Parts): Disposable {
  return Disposable.from(
    window.registerCustomEditorProvider(VIEW, new VerdictEditor(parts), {
      supportsMultipleEditorsPerDocument: true,
      webviewOptions: { retainContextWhenHidden: true },
    }),
    commands.registerCommand('loadline.openVerdicts', (argument?: unknown) =>
      walled(parts.server, () => openVerdicts(argument)),
    ),
  );
}

async function openVerdicts(argument: unknown): Promise<void> {
  const uri = uriOf(argument);
  if (uri?.path.endsWith('.verdicts.jsonl')) await commands.executeCommand('vscode.openWith', uri, VIEW);
  else
    void window.showInformationMessage(
      l10n.t('Open a verdict file first: its name ends in .verdicts.jsonl.'),
    );
}

class VerdictEditor implements CustomReadonlyEditorProvider {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  openCustomDocument(uri: Uri): CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: CustomDocument, panel: WebviewPanel): void {
    const { server, context } = this.#parts;
    const title = l10n.t('Verdicts');
    const page = fillPage(context, panel, { title, script: 'verdicts' }, (message) =>
      walled(server, () => shown.answer(message)),
    );
    const shown = new ShownFile(this.#parts, uri, page);
    panel.onDidDispose(() => shown.dispose());
  }
}

/** One open view. It shows what is on disk, for that is what was signed. */
class ShownFile implements Disposable {
  readonly #parts: Parts;
  readonly #uri: Uri;
  readonly #page: PagePanel;
  readonly #listening: Disposable;
  #known: VerdictFileAnswer | null = null;
  #asking: Promise<void> | null = null;
  #again = false;

  constructor(parts: Parts, uri: Uri, page: PagePanel) {
    this.#parts = parts;
    this.#uri = uri;
    this.#page = page;
    const watcher = workspace.createFileSystemWatcher(
      new RelativePattern(Uri.joinPath(uri, '..'), basename(uri.fsPath)),
    );
    const refresh = () => void this.#refresh();
    this.#listening = Disposable.from(
      watcher,
      watcher.onDidChange(refresh),
      watcher.onDidCreate(refresh),
      watcher.onDidDelete(refresh),
      parts.adapters.onChange(refresh),
      workspace.onDidGrantWorkspaceTrust(refresh),
    );
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async answer(message: FromPage): Promise<void> {
    const { server, context } = this.#parts;
    const row = 'line' in message ? this.#known?.rows.find(({ line }) => line === message.line) : undefined;
    switch (message.kind) {
      case 'ready':
        return this.#refresh();
      case 'verify':
        await commands.executeCommand('loadline.verify', this.#uri);
        return;
      case 'text':
        await commands.executeCommand('vscode.openWith', this.#uri, 'default');
        return;
      case 'copyLine':
        return this.#copy(message.line);
      case 'lineLedger':
        if (row?.says?.ledger) await window.showTextDocument(Uri.parse(row.says.ledger), { preview: true });
        return;
      case 'lineReplay':
        await commands.executeCommand('loadline.openReplay', {
          uri: this.#known?.adapter,
          scenario: row?.says?.scenario,
        });
        return;
      case 'trust': {
        const key = this.#known?.keys.find(({ kid }) => kid === message.kid);
        if (key === undefined || !workspace.isTrusted) return;
        if (await trustKey(context, key)) await server.noteKeysChanged();
        return this.#refresh();
      }
    }
  }

  /** Requests that come meanwhile become one. */
  async #refresh(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return this.#asking;
    }
    this.#asking = this.#ask().finally(() => {
      this.#asking = null;
      if (!this.#again) return;
      this.#again = false;
      void this.#refresh();
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      this.#known = await this.#parts.server.verdictFile({ uri: this.#uri.toString() });
      this.#page.send({ kind: 'verdicts', file: this.#known });
    } catch (error) {
      this.#known = null;
      const why = error instanceof Error ? error.message : String(error);
      this.#page.send({ kind: 'noVerdicts', why });
    }
  }

  /** The line as its bytes are, for `verify` elsewhere. */
  async #copy(line: number): Promise<void> {
    const text = new TextDecoder().decode(await workspace.fs.readFile(this.#uri));
    await env.clipboard.writeText(`${text.split('\n', line)[line - 1] ?? ''}\n`);
    void window.setStatusBarMessage(l10n.t('Line {0} is on the clipboard.', line), 5000);
  }
}
