/** Errors made by the adapter and thrown out of an export of the contract, with the codes that they carry. */
import ts from 'typescript';
import type { AnalysedAdapter } from './adapter.ts';
import type { FunctionNode } from './analysedFile.ts';
import type { ThrownFact } from './facts.ts';
import { bare, enclosingFunction, memberOf, propertyName } from './syntax.ts';

/**
 * Only what provably leaves: a `throw` in the export itself that no `try` of it catches, of an error that is made on the
 * spot. Others are `unknown` and not listed.
 */
export function thrownFacts(adapter: AnalysedAdapter): ThrownFact[] {
  const { mayThrow } = adapter.context.contract.statics;
  return adapter.exports.flatMap(({ name, function: fn }) => {
    if (fn === null || !mayThrow.includes(name)) return [];
    return throwsOf(fn).flatMap((statement) => {
      const span = adapter.toReal(statement);
      const code = codeOf(adapter, statement.expression);
      return span === null ? [] : [{ export: name, span, code }];
    });
  });
}

function throwsOf(fn: FunctionNode): ts.ThrowStatement[] {
  const found: ts.ThrowStatement[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isThrowStatement(node) && !isCaught(node, fn)) found.push(node);
    ts.forEachChild(node, visit);
  };
  if (fn.body !== undefined) ts.forEachChild(fn.body, visit);
  return found;
}

function isCaught(node: ts.Node, fn: FunctionNode): boolean {
  for (let at: ts.Node = node; at.parent !== undefined && at !== fn; at = at.parent) {
    const { parent } = at;
    if (ts.isTryStatement(parent) && parent.tryBlock === at && parent.catchClause !== undefined) return true;
  }
  return false;
}

function codeOf(adapter: AnalysedAdapter, thrown: ts.Expression): ThrownFact['code'] {
  const expression = bare(thrown);
  if (isNewError(expression)) return { kind: 'none' };
  if (ts.isCallExpression(expression)) return assignedCode(adapter, expression);
  if (ts.isIdentifier(expression)) return variableCode(adapter, expression);
  return { kind: 'unknown' };
}

/** `Object.assign(new Error(...), { code: '...' })`. */
function assignedCode(adapter: AnalysedAdapter, call: ts.CallExpression): ThrownFact['code'] {
  const member = memberOf(call.expression);
  const isAssign =
    member?.name === 'assign' && ts.isIdentifier(member.object) && member.object.text === 'Object';
  const [target, ...sources] = call.arguments;
  if (!isAssign || target === undefined) return { kind: 'unknown' };
  for (const source of [...sources].reverse()) {
    if (!ts.isObjectLiteralExpression(source)) return { kind: 'unknown' };
    const found = literalCode(adapter, source);
    if (found !== null) return found;
  }
  return codeOf(adapter, target);
}

function literalCode(
  adapter: AnalysedAdapter,
  object: ts.ObjectLiteralExpression,
): ThrownFact['code'] | null {
  if (object.properties.some(ts.isSpreadAssignment)) return { kind: 'unknown' };
  const property = object.properties.find((each) => propertyName(each.name) === 'code');
  if (property === undefined) return null;
  return ts.isPropertyAssignment(property) ? literalOf(adapter, property.initializer) : { kind: 'unknown' };
}

function literalOf(adapter: AnalysedAdapter, node: ts.Expression): ThrownFact['code'] {
  const span = adapter.toReal(node);
  return ts.isStringLiteralLike(node) && span !== null
    ? { kind: 'literal', value: node.text, span }
    : { kind: 'unknown' };
}

/** `const e = new Error(...)`, perhaps `e.code = '...'` in the same function, `throw e`. */
function variableCode(adapter: AnalysedAdapter, name: ts.Identifier): ThrownFact['code'] {
  const declaration = adapter.declarationOf(name);
  if (declaration === null || !ts.isVariableDeclaration(declaration) || declaration.initializer === undefined)
    return { kind: 'unknown' };
  const made = codeOf(adapter, declaration.initializer);
  const scope = enclosingFunction(name);
  if (scope?.body === undefined) return { kind: 'unknown' };
  let code: ThrownFact['code'] = made;
  const visit = (node: ts.Node): void => {
    if (isUseElsewhere(node, name, declaration)) code = useOf(adapter, node, code);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(scope.body, visit);
  return code;
}

function isUseElsewhere(
  node: ts.Node,
  name: ts.Identifier,
  declaration: ts.VariableDeclaration,
): node is ts.Identifier {
  return ts.isIdentifier(node) && node.text === name.text && node !== name && node !== declaration.name;
}

/** An assignment of its code tells; a use that could give it one makes it unknown; others change nothing. */
function useOf(
  adapter: AnalysedAdapter,
  node: ts.Identifier,
  before: ThrownFact['code'],
): ThrownFact['code'] {
  const member = node.parent;
  if (ts.isPropertyAccessExpression(member) && member.expression === node) {
    const assignment = member.parent;
    const isAssigned =
      ts.isBinaryExpression(assignment) &&
      assignment.left === member &&
      assignment.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    if (member.name.text === 'code' && isAssigned) return literalOf(adapter, assignment.right);
    return before;
  }
  return ts.isThrowStatement(member) ? before : { kind: 'unknown' };
}

function isNewError(node: ts.Expression): boolean {
  return (
    (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
    ts.isIdentifier(node.expression) &&
    /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/.test(node.expression.text)
  );
}
