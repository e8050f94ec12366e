/** `// loadline-disable-next-line code, code: reason`. */
import ts from 'typescript';
import type { Silence } from './facts.ts';

const WORDS = /^\s*loadline-disable-next-line\b(.*)$/s;

/** The comments of a file that silence rules; `codes` is empty where the comment names none. */
export function silencesOf(sourceFile: ts.SourceFile): Silence[] {
  const { text } = sourceFile;
  if (!text.includes('loadline-disable-next-line')) return [];
  return lineComments(sourceFile).flatMap(({ start, end }) => {
    const rest = WORDS.exec(text.slice(start + 2, end))?.[1];
    if (rest === undefined) return [];
    const colon = rest.indexOf(':');
    const list = colon < 0 ? rest : rest.slice(0, colon);
    return [
      {
        codes: list.split(/[\s,]+/).filter((code) => code !== ''),
        reason: colon < 0 ? '' : rest.slice(colon + 1).trim(),
        line: ts.getLineAndCharacterOfPosition(sourceFile, start).line + 1,
        span: { start, end },
      },
    ];
  });
}

/** Comments are in no tree: they stand before tokens. What looks like one within a string or template is none. */
function lineComments(sourceFile: ts.SourceFile): { start: number; end: number }[] {
  const found = new Map<number, { start: number; end: number }>();
  const { text } = sourceFile;
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(sourceFile);
    if (children.length > 0) {
      for (const child of children) visit(child);
      return;
    }
    const before = ts.getLeadingCommentRanges(text, node.pos) ?? [];
    for (const comment of [...before, ...(ts.getTrailingCommentRanges(text, node.end) ?? [])]) {
      if (comment.kind !== ts.SyntaxKind.SingleLineCommentTrivia || ts.isJsxText(node)) continue;
      found.set(comment.pos, { start: comment.pos, end: comment.end });
    }
  };
  visit(sourceFile);
  return [...found.values()].sort((a, b) => a.start - b.start);
}
