/** What leaves the editor as a file: SARIF, public keys. And the key's replacement. */
import { l10n, Uri, window, workspace } from 'vscode';
import { COMMANDS, type TextAnswer } from '../../shared/src/protocol.ts';
import type { Server } from './languageClient.ts';
import { onAdapter, type Parts } from './parts.ts';

export async function exportSarif(parts: Parts, argument: unknown): Promise<void> {
  const answer = await onAdapter(parts, argument, (params) =>
    parts.server.command<TextAnswer>(COMMANDS.exportSarif, params),
  );
  if (answer !== undefined) await saveAs(answer.text, 'loadline.sarif');
}

export async function exportPublicKey(server: Server): Promise<void> {
  const { text } = await server.command<TextAnswer>(COMMANDS.exportKeys, {});
  await saveAs(text, 'loadline-keys.json');
}

/** Asks first: lines signed from now on name another key. */
export async function rotateKey(server: Server): Promise<void> {
  const rotate = l10n.t('Replace the Key');
  const picked = await window.showWarningMessage(
    l10n.t(
      'Replace your signing key? Verdicts signed so far stay verifiable; give the new public key to those who trust you.',
    ),
    { modal: true },
    rotate,
  );
  if (picked !== rotate) return;
  const { kid } = await server.command<{ kid: string }>(COMMANDS.rotateKey, {});
  void window.showInformationMessage(l10n.t('The new key is {0}.', kid));
}

async function saveAs(text: string, name: string): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const target = await window.showSaveDialog(folder ? { defaultUri: Uri.joinPath(folder, name) } : {});
  if (target === undefined) return;
  await workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await window.showTextDocument(target, { preview: true });
}
