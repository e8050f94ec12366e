/**
 * What the type checker says and what counts of it. Plain right JavaScript draws many of its diagnostics, so one is kept
 * only where place and code both fit, and a result's shape only where the types have nothing in common.
 */
import ts from 'typescript';
import type { AnalysedAdapter } from './adapter.ts';
import type { FunctionNode } from './analysedFile.ts';
import { isClientType } from './clientUse.ts';
import type { TypeFinding } from './facts.ts';
import { enclosingFunction } from './syntax.ts';
import { nodeAt, ourFileOf } from './tokens.ts';

const MISSING_MEMBER = new Set([2339, 2551]);
const CALL = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769, 2820]);
const SHAPE = new Set([2322, 2739, 2740, 2741, 2820]);
const NO_OVERLAP = 2367;
const DEEPEST = 6;

export function typeFindings(adapter: AnalysedAdapter, program: ts.Program): TypeFinding[] {
  return program.getSemanticDiagnostics(adapter.sourceFile).flatMap((diagnostic) => {
    const { start, length, code } = diagnostic;
    if (start === undefined || length === undefined) return [];
    const span = adapter.virtual.realSpan(start, start + length);
    if (span === null) return [];
    const about = subjectOf(adapter, nodeOf(adapter.sourceFile, start, start + length), code);
    return about === null ? [] : [{ ...about, message: messageOf(diagnostic), span }];
  });
}

/** The smallest node that covers the diagnostic. */
function nodeOf(sourceFile: ts.SourceFile, start: number, end: number): ts.Node {
  let node = nodeAt(sourceFile, start);
  while (node.end < end && node.parent !== undefined) node = node.parent;
  return node;
}

function subjectOf(
  adapter: AnalysedAdapter,
  node: ts.Node,
  code: number,
): Pick<TypeFinding, 'about' | 'name'> | null {
  const { checker } = adapter;
  const access = node.parent;
  if (
    MISSING_MEMBER.has(code) &&
    access !== undefined &&
    ts.isPropertyAccessExpression(access) &&
    access.name === node
  ) {
    const type = checker.getTypeAtLocation(access.expression);
    // A member that the client lacks is `unknown-operation`, which is said from the uses.
    return isClientType(type) || !isAnswer(type) ? null : { about: 'answer', name: null };
  }
  if (CALL.has(code)) {
    const operation = callOf(adapter, node);
    if (operation !== null) return { about: 'call', name: operation };
  }
  if (SHAPE.has(code)) {
    const name = shapeOf(adapter, node);
    if (name !== null) return { about: 'shape', name };
  }
  return code === NO_OVERLAP && isOfError(adapter, node) ? { about: 'error', name: null } : null;
}

/** A type of the vendor document's, the client itself apart. */
function isAnswer(type: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type];
  return parts.some((part) => ourFileOf((part.aliasSymbol ?? part.symbol)?.declarations?.[0]) === 'client');
}

