/** Markdown of ours in the form that the editor shows. */
import { type MarkupContent, MarkupKind } from 'vscode-languageserver';
import type { EditorAbilities } from './feature.ts';

/** Markdown as it is, or what it says, where the editor shows plain text alone. */
export function markup({ markdown }: Pick<EditorAbilities, 'markdown'>, value: string): MarkupContent {
  return markdown
    ? { kind: MarkupKind.Markdown, value }
    : { kind: MarkupKind.PlainText, value: plainOf(value) };
}

/** The marks that we write (bold, inline code, escapes, two entities) are taken away. */
function plainOf(markdown: string): string {
  return markdown
    .replace(/(\\.)|\*\*|`/g, (_, escaped: string | undefined) => escaped?.slice(1) ?? '')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&');
}
