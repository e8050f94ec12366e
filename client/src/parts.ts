/** What commands and views share: the server, the adapters, and how something is run on one of them. */
import { type ExtensionContext, l10n, Uri, window } from 'vscode';
import type { UriParams } from '../../shared/src/protocol.ts';
import { type Adapters, uriOf } from './adapters.ts';
import type { Server } from './languageClient.ts';

export interface Parts {
  context: ExtensionContext;
  server: Server;
  adapters: Adapters;
}

/** A command that fails says so in one sentence; the log has the rest. */
export async function walled(server: Server, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    server.log.error(text);
    void window.showErrorMessage(text);
    return undefined;
  }
}

/** Runs something on the adapter that a command names, else on the one in front. */
export async function onAdapter<Answer>(
  { adapters }: Parts,
  argument: unknown,
  work: (params: UriParams & Record<string, unknown>) => Promise<Answer>,
): Promise<Answer | undefined> {
  const uri = uriOf(argument) ?? (adapters.current() && Uri.parse(adapters.current()?.uri ?? ''));
  if (uri === undefined) {
    void window.showInformationMessage(l10n.t('Open an adapter first: a file that a loadline.json names.'));
    return undefined;
  }
  const given = typeof argument === 'object' && !(argument instanceof Uri) ? argument : {};
  return work({ ...given, uri: uri.toString() });
}
