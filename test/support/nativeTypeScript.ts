/** The JavaScript service of editors with TypeScript 7: a program of its own that speaks LSP. */
import { CompletionItemKind, type CompletionList } from 'vscode-languageserver';
import { typescript7 } from '../../scripts/setup-typescript7.mjs';
import { Editor, hoverText, uriOf } from './lspClient.ts';
import type { Entry, JavaScriptService } from './tsserver.ts';

export class NativeTypeScript implements JavaScriptService {
  readonly #editor: Promise<Editor>;

  constructor(folder: string) {
    this.#editor = Editor.start({ folders: [folder], command: [typescript7, '--lsp', '--stdio'] });
  }

  async open(file: string, text: string): Promise<void> {
    await (await this.#editor).open(file, text);
  }

  async complete(file: string, search: string): Promise<Entry[]> {
    const editor = await this.#editor;
    const list: CompletionList | null = await editor.connection.sendRequest(
      'textDocument/completion',
      editor.at(uriOf(file), search, search.length),
    );
    return (list?.items ?? []).map(({ label, kind, tags }) => ({
      name: label,
      isWord: kind === CompletionItemKind.Text,
      isDeprecated: tags?.includes(1) === true,
    }));
  }

  /** Without the fence around it. */
  async hover(file: string, search: string): Promise<string> {
    const hover = await (await this.#editor).hover(uriOf(file), search, search.length - 1);
    return hoverText(hover)?.split('\n')[1] ?? '';
  }

  async stop(): Promise<void> {
    await (await this.#editor).stop();
  }
}
