/** One adapter with its syntax tree and types: what rules inside `analysis/` work on. No node leaves this folder. */
import type ts from 'typescript';
import type { TextSpan } from './facts.ts';

export type FunctionNode =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration
  | ts.GetAccessorDeclaration
  | ts.SetAccessorDeclaration
  | ts.ConstructorDeclaration;

/** One exported name. */
export interface ExportedMember {
  name: string;
  /** Where the name is exported. */
  nameNode: ts.Node;
  /** The function behind it, or null where it could not be followed. */
  function: FunctionNode | null;
  /** False: it stands in a wrapper whose own function has other parameters than the contract's. */
  typed: boolean;
}

/** One use of the client, with the nodes that it was read from. */
export interface ClientUseNode {
  kind: 'call' | 'reference' | 'dynamic' | 'unknown';
  /** As in `ClientUse`. */
  name: string | null;
  /** The member's name or the bracketed expression. */
  nameNode: ts.Node;
  /** Of `call` the call expression, else the whole reference. */
  node: ts.Node;
  how?: string;
}

/**
 * The tree is that of the virtual text: the author's text plus insertions that type it. What a walker meets of them:
 * a parenthesis around the exported object, and `catch (e) { … }` as
 * `catch ($caught) { let e = ($caught); { … } }`.
 */
export interface AnalysedFile {
  /** Path relative to the project folder. */
  readonly file: string;
  readonly sourceFile: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  /** Exports that the contract knows; each name once. */
  readonly exports: readonly ExportedMember[];
  readonly clientUses: readonly ClientUseNode[];
  /** Name of the operation that this expression calls, granted or not; null: it calls none, or it cannot be told. */
  operationOf(call: ts.Node): string | null;
  /** Whether the expression's value is the client itself. */
  isClient(expression: ts.Expression): boolean;
  /** Lexical declaration of a name within this file, or null. */
  declarationOf(name: ts.Identifier): ts.Node | null;
  /** The author's span of a node, without its leading comments; null: it lies in an insertion. */
  toReal(node: ts.Node): TextSpan | null;
}
