/** Completions that are ours: the client's operations, members of our types, their literal values, the contract's functions. */
import ts from 'typescript';
import { methods } from '../../../shared/src/surface/operationShape.ts';
import type { AnalysedAdapter } from './adapter.ts';
import type { Suggestion, TextSpan } from './facts.ts';
import type { LanguageService } from './languageService.ts';
import { nodeAt, ourMember } from './tokens.ts';

interface Question {
  adapter: AnalysedAdapter;
  service: LanguageService;
  /** Name of the file in the service. */
  name: string;
  real: string;
  /** In the author's text. */
  offset: number;
}

export function completions(question: Question): Suggestion[] {
  const { adapter, service, name, real, offset } = question;
  const at = adapter.virtual.toVirtual(offset);
  const node = nodeAt(adapter.sourceFile, at);
  const word: TextSpan = { start: offset - wordBefore(real, offset, /[\w$]/), end: offset };
  const receiver = receiverOf(adapter.sourceFile.text, node, at);
  if (receiver !== null && adapter.isClient(receiver)) return operations(adapter, word);
  const literal = stringLiteral(node, at);
  const inQuotes = { start: offset - wordBefore(real, offset, /[^'"`\n]/), end: offset };
  if (literal !== null && isNameOfOperation(adapter, literal)) return operations(adapter, inQuotes);
  const info = service.completions(name, at);
  if (info === undefined) return [];
  if (literal !== null) return isOurText(adapter, literal) ? literalValues(info, inQuotes) : [];
  if (info.isMemberCompletion) return members(adapter, info, word);
  return isOurText(adapter, node) ? quotedValues(info, word) : [];
}

/** Granted ones first, in the document's order; the others last. */
function operations({ context }: AnalysedAdapter, replaces: TextSpan): Suggestion[] {
  return methods(context.surface)
    .filter(({ unusable }) => unusable === undefined)
    .map(({ name, method, path, grant }, index) => ({
      label: name,
      kind: 'operation',
      insert: name,
      snippet: false,
      replaces,
      detail: `${method} ${path}${grant === null ? ' (not granted)' : ''}`,
      operation: name,
      sortText: `${grant === null ? 9 : 0}${String(index).padStart(5, '0')}`,
    }));
}

function members(
  { checker, context }: AnalysedAdapter,
  info: ts.CompletionInfo,
  replaces: TextSpan,
): Suggestion[] {
  return info.entries.flatMap(({ name, symbol }, index): Suggestion[] => {
    const file = ourMember(symbol);
    if (file === null || symbol === undefined) return [];
    const common = { label: name, replaces, sortText: `1${String(index).padStart(5, '0')}` };
    const documentation = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    if (context.arity.has(name) && isAdapterMember(symbol, context.contract.statics.adapterType)) {
      const { signature, obligations } = exportOf(context.contract.exports, name);
      const parameters = parameterNames(signature).join(', ');
      const insert = `async ${name}(${parameters}) {\n\t$0\n},`;
      return [
        { ...common, kind: 'export', insert, snippet: true, detail: signature, documentation: obligations },
      ];
    }
    const declaration = symbol.declarations?.[0];
    const type =
      declaration === undefined
        ? ''
        : checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, declaration));
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0 ? '?' : '';
    return [
      {
        ...common,
        kind: 'property',
        insert: name,
        snippet: false,
        detail: `${name}${optional}: ${type}`,
        ...(documentation ? { documentation } : {}),
      },
    ];
  });
}

function exportOf(
  exports: readonly { name: string; signature: string; obligations: string }[],
  name: string,
) {
  return exports.find((each) => each.name === name) ?? { signature: '', obligations: '' };
}

function parameterNames(signature: string): string[] {
  const list = /^\(([^)]*)\)/.exec(signature)?.[1] ?? '';
  return list.split(',').flatMap((part) => /^\s*(\w+)/.exec(part)?.[1] ?? []);
}

/** `FleetContract.Adapter` declares the functions; other interfaces may have members of the same name. */
function isAdapterMember(symbol: ts.Symbol, adapterType: string): boolean {
  const parent = symbol.declarations?.[0]?.parent;
  return (
    parent !== undefined && ts.isInterfaceDeclaration(parent) && adapterType.endsWith(`.${parent.name.text}`)
  );
}

function literalValues(info: ts.CompletionInfo, replaces: TextSpan): Suggestion[] {
  return info.entries.flatMap(({ name, kind }, index) =>
    kind === ts.ScriptElementKind.string ? [value(name, name, replaces, index)] : [],
  );
}

/** Where a value is expected and no quote is typed yet the list offers it with its quotes. */
function quotedValues(info: ts.CompletionInfo, replaces: TextSpan): Suggestion[] {
  return info.entries.flatMap(({ name, kind }, index) =>
    kind === ts.ScriptElementKind.string
      ? [value(name.replace(/^["']|["']$/g, ''), `'${name.replace(/^["']|["']$/g, '')}'`, replaces, index)]
      : [],
  );
}

function value(label: string, insert: string, replaces: TextSpan, index: number): Suggestion {
  return {
    label,
    kind: 'value',
    insert,
    snippet: false,
    replaces,
    sortText: `0${String(index).padStart(5, '0')}`,
  };
}

/** Whether the text's values come from our types: it is a value of one of our members, or compared with one. */
function isOurText({ checker }: AnalysedAdapter, node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isBinaryExpression(parent)) {
    const other = parent.left === node ? parent.right : parent.left;
    if (ts.isTypeOfExpression(other)) return false;
    const at = ts.isPropertyAccessExpression(other) ? other.name : other;
    return ourMember(checker.getSymbolAtLocation(at)) !== null;
  }
  if (ts.isPropertyAssignment(parent) && parent.initializer === node) {
    const object = checker.getContextualType(parent.parent);
    const name = ts.isIdentifier(parent.name) || ts.isStringLiteral(parent.name) ? parent.name.text : '';
    const parts = object?.isUnion() ? object.types : [object];
    return parts.some((part) => ourMember(part?.getProperty(name)) !== null);
  }
  if (ts.isCaseClause(parent)) {
    const { expression } = parent.parent.parent;
    const at = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    return ourMember(checker.getSymbolAtLocation(at)) !== null;
  }
  return false;
}

function stringLiteral(node: ts.Node, at: number): ts.Node | null {
  return ts.isStringLiteralLike(node) && node.getStart() < at && at <= node.end ? node : null;
}

/** `fleet["…"]`. */
function isNameOfOperation(adapter: AnalysedAdapter, { parent }: ts.Node): boolean {
  return parent !== undefined && ts.isElementAccessExpression(parent) && adapter.isClient(parent.expression);
}

/** What stands before the dot, where the dot and no more than a name is between it and the offset. */
function receiverOf(text: string, node: ts.Node, at: number): ts.Expression | null {
  const access = ts.isPropertyAccessExpression(node) ? node : node.parent;
  if (access === undefined || !ts.isPropertyAccessExpression(access)) return null;
  const { expression } = access;
  return /^\s*\??\.\s*[\w$]*$/.test(text.slice(expression.end, at)) ? expression : null;
}

/** Length of the word that ends at the offset. */
function wordBefore(text: string, offset: number, letters: RegExp): number {
  let length = 0;
  while (length < offset && letters.test(text.charAt(offset - length - 1))) length += 1;
  return length;
}
