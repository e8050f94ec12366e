/** Entry of the language server: stdio for other editors, IPC from the extension. */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { wire } from './connection.ts';

wire(createConnection(ProposedFeatures.all)).listen();
