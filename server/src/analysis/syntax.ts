/** Small questions about syntax that several parts ask. */
import ts from 'typescript';
import type { FunctionNode } from './analysedFile.ts';

export function isFunctionNode(node: ts.Node | undefined): node is FunctionNode {
  return (
    node !== undefined &&
    (ts.isFunctionDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isArrowFunction(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isAccessor(node) ||
      ts.isConstructorDeclaration(node))
  );
}

/** The expression without parentheses, type assertions and `await`. */
export function bare(node: ts.Expression): ts.Expression {
  let at = node;
  while (ts.isParenthesizedExpression(at) || ts.isAsExpression(at) || ts.isNonNullExpression(at)) {
    at = at.expression;
  }
  return at;
}

/** The expression's value after an assignment or a comma: `exports = module.exports = {…}` gives the object. */
export function assignedValue(node: ts.Expression): ts.Expression {
  const at = bare(node);
  if (ts.isBinaryExpression(at)) {
    const operator = at.operatorToken.kind;
    if (operator === ts.SyntaxKind.EqualsToken || operator === ts.SyntaxKind.CommaToken) {
      return assignedValue(at.right);
    }
  }
  return at;
}

/** The name of a property where the text says it: an identifier, a string or a number. */
export function propertyName(name: ts.PropertyName | ts.BindingName | undefined): string | null {
  if (name === undefined) return null;
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) return name.expression.text;
  return null;
}

/** The member that `a.b` or `a["b"]` names, with the node of the name; null for everything else. */
export function memberOf(node: ts.Node): { object: ts.Expression; name: string; nameNode: ts.Node } | null {
  if (ts.isPropertyAccessExpression(node)) {
    return { object: node.expression, name: node.name.text, nameNode: node.name };
  }
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return { object: node.expression, name: node.argumentExpression.text, nameNode: node.argumentExpression };
  }
  return null;
}

/** What a function gives back: its `return` expressions, or the body of an arrow. Not those of functions in it. */
export function returnedExpressions(fn: FunctionNode): ts.Expression[] {
  const { body } = fn;
  if (body === undefined) return [];
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/** Calls `visit` on every node below, in the order of the text. */
export function eachNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  ts.forEachChild(root, (child) => {
    visit(child);
    eachNode(child, visit);
  });
}

/** The innermost function around a node, or null at the top of the file. */
export function enclosingFunction(node: ts.Node): FunctionNode | null {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (isFunctionNode(at)) return at;
  }
  return null;
}
