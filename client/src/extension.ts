/** Entry of the extension: wiring alone. Nothing is awaited, so that the editor's start does not wait for a server. */
import type { ExtensionContext } from 'vscode';
import { Adapters } from './adapters.ts';
import { registerCommands } from './commands.ts';
import { Server } from './languageClient.ts';
import { registerLanguageTools } from './languageTools.ts';
import type { Parts } from './parts.ts';
import { Problems } from './problems.ts';
import { StatusItem } from './status.ts';
import { TestExplorer } from './testExplorer.ts';

let server: Server | undefined;

export function activate(context: ExtensionContext): void {
  server = new Server(context);
  const adapters = new Adapters(server);
  const parts: Parts = { context, server, adapters };
  context.subscriptions.push(
    server,
    adapters,
    new StatusItem(server),
    new Problems(server),
    new TestExplorer(server, adapters),
    registerCommands(parts),
    registerLanguageTools(parts),
  );
  void adapters.refresh();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
