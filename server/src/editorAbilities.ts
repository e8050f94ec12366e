/** What an editor can do, from what it says of itself. */
import type { ClientCapabilities } from 'vscode-languageserver';
import type { EditorAbilities } from './language/feature.ts';
import type { Session } from './session/session.ts';

export function editorAbilities({ workspace, textDocument }: ClientCapabilities): EditorAbilities {
  const published = textDocument?.publishDiagnostics;
  return {
    snippets: textDocument?.completion?.completionItem?.snippetSupport === true,
    resolvesCompletions:
      textDocument?.completion?.completionItem?.resolveSupport?.properties.includes('documentation') === true,
    completionDefaults: textDocument?.completion?.completionList?.itemDefaults ?? [],
    markdown: textDocument?.hover?.contentFormat?.includes('markdown') === true,
    relatedInformation: published?.relatedInformation === true || textDocument?.diagnostic !== undefined,
    codeDescription: published?.codeDescriptionSupport === true || textDocument?.diagnostic !== undefined,
    textDocumentContent: workspace?.textDocumentContent !== undefined,
    pullDiagnostics:
      textDocument?.diagnostic !== undefined && workspace?.diagnostics?.refreshSupport === true,
  };
}

/** The same, of what no feature asks for. */
export function clientAbilities({ workspace, window }: ClientCapabilities): Session['abilities'] {
  return {
    configuration: workspace?.configuration === true,
    lensRefresh: workspace?.codeLens?.refreshSupport === true,
    progress: window?.workDoneProgress === true,
    watching: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    settingsEvents: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    folderEvents: workspace?.workspaceFolders === true,
    showDocument: window?.showDocument?.support === true,
  };
}
