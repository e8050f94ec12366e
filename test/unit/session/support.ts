/** A workspace of the server in this process: documents as values, settings as given, no connection. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Workspace } from '../../../server/src/session/workspace.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/fleet', import.meta.url));

export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'loadline-session-'));
  readonly documents = new Map<string, TextDocument>();
  readonly folders = [this.folder];
  readonly workspace: Workspace;

  /** @param settings the section `loadline` for every file */
  constructor(settings?: unknown) {
    for (const name of ['loadline.json', 'fleet.grant', 'vendor.openapi.yaml'])
      cpSync(join(EXAMPLE, name), join(this.folder, name));
    this.workspace = new Workspace({
      documents: () => [...this.documents.values()],
      document: (uri) => this.documents.get(uri),
      folders: () => this.folders,
      configuration: async () => settings,
      results: () => ({ scenarios: () => [] }),
    });
    this.workspace.editor = {
      snippets: true,
      resolvesCompletions: true,
      completionDefaults: ['editRange', 'insertTextFormat', 'data'],
      markdown: true,
      relatedInformation: true,
      codeDescription: true,
      textDocumentContent: true,
      pullDiagnostics: true,
    };
  }

  /** Opens a text, or gives an open file another one; its URI. */
  open(name: string, text: string, languageId = 'javascript'): string {
    const uri = pathToFileURL(join(this.folder, name)).href;
    this.documents.set(uri, TextDocument.create(uri, languageId, 1, text));
    return uri;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  async dispose(): Promise<void> {
    await this.workspace.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
