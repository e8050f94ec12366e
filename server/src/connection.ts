/** LSP wiring only: each handler is one call into a feature, behind the error wall. */
import {
  CodeActionKind,
  type Connection,
  DidChangeWatchedFilesNotification,
  type FileSystemWatcher,
  type InitializeParams,
  type InitializeResult,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { version } from '../../package.json';
import {
  type CancelRunParams,
  type EditorStateParams,
  type EvidenceParams,
  type InitializationOptions,
  LEDGER_SCHEME,
  MESSAGES,
} from '../../shared/src/protocol.ts';
import { codeActions } from './language/codeAction.ts';
import { adapterLenses } from './language/codeLens.ts';
import { completeAdapter } from './language/completion.ts';
import { definitionInAdapter } from './language/definition.ts';
import type { FileContext } from './language/feature.ts';
import { hoverAdapter } from './language/hover.ts';
import { signatureOfCall } from './language/signatureHelp.ts';
import { COMMAND_NAMES, runCommand } from './session/commands.ts';
import { pathOf } from './session/openProject.ts';
import { Session } from './session/session.ts';

const WATCHED: FileSystemWatcher[] = [
  '**/loadline.json',
  '**/*.grant',
  '**/*.verdicts.jsonl',
  '**/*.js',
  '**/*.{yaml,yml,json}',
].map((globPattern) => ({ globPattern }));

/** Error code of a command that says why it cannot be done. */
const REFUSED = -32_803;

export function wire(connection: Connection): Connection {
  const documents = new TextDocuments(TextDocument);
  const session = new Session(connection, documents, __dirname);

  connection.onInitialize((params) => initialize(session, params));
  connection.onInitialized(() => {
    if (session.abilities.watching)
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: WATCHED });
  });
  connection.onShutdown(() => session.stop());

  documents.onDidOpen(({ document: { uri } }) => {
    session.diagnostics.note(uri);
    void session.tellOpened(uri);
  });
  documents.onDidChangeContent(({ document: { uri } }) => {
    void session.workspace.noteChange(uri);
    session.diagnostics.note(uri);
  });
  documents.onDidClose(({ document: { uri } }) => {
    void session.workspace.noteChange(uri);
    session.diagnostics.close(uri);
  });
  connection.onDidChangeWatchedFiles(async ({ changes }) => {
    for (const { uri } of changes) await session.noteFile(uri);
  });
  connection.onDidChangeConfiguration(() => session.noteSettings());

  const on = <Answer>(
    name: string,
    uri: string,
    empty: Answer,
    work: (context: FileContext) => Promise<Answer>,
  ) =>
    session.wall.guard(name, empty, async () => {
      const context = await session.context(uri);
      return context === null ? empty : work(context);
    });
  connection.onCompletion(({ textDocument, position }) =>
    on('completion', textDocument.uri, [], (context) => completeAdapter(context, position)),
  );
  connection.onHover(({ textDocument, position }) =>
    on('hover', textDocument.uri, null, (context) => hoverAdapter(context, position)),
  );
  connection.onSignatureHelp(({ textDocument, position }) =>
    on('signature help', textDocument.uri, null, (context) => signatureOfCall(context, position)),
  );
  connection.onDefinition(({ textDocument, position }) =>
    on('definition', textDocument.uri, [], (context) => definitionInAdapter(context, position)),
  );
  connection.onCodeAction(({ textDocument, range, context: { diagnostics } }) =>
    on('code action', textDocument.uri, [], (context) => codeActions(context, range, diagnostics)),
  );
  connection.onCodeLens(({ textDocument }) =>
    on('code lens', textDocument.uri, [], (context) => adapterLenses(context)),
  );
  connection.languages.diagnostics.on(async ({ textDocument }) => ({
    kind: 'full',
    items: await session.diagnostics.of(textDocument.uri),
  }));
  connection.workspace.textDocumentContent.on(async ({ uri }) => ({
    text: await session.wall.guard('ledger', '', () => session.ledger(uri)),
  }));

  connection.onExecuteCommand(({ command, arguments: [params] = [] }) =>
    refusing(() => runCommand(session, command, params)),
  );
  connection.onNotification(MESSAGES.editorState, (params: EditorStateParams) =>
    session.setEditorState(params),
  );
  connection.onRequest(MESSAGES.cancelRun, ({ run }: CancelRunParams) => session.runs.cancel(run));
  connection.onRequest(MESSAGES.adapters, () =>
    session.wall.guard('adapters', { adapters: [] }, () => session.adapters()),
  );
  connection.onRequest(MESSAGES.evidence, (params: EvidenceParams) =>
    refusing(() => session.evidence(params)),
  );

  documents.listen(connection);
  return connection;
}

/** A command's error is a sentence for people, not a fault of the server. */
async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw new ResponseError(REFUSED, error instanceof Error ? error.message : String(error));
  }
}

function initialize(session: Session, params: InitializeParams): InitializeResult {
  const { workspace, textDocument, window } = params.capabilities;
  const options: InitializationOptions = params.initializationOptions ?? {};
  const folders = params.workspaceFolders ?? (params.rootUri ? [{ uri: params.rootUri, name: '' }] : []);
  session.folders = folders.flatMap(({ uri }) => pathOf(uri) ?? []);
  session.setEditorState(options);
  session.abilities = {
    configuration: workspace?.configuration === true,
    lensRefresh: workspace?.codeLens?.refreshSupport === true,
    progress: window?.workDoneProgress === true,
    watching: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
  };
  const published = textDocument?.publishDiagnostics;
  session.workspace.editor = {
    snippets: textDocument?.completion?.completionItem?.snippetSupport === true,
    markdown: textDocument?.hover?.contentFormat?.includes('markdown') === true,
    relatedInformation: published?.relatedInformation === true || textDocument?.diagnostic !== undefined,
    codeDescription: published?.codeDescriptionSupport === true || textDocument?.diagnostic !== undefined,
    textDocumentContent: workspace?.textDocumentContent !== undefined,
    pullDiagnostics:
      textDocument?.diagnostic !== undefined && workspace?.diagnostics?.refreshSupport === true,
  };
  return {
    serverInfo: { name: 'loadline', version },
    capabilities: {
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      completionProvider: { triggerCharacters: ['.', '"', "'", '{', '/', '?', ':', '@'] },
      hoverProvider: true,
      signatureHelpProvider: { triggerCharacters: ['(', ','] },
      definitionProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      codeLensProvider: {},
      executeCommandProvider: { commands: [...COMMAND_NAMES] },
      ...(session.workspace.editor.pullDiagnostics
        ? {
            diagnosticProvider: {
              identifier: 'loadline',
              interFileDependencies: true,
              workspaceDiagnostics: false,
            },
          }
        : {}),
      workspace: {
        workspaceFolders: { supported: true },
        textDocumentContent: { schemes: [LEDGER_SCHEME] },
      },
    },
  };
}
