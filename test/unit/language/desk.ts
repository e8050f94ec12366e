/** Features of adapters asked in this process: a file as the editor holds it, a cursor written as `|`. */
import type { Position } from 'vscode-languageserver';
import type { FileContext } from '../../../server/src/language/feature.ts';
import { Desk } from '../session/support.ts';

export interface Asked {
  context: FileContext;
  position: Position;
}

export class FeatureDesk extends Desk {
  /** `text` has one `|` where the cursor is. */
  async ask(text: string, name = 'adapter.js'): Promise<Asked> {
    const at = text.indexOf('|');
    const uri = this.open(name, text.slice(0, at) + text.slice(at + 1));
    const context = await this.workspace.context(uri);
    if (context === null) throw new Error(`${name} has no context.`);
    return { context, position: context.document.positionAt(at) };
  }
}
