/** A new adapter folder: pick the vendor's document, the operations to grant, the place. */
import { l10n, type QuickPickItem, Uri, window, workspace } from 'vscode';
import { COMMANDS, type DocumentOperationsAnswer, type NewAdapterAnswer } from '../../shared/src/protocol.ts';
import type { Server } from './languageClient.ts';

interface OperationPick extends QuickPickItem {
  name: string;
}

const DOCUMENTS = '**/*{openapi,swagger,api}*.{yaml,yml,json}';

export async function newAdapter(server: Server, argument: unknown): Promise<void> {
  if (!workspace.isTrusted) {
    void window.showInformationMessage(
      l10n.t('A new adapter writes files, so it needs a trusted workspace.'),
    );
    return;
  }
  const document = argument instanceof Uri ? argument : await pickDocument();
  if (document === undefined) return;
  const uri = document.toString();
  const { title, operations } = await server.command<DocumentOperationsAnswer>(COMMANDS.documentOperations, {
    uri,
  });
  const picked = await window.showQuickPick<OperationPick>(
    operations.map(({ name, route, summary, reads }) => ({
      label: route,
      description: name,
      detail: summary,
      picked: reads,
      name,
    })),
    {
      title: l10n.t('What may the adapter call of {0}?', title),
      placeHolder: l10n.t('Reads are picked already; add the writes that it needs'),
      canPickMany: true,
      matchOnDescription: true,
    },
  );
  if (picked === undefined) return;
  const folder = await pickFolder(document);
  if (folder === undefined) return;
  const granted = picked.map(({ name }) => name);
  const { files } = await server.command<NewAdapterAnswer>(COMMANDS.newAdapter, {
    uri,
    folder: folder.toString(),
    granted,
  });
  const [adapter] = files;
  if (adapter !== undefined) await window.showTextDocument(Uri.parse(adapter));
}

async function pickDocument(): Promise<Uri | undefined> {
  const found = await workspace.findFiles(DOCUMENTS, '**/node_modules/**', 50);
  const browse = { label: l10n.t('$(folder-opened) Another file…'), uri: undefined };
  const picks = found.map((uri) => ({ label: workspace.asRelativePath(uri), uri }));
  if (picks.length > 0) {
    const picked = await window.showQuickPick([...picks, browse], {
      title: l10n.t("The vendor's OpenAPI document"),
    });
    if (picked === undefined) return undefined;
    if (picked.uri !== undefined) return picked.uri;
  }
  const opened = await window.showOpenDialog({
    canSelectMany: false,
    filters: { OpenAPI: ['yaml', 'yml', 'json'] },
    title: l10n.t("The vendor's OpenAPI document"),
  });
  return opened?.[0];
}

/** The folder of the document where it holds no project yet, else one that is named. */
async function pickFolder(document: Uri): Promise<Uri | undefined> {
  const root = workspace.getWorkspaceFolder(document)?.uri ?? workspace.workspaceFolders?.[0]?.uri;
  const name = await window.showInputBox({
    title: l10n.t('Folder of the new adapter'),
    prompt: l10n.t(
      'Relative to {0}. It must not hold a loadline.json yet.',
      root ? workspace.asRelativePath(root) : document.path,
    ),
    value: 'adapter',
    validateInput: (text) =>
      /^[\w][\w./-]*$/.test(text) && !text.split('/').includes('..')
        ? undefined
        : l10n.t('A plain folder name.'),
  });
  if (name === undefined) return undefined;
  return Uri.joinPath(root ?? Uri.joinPath(document, '..'), name);
}
