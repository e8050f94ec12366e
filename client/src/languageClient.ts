import { type ExtensionContext, l10n, window } from 'vscode';
import { LanguageClient, type LanguageClientOptions, TransportKind } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

const clientOptions: LanguageClientOptions = {
  documentSelector: [
    { scheme: 'file', language: 'javascript' },
    { scheme: 'file', language: 'loadline-grant' },
    { scheme: 'file', pattern: '**/loadline.json' },
  ],
};

/** Starts the server beside the extension; a start that fails is said once. */
export async function startLanguageClient(context: ExtensionContext): Promise<void> {
  const module = context.asAbsolutePath('dist/server.js');
  const server = { module, transport: TransportKind.ipc };
  client = new LanguageClient('loadline', 'Loadline', { run: server, debug: server }, clientOptions);
  try {
    await client.start();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    void window.showErrorMessage(l10n.t('The Loadline server did not start: {0}', text));
  }
}

export async function stopLanguageClient(): Promise<void> {
  await client?.stop();
  client = undefined;
}