/** The operation whose call's arguments, or name, the node lies in. */
function callOf(adapter: AnalysedAdapter, node: ts.Node): string | null {
  for (let at: ts.Node | undefined = node; at !== undefined && !ts.isStatement(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return null;
    if (!ts.isCallExpression(at)) continue;
    const operation = adapter.operationOf(at);
    if (operation === null) continue;
    const declaration = adapter.checker.getResolvedSignature(at)?.declaration;
    // Calls of what is not granted take nothing; that is said as such.
    return isRefused(declaration) ? null : operation;
  }
  return null;
}

function isRefused(declaration: ts.Node | undefined): boolean {
  return (
    declaration !== undefined &&
    ts.isMethodSignature(declaration) &&
    declaration.type?.kind === ts.SyntaxKind.NeverKeyword
  );
}

/** The export whose result the node lies in, where result and contract have nothing in common. */
function shapeOf(adapter: AnalysedAdapter, node: ts.Node): string | null {
  const fn = enclosingFunction(node);
  const member = adapter.exports.find((each) => each.function === fn && each.typed);
  if (fn === null || member === undefined) return null;
  const expression = resultAround(node, fn);
  if (expression === null) return null;
  return overlapsAt(adapter.checker, expression) ? null : member.name;
}

/** The part of a returned value that the node is about: a property's value, else the whole. */
function resultAround(node: ts.Node, fn: FunctionNode): ts.Expression | null {
  let part: ts.Expression | null = null;
  for (let at: ts.Node = node; at !== fn; at = at.parent) {
    if (ts.isPropertyAssignment(at)) part ??= at.initializer;
    if (ts.isShorthandPropertyAssignment(at)) part ??= at.name;
    if (ts.isReturnStatement(at)) return part ?? at.expression ?? null;
    if (at.parent === fn && ts.isArrowFunction(fn) && at === fn.body && ts.isExpression(at))
      return part ?? at;
  }
  return null;
}

function overlapsAt(checker: ts.TypeChecker, expression: ts.Expression): boolean {
  const expected = checker.getContextualType(expression);
  if (expected === undefined) return true;
  return overlap(checker, checker.getTypeAtLocation(expression), expected, 0);
}

/** Whether any value could be of both types. In doubt there is one. */
function overlap(checker: ts.TypeChecker, given: ts.Type, expected: ts.Type, depth: number): boolean {
  if (depth > DEEPEST) return true;
  const parts = (type: ts.Type): ts.Type[] =>
    (type.isUnion() ? type.types : [type]).map((part) => checker.getAwaitedType(part) ?? part);
  return parts(given).some((a) => parts(expected).some((b) => pairOverlaps(checker, a, b, depth)));
}

function pairOverlaps(checker: ts.TypeChecker, a: ts.Type, b: ts.Type, depth: number): boolean {
  if (((a.flags | b.flags) & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return true;
  if (a.isUnion() || b.isUnion()) return overlap(checker, a, b, depth + 1);
  if (checker.isTypeAssignableTo(a, b) || checker.isTypeAssignableTo(b, a)) return true;
  const items = [a, b].map((type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined,
  );
  if (items[0] !== undefined && items[1] !== undefined)
    return overlap(checker, items[0], items[1], depth + 1);
  if ((a.flags & b.flags & ts.TypeFlags.Object) === 0 || items[0] !== undefined || items[1] !== undefined)
    return false;
  return b.getProperties().every((property) => {
    const given = a.getProperty(property.name);
    if (given === undefined) return (property.flags & ts.SymbolFlags.Optional) !== 0;
    return overlap(checker, checker.getTypeOfSymbol(given), checker.getTypeOfSymbol(property), depth + 1);
  });
}

/** A comparison of a member of the client's error with what it can never be, whatever an earlier test left of it. */
function isOfError({ checker }: AnalysedAdapter, node: ts.Node): boolean {
  const comparison = ts.isBinaryExpression(node) ? node : node.parent;
  if (comparison === undefined || !ts.isBinaryExpression(comparison)) return false;
  const { left, right } = comparison;
  return isNeverOf(checker, left, right) || isNeverOf(checker, right, left);
}

function isNeverOf(checker: ts.TypeChecker, member: ts.Expression, other: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(member)) return false;
  const symbol = checker.getSymbolAtLocation(member.name);
  const owner = symbol?.declarations?.[0]?.parent;
  if (symbol === undefined || owner === undefined || !ts.isInterfaceDeclaration(owner)) return false;
  if (owner.name.text !== 'Thrown' && owner.name.text !== 'VendorCallError') return false;
  return !overlap(checker, checker.getTypeAtLocation(other), checker.getTypeOfSymbol(symbol), 0);
}

/** What is wrong and, where the checker looked into it, the innermost reason. */
function messageOf({ messageText }: ts.Diagnostic): string {
  if (typeof messageText === 'string') return messageText;
  let innermost = messageText;
  for (let next = innermost.next?.[0]; next !== undefined; next = next.next?.[0]) innermost = next;
  return innermost === messageText
    ? messageText.messageText
    : `${messageText.messageText} ${innermost.messageText}`;
}
