/** LSP wiring only: each handler is one call into a feature, behind the error wall. */
import {
  type CancellationToken,
  CodeActionKind,
  type CompletionList,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type FileDelete,
  type FileOperationRegistrationOptions,
  type FileRename,
  type FileSystemWatcher,
  type InitializeParams,
  type InitializeResult,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
  type TextDocumentsConfiguration,
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
  TYPINGS_SCHEME,
  type UriParams,
} from '../../shared/src/protocol.ts';
import { clientAbilities, editorAbilities } from './editorAbilities.ts';
import { codeActions } from './language/codeAction.ts';
import { adapterLenses } from './language/codeLens.ts';
import { completeAdapter, resolveCompletion, uriOfItem } from './language/completion.ts';
import { completionList } from './language/completionList.ts';
import { completeConfig } from './language/configCompletion.ts';
import { configLinks, definitionInConfig, hoverConfig } from './language/configFeatures.ts';
import { definitionInAdapter } from './language/definition.ts';
import { definitionInDocument, documentLenses, hoverDocument } from './language/documentFeatures.ts';
import type { FileContext } from './language/feature.ts';
import { completeGrant } from './language/grantCompletion.ts';
import {
  definitionInGrant,
  grantFolds,
  grantLenses,
  grantLinks,
  hoverGrant,
} from './language/grantFeatures.ts';
import { formatGrant } from './language/grantFormat.ts';
import { hoverAdapter } from './language/hover.ts';
import { signatureOfCall } from './language/signatureHelp.ts';
import { hoverVerdictFile } from './language/verdictFile.ts';
import { COMMAND_NAMES, runCommand } from './session/commands.ts';
import { pathOf } from './session/openProject.ts';
import { Session } from './session/session.ts';
import { verdictFileAnswer } from './session/verdictView.ts';

const WATCHED: FileSystemWatcher[] = [
  '**/loadline.json',
  '**/loadline.scenarios.json',
  '**/*.grant',
  '**/*.verdicts.jsonl',
  '**/*.js',
  '**/*.{yaml,yml,json}',
].map((globPattern) => ({ globPattern }));

/** Files whose results go along when they are renamed or deleted. */
const ADAPTERS: FileOperationRegistrationOptions = {
  filters: [{ scheme: 'file', pattern: { glob: '**/*.js' } }],
};

/** Each version of a document is a value of its own: a feature that waits keeps the text that it was asked about. */
const SNAPSHOTS: TextDocumentsConfiguration<TextDocument> = {
  create: TextDocument.create,
  update: (document, changes, version) => {
    const copy = TextDocument.create(document.uri, document.languageId, document.version, document.getText());
    return TextDocument.update(copy, changes, version);
  },
};

/** Error code of a command that says why it cannot be done. */
const REFUSED = -32_803;

