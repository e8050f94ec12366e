/** Entry of the extension: wiring alone. Nothing is awaited, so that the editor's start does not wait for a server. */
import type { ExtensionContext, TestItemCollection } from 'vscode';
import { Adapters } from './adapters.ts';
import { registerCommands } from './commands.ts';
import { Server } from './languageClient.ts';
import { registerLanguageTools } from './languageTools.ts';
import type { Parts } from './parts.ts';
import { Problems } from './problems.ts';
import { StatusItem } from './status.ts';
import { TestExplorer } from './testExplorer.ts';

let server: Server | undefined;

/** What another extension gets from this one. */
export interface LoadlineApi {
  /** Adapter > scenario > rule, as the Test Explorer lists them. */
  readonly tests: TestItemCollection;
}

export function activate(context: ExtensionContext): LoadlineApi {
  server = new Server(context);
  const adapters = new Adapters(server);
  const parts: Parts = { context, server, adapters };
  const explorer = new TestExplorer(server, adapters);
  context.subscriptions.push(
    server,
    adapters,
    new StatusItem(server),
    new Problems(server),
    explorer,
    registerCommands(parts),
    registerLanguageTools(parts),
  );
  void adapters.refresh();
  return { tests: explorer.items };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
