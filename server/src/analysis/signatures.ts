/** The signature of the client call around the cursor. */
import ts from 'typescript';
import type { AnalysedAdapter } from './adapter.ts';
import type { SignatureFact } from './facts.ts';
import { nodeAt, ourFileOf } from './tokens.ts';

export function signatureAt(adapter: AnalysedAdapter, offset: number): SignatureFact | null {
  const at = adapter.virtual.toVirtual(offset);
  const call = callAround(nodeAt(adapter.sourceFile, at), at);
  const operation = call && adapter.operationOf(call);
  if (call === null || operation === null) return null;
  const declaration = adapter.checker.getResolvedSignature(call)?.declaration;
  if (declaration === undefined || !ts.isMethodSignature(declaration) || ourFileOf(declaration) !== 'client')
    return null;
  let label = `${operation}(`;
  const parameters = declaration.parameters.map((parameter, index) => {
    if (index > 0) label += ', ';
    const text = flat(parameter.getText());
    const start = label.length;
    label += text;
    const documentation = ts.getJSDocParameterTags(parameter)[0]?.comment;
    return {
      span: { start, end: label.length },
      ...(typeof documentation === 'string' ? { documentation } : {}),
    };
  });
  label += `): ${declaration.type ? flat(declaration.type.getText()) : 'Promise<unknown>'}`;
  const active = call.arguments.filter((argument) => argument.end < at).length;
  return { operation, label, parameters, active: Math.min(active, Math.max(0, parameters.length - 1)) };
}

/** The innermost call whose parentheses hold the offset. */
function callAround(node: ts.Node, at: number): ts.CallExpression | null {
  for (let up: ts.Node | undefined = node; up !== undefined; up = up.parent) {
    if (ts.isFunctionLike(up)) return null;
    if (
      ts.isCallExpression(up) &&
      up.expression.end < at &&
      at <= up.end &&
      !(at === up.end && up.getText().endsWith(')'))
    )
      return up;
  }
  return null;
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ');
}
