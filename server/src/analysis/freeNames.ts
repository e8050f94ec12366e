/** Names that a file uses and does not declare. */
import ts from 'typescript';
import type { FreeName } from './facts.ts';
import type { Scopes } from './scope.ts';
import { eachNode, enclosingFunction } from './syntax.ts';

export function freeNames(sourceFile: ts.SourceFile, scopes: Scopes): FreeName[] {
  const found: FreeName[] = [];
  eachNode(sourceFile, (node) => {
    if (!ts.isIdentifier(node) || node.text === '' || !isValue(node)) return;
    if (scopes.declarationOf(node) !== null || isArguments(node)) return;
    const span = { start: node.getStart(sourceFile), end: node.getEnd() };
    found.push({ name: node.text, span, guarded: ts.isTypeOfExpression(node.parent) });
  });
  // `import(…)` and `import.meta` are keywords to the parser and names to the sandbox.
  eachNode(sourceFile, (node) => {
    if (node.kind !== ts.SyntaxKind.ImportKeyword || !ts.isCallExpression(node.parent)) return;
    const span = { start: node.getStart(sourceFile), end: node.getEnd() };
    found.push({ name: 'import', span, guarded: false });
  });
  return found.sort((a, b) => a.span.start - b.span.start);
}

function isArguments(name: ts.Identifier): boolean {
  if (name.text !== 'arguments') return false;
  for (let fn = enclosingFunction(name); fn !== null; fn = enclosingFunction(fn)) {
    if (!ts.isArrowFunction(fn)) return true;
  }
  return false;
}

/** Whether the identifier reads or writes a variable, and is not the name of a member, a label or a declaration. */
function isValue(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === name;
  if (ts.isBindingElement(parent)) return parent.initializer === name;
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.initializer === name;
  if (ts.isPropertyDeclaration(parent) || ts.isEnumMember(parent)) return parent.initializer === name;
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)) return false;
  if (ts.isExpressionWithTypeArguments(parent)) return true;
  if (ts.isMetaProperty(parent) || ts.isTypeNode(parent) || ts.isJSDoc(parent)) return false;
  if (ts.isImportClause(parent) || ts.isImportSpecifier(parent) || ts.isNamespaceImport(parent)) return false;
  if (ts.isExportSpecifier(parent)) return false;
  if (ts.isFunctionLike(parent) || ts.isClassLike(parent)) {
    return ts.isArrowFunction(parent) && parent.body === name;
  }
  if (ts.isTypeElement(parent) || ts.isTypeAliasDeclaration(parent)) return false;
  if (ts.isInterfaceDeclaration(parent) || ts.isEnumDeclaration(parent)) return false;
  return !ts.isTypeParameterDeclaration(parent) && !ts.isQualifiedName(parent);
}
