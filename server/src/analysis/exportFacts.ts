/** Exports of the contract as facts: where they are, what is behind them, and whether they give promises. */
import ts from 'typescript';
import type { AnalysedAdapter } from './adapter.ts';
import type { FunctionNode } from './analysedFile.ts';
import type { ExportFact, ExtraExport } from './facts.ts';
import { returnedExpressions } from './syntax.ts';

export function exportFacts(adapter: AnalysedAdapter): ExportFact[] {
  return adapter.exports.flatMap(({ name, nameNode, function: fn }) => {
    const span = adapter.toReal(nameNode);
    if (span === null) return [];
    const whole = fn === null ? null : adapter.toReal(fn);
    return [{ name, span, function: whole, async: fn === null ? 'unknown' : asyncOf(fn, adapter.checker) }];
  });
}

export function extraExports(adapter: AnalysedAdapter): ExtraExport[] {
  return adapter.model.members.flatMap(({ name, nameNode }) => {
    const span = adapter.context.arity.has(name) ? null : adapter.toReal(nameNode);
    return span === null ? [] : [{ name, span }];
  });
}

function asyncOf(fn: FunctionNode, checker: ts.TypeChecker): ExportFact['async'] {
  if ('asteriskToken' in fn && fn.asteriskToken !== undefined) return 'generator';
  const isAsync = ts.canHaveModifiers(fn)
    ? ts.getModifiers(fn)?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword)
    : false;
  if (isAsync === true) return 'yes';
  const types = returnedExpressions(fn).map((expression) => checker.getTypeAtLocation(expression));
  if (types.some((type) => (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0)) return 'unknown';
  return types.some((type) => type.getProperty('then') !== undefined) ? 'yes' : 'no';
}
