/** LSP wiring only: each handler is one call into a feature. */
import type { Connection, InitializeResult } from 'vscode-languageserver/node';
import { version } from '../../package.json';

export function wire(connection: Connection): Connection {
  connection.onInitialize(
    (): InitializeResult => ({ capabilities: {}, serverInfo: { name: 'loadline', version } }),
  );
  return connection;
}
