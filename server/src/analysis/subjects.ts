/** What stands under the cursor, as far as it is ours to speak about. */
import ts from 'typescript';
import type { AnalysedAdapter } from './adapter.ts';
import type { Subject } from './facts.ts';
import { nodeAt, ourMember } from './tokens.ts';

export function subjectAt(adapter: AnalysedAdapter, offset: number): Subject | null {
  const at = adapter.virtual.toVirtual(offset);
  const node = nodeAt(adapter.sourceFile, at);
  if (!ts.isIdentifier(node) && !ts.isStringLiteralLike(node)) return null;
  const span = adapter.toReal(node);
  if (span === null) return null;
  const use = adapter.clientUses.find(({ nameNode, name }) => nameNode === node && name !== null);
  if (use?.name != null && use.kind !== 'unknown') return { kind: 'operation', name: use.name, span };
  const named = operationNamed(adapter, node);
  if (named !== null) return { kind: 'operation', name: named, span };
  const member = adapter.exports.find(({ nameNode }) => nameNode === node);
  if (member !== undefined) return { kind: 'export', name: member.name, span };
  return memberAt(adapter, node, span);
}

/** A use that is called elsewhere is not listed by itself, but its name may be asked about. */
function operationNamed(adapter: AnalysedAdapter, node: ts.Node): string | null {
  const { parent } = node;
  if (!ts.isIdentifier(node) || !ts.isPropertyAccessExpression(parent) || parent.name !== node) return null;
  if (!adapter.isClient(parent.expression)) return null;
  return adapter.context.surface.operations.some(({ name }) => name === node.text) ? node.text : null;
}

function memberAt({ checker }: AnalysedAdapter, node: ts.Node, span: Subject['span']): Subject | null {
  const symbol = symbolAt(checker, node);
  if (symbol === undefined || ourMember(symbol) === null) return null;
  return {
    kind: 'member',
    name: symbol.name,
    type: checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, node)),
    documentation: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    span,
  };
}

/** Of a property name in an object literal: the member of the type that is expected there. */
function symbolAt(checker: ts.TypeChecker, node: ts.Node): ts.Symbol | undefined {
  const { parent } = node;
  const isName =
    (ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent)) && parent.name === node;
  if (isName && ts.isIdentifier(node))
    return checker.getContextualType(parent.parent)?.getProperty(node.text);
  return checker.getSymbolAtLocation(node);
}
