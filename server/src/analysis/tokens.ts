/** The token at an offset, and where what we declare is declared. */
import ts from 'typescript';
import { CLIENT_FILE, CONTRACT_FILE, SANDBOX_FILE } from './declarations.ts';

/** The innermost node whose text holds the offset; of two that touch there, the one that begins. */
export function nodeAt(sourceFile: ts.SourceFile, offset: number): ts.Node {
  let at: ts.Node = sourceFile;
  for (;;) {
    const children: ts.Node[] = [];
    ts.forEachChild(at, (child) => {
      if (child.kind === ts.SyntaxKind.EndOfFileToken) return;
      if (child.getStart(sourceFile) <= offset && offset <= child.end) children.push(child);
    });
    const next = children.at(-1);
    if (next === undefined) return at;
    at = next;
  }
}

export type OurFile = 'client' | 'contract' | 'sandbox';

const FILES: readonly [string, OurFile][] = [
  [`/${CLIENT_FILE}`, 'client'],
  [`/${CONTRACT_FILE}`, 'contract'],
  [`/${SANDBOX_FILE}`, 'sandbox'],
];

/** Which of our virtual declarations this is in; null: the author's or the language's own. */
export function ourFileOf(declaration: ts.Node | undefined): OurFile | null {
  const name = declaration?.getSourceFile().fileName;
  return name === undefined ? null : (FILES.find(([ending]) => name.endsWith(ending))?.[1] ?? null);
}

/** A member of a body, an answer, an option, the contract's shapes or the client's error: ours to speak about. */
export function ourMember(symbol: ts.Symbol | undefined): OurFile | null {
  const declaration = symbol?.declarations?.[0];
  const file = ourFileOf(declaration);
  if (declaration === undefined || file === null) return null;
  if (!ts.isPropertySignature(declaration) && !ts.isMethodSignature(declaration)) return null;
  // Of the sandbox's declarations the caught error alone is not known to any JavaScript service.
  if (file === 'sandbox' && !isInNamespace(declaration, 'LoadlineThrown')) return null;
  return file;
}

function isInNamespace(node: ts.Node, name: string): boolean {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent)
    if (ts.isModuleDeclaration(at) && at.name.text === name) return true;
  return false;
}
