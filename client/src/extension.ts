import type { ExtensionContext } from 'vscode';
import { startLanguageClient, stopLanguageClient } from './languageClient.ts';

export async function activate(context: ExtensionContext): Promise<void> {
  await startLanguageClient(context);
}

export async function deactivate(): Promise<void> {
  await stopLanguageClient();
}