export function wire(connection: Connection): Connection {
  const documents = new TextDocuments(SNAPSHOTS);
  const session = new Session(connection, documents, __dirname);

  connection.onInitialize((params) => initialize(session, params));
  connection.onInitialized(() => {
    const { watching, settingsEvents, folderEvents } = session.abilities;
    if (watching)
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: WATCHED });
    if (settingsEvents) void connection.client.register(DidChangeConfigurationNotification.type);
    if (folderEvents)
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) =>
        session.noteFolders(pathsOf(added), pathsOf(removed)),
      );
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
  connection.workspace.onWillRenameFiles(({ files }) =>
    session.wall.guard('rename', null, () => ({ documentChanges: session.renamesAlong(files.map(movedOf)) })),
  );
  connection.workspace.onDidRenameFiles(({ files }) =>
    session.wall.guard('rename', undefined, () => session.noteMoved(files.map(movedOf))),
  );
  connection.workspace.onDidDeleteFiles(({ files }) =>
    session.wall.guard('deletion', undefined, () => session.noteMoved(files.map(deletedOf))),
  );
  connection.onDidChangeConfiguration(({ settings }) => session.noteSettings(settings));

  const on = <Answer>(
    name: string,
    uri: string,
    token: CancellationToken,
    empty: Answer,
    work: (context: FileContext) => Promise<Answer>,
  ) =>
    session.wall.guard(
      name,
      empty,
      async () => {
        const context = await session.context(uri);
        // A cancellation that came meanwhile is read before the work begins.
        await new Promise(setImmediate);
        return context === null || token.isCancellationRequested ? empty : work(context);
      },
      token,
    );
  connection.onCompletion(({ textDocument, position }, token) =>
    on('completion', textDocument.uri, token, NO_COMPLETIONS, async (context) =>
      completionList(context.editor, [
        ...(await completeAdapter(context, position)),
        ...completeGrant(context, position),
        ...completeConfig(context, position),
      ]),
    ),
  );
  connection.onCompletionResolve((item, token) =>
    on('completion details', uriOfItem(item), token, item, async (context) =>
      resolveCompletion(context, item),
    ),
  );
  connection.onHover(({ textDocument, position }, token) =>
    on(
      'hover',
      textDocument.uri,
      token,
      null,
      async (context) =>
        (await hoverAdapter(context, position)) ??
        (await hoverVerdictFile(context, position)) ??
        (await hoverDocument(context, position)) ??
        hoverConfig(context, position) ??
        hoverGrant(context, position),
    ),
  );
  connection.onSignatureHelp(({ textDocument, position }, token) =>
    on('signature help', textDocument.uri, token, null, (context) => signatureOfCall(context, position)),
  );
  connection.onDefinition(({ textDocument, position }, token) =>
    on('definition', textDocument.uri, token, [], async (context) => [
      ...(await definitionInAdapter(context, position)),
      ...definitionInGrant(context, position),
      ...definitionInDocument(context, position),
      ...definitionInConfig(context, position),
    ]),
  );
  connection.onCodeAction(({ textDocument, range, context: { diagnostics } }, token) =>
    on('code action', textDocument.uri, token, [], (context) => codeActions(context, range, diagnostics)),
  );
  connection.onCodeLens(({ textDocument }, token) =>
    on('code lens', textDocument.uri, token, [], async (context) => [
      ...(await adapterLenses(context)),
      ...grantLenses(context),
      ...(await documentLenses(context)),
    ]),
  );
  connection.onDocumentLinks(({ textDocument }, token) =>
    on('document links', textDocument.uri, token, [], async (context) => [
      ...grantLinks(context),
      ...configLinks(context),
    ]),
  );
  connection.onDocumentFormatting(({ textDocument }, token) =>
    on('formatting', textDocument.uri, token, [], async (context) => formatGrant(context)),
  );
  connection.onFoldingRanges(({ textDocument }, token) =>
    on('folding', textDocument.uri, token, [], async (context) => grantFolds(context)),
  );
  connection.languages.diagnostics.on(async ({ textDocument }, token) => ({
    kind: 'full',
    items: await session.diagnostics.of(textDocument.uri, token),
  }));
  connection.workspace.textDocumentContent.on(async ({ uri }) => ({
    text: await session.wall.guard('virtual text', '', () => session.virtualText(uri)),
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
  connection.onRequest(MESSAGES.verdictFile, ({ uri }: UriParams) =>
    refusing(() => verdictFileAnswer(session, uri)),
  );
  connection.onNotification(MESSAGES.keysChanged, () => session.noteKeysChanged());

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

const NO_COMPLETIONS: CompletionList = { isIncomplete: false, items: [] };
const movedOf = ({ oldUri, newUri }: FileRename) => ({ from: oldUri, to: newUri });
const deletedOf = ({ uri }: FileDelete) => ({ from: uri, to: null });

function pathsOf(folders: readonly { uri: string }[]): string[] {
  return folders.flatMap(({ uri }) => pathOf(uri) ?? []);
}

function initialize(session: Session, params: InitializeParams): InitializeResult {
  const options: InitializationOptions = params.initializationOptions ?? {};
  const folders = params.workspaceFolders ?? (params.rootUri ? [{ uri: params.rootUri }] : []);
  session.folders = pathsOf(folders);
  session.setEditorState(options);
  session.abilities = clientAbilities(params.capabilities);
  session.workspace.editor = editorAbilities(params.capabilities);
  return {
    serverInfo: { name: 'loadline', version },
    capabilities: {
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      completionProvider: {
        triggerCharacters: ['.', '"', "'", '{', '/', '?', ':', '@'],
        resolveProvider: true,
      },
      hoverProvider: true,
      signatureHelpProvider: { triggerCharacters: ['(', ','] },
      definitionProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      codeLensProvider: {},
      documentLinkProvider: {},
      documentFormattingProvider: true,
      foldingRangeProvider: true,
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
        workspaceFolders: { supported: true, changeNotifications: true },
        fileOperations: { willRename: ADAPTERS, didRename: ADAPTERS, didDelete: ADAPTERS },
        textDocumentContent: { schemes: [LEDGER_SCHEME, TYPINGS_SCHEME] },
      },
    },
  };
}
