/** Formatting of a grant: columns within each block of lines; comments and line ends stay. */
import type { TextEdit } from 'vscode-languageserver';
import type { FileContext } from './feature.ts';

export function formatGrant({ kind, document }: FileContext): TextEdit[] {
  if (kind !== 'grant') return [];
  const text = document.getText();
  const formatted = formattedGrant(text);
  if (formatted === text) return [];
  const end = document.positionAt(text.length);
  return [{ range: { start: { line: 0, character: 0 }, end }, newText: formatted }];
}

/** Formatting twice changes nothing more. */
export function formattedGrant(text: string): string {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  const lines = text.split(/\r\n|\r|\n/).map(split);
  const blocks: Line[][] = [[]];
  for (const line of lines) {
    // Blank lines and directives part the columns of routes.
    if (line.words.length === 0 && line.comment === '') blocks.push([line], []);
    else blocks.at(-1)?.push(line);
  }
  return blocks
    .flatMap((block) => aligned(block))
    .map((line, index) => line + (ends[index] ?? ''))
    .join('');
}

interface Line {
  words: string[];
  comment: string;
}

function split(text: string): Line {
  const words: string[] = [];
  for (const match of text.matchAll(/[^ \t]+/g)) {
    if (match[0].startsWith('#')) return { words, comment: text.slice(match.index).trimEnd() };
    words.push(match[0]);
  }
  return { words, comment: '' };
}

function aligned(lines: readonly Line[]): string[] {
  const routes = lines.filter(({ words }) => words.length > 0 && !words[0]?.startsWith('@'));
  const widest = (column: number, of: readonly Line[]) =>
    Math.max(0, ...of.map(({ words }) => words[column]?.length ?? 0));
  const method = widest(0, routes);
  const path = widest(
    1,
    routes.filter(({ words }) => words.length > 2),
  );
  const directive = widest(
    0,
    lines.filter(({ words }) => words[0]?.startsWith('@')),
  );
  return lines.map(({ words, comment }) => {
    const [first = '', second = '', ...options] = words;
    const isDirective = first.startsWith('@');
    const head = first.padEnd(isDirective ? directive : method);
    const parts = isDirective
      ? [head, second, ...options]
      : [head, options.length > 0 ? second.padEnd(path) : second, ...options];
    const written =
      words.length === 0
        ? ''
        : parts
            .filter((part) => part !== '')
            .join(' ')
            .trimEnd();
    return [written, comment].filter((part) => part !== '').join('  ');
  });
}
