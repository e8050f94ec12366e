/** What a CommonJS adapter exports and which functions are behind it, by syntax alone. */
import ts from 'typescript';
import type { ExportedMember } from './analysedFile.ts';
import { Follower, isObjectCall, type Member } from './follow.ts';
import { Scopes } from './scope.ts';
import { assignedValue, bare, eachNode, memberOf } from './syntax.ts';

export interface ExportModel {
  kind: 'commonjs' | 'esm' | 'none';
  /** The first statement that exports; the file itself where there is none. */
  place: ts.Node;
  /** Every exported name once; the last one given counts. */
  members: ExportedMember[];
  /** The object literal that is exported, where there is one. */
  literal: ts.ObjectLiteralExpression | null;
  scopes: Scopes;
  follower: Follower;
}

/** `arity`: parameters of each contract function; a wrapped function that declares more is not typed. */
export function exportModel(sourceFile: ts.SourceFile, arity: ReadonlyMap<string, number>): ExportModel {
  const scopes = new Scopes(sourceFile);
  const follower = new Follower(sourceFile, scopes);
  const esm = sourceFile.statements.find(isModuleSyntax);
  if (esm !== undefined) {
    return { kind: 'esm', place: esm, members: [], literal: null, scopes, follower };
  }
  const exported = exportedValues(sourceFile, scopes);
  const members = new Map<string, Member>();
  let literal: ts.ObjectLiteralExpression | null = null;
  for (const value of exported) {
    if (value.member !== null) {
      members.set(value.member.name, value.member);
      continue;
    }
    // `module.exports = …` drops what was there; `Object.assign(module.exports, …)` adds to it.
    if (value.replaces) members.clear();
    for (const member of follower.membersOf(value.object)) members.set(member.name, member);
    literal = follower.literalOf(value.object) ?? literal;
  }
  return {
    kind: exported.length > 0 ? 'commonjs' : 'none',
    place: exported[0]?.place ?? sourceFile,
    members: [...members.values()]
      .filter(({ nameNode }) => !ts.isPrivateIdentifier(nameNode))
      .map((member) => exportedMember(member, follower, arity)),
    literal,
    scopes,
    follower,
  };
}

function exportedMember(
  { name, nameNode, value }: Member,
  follower: Follower,
  arity: ReadonlyMap<string, number>,
): ExportedMember {
  const found = follower.functionOf(value);
  const limit = arity.get(name);
  const fits = limit === undefined || (found !== null && found.function.parameters.length <= limit);
  return {
    name,
    nameNode,
    function: found?.function ?? null,
    typed: found !== null && (!found.wrapped || fits),
  };
}

type ExportedValue = { place: ts.Node } & (
  | { member: Member }
  | { member: null; object: ts.Expression; replaces: boolean }
);

/** Every place that gives something to `module.exports`, in the order of the text. */
function exportedValues(sourceFile: ts.SourceFile, scopes: Scopes): ExportedValue[] {
  const found: ExportedValue[] = [];
  eachNode(sourceFile, (node) => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const value = assignedValue(node.right);
      if (isModuleExports(node.left, scopes)) {
        found.push({ place: node, member: null, object: value, replaces: true });
        return;
      }
      const target = memberOf(node.left);
      if (target !== null && isExportsObject(target.object, scopes)) {
        const { name, nameNode } = target;
        found.push({ place: node, member: { name, nameNode, value } });
      }
    } else if (ts.isCallExpression(node) && isObjectCall(node, ['assign'])) {
      const [target, ...sources] = node.arguments;
      if (target === undefined || !isExportsObject(target, scopes)) return;
      for (const object of sources) found.push({ place: node, member: null, object, replaces: false });
    }
  });
  return found;
}

function isModuleExports(node: ts.Expression, scopes: Scopes): boolean {
  const member = memberOf(bare(node));
  return member?.name === 'exports' && isFree(member.object, 'module', scopes);
}

function isExportsObject(node: ts.Expression, scopes: Scopes): boolean {
  return isModuleExports(node, scopes) || isFree(node, 'exports', scopes) || isAlias(node, scopes);
}

/** `const api = module.exports` and `const api = module.exports = {…}`. */
function isAlias(node: ts.Expression, scopes: Scopes): boolean {
  const name = bare(node);
  const declaration = ts.isIdentifier(name) ? scopes.declarationOf(name) : null;
  if (declaration === null || !ts.isVariableDeclaration(declaration)) return false;
  for (let at = declaration.initializer; at !== undefined; ) {
    const value = bare(at);
    if (isModuleExports(value, scopes)) return true;
    const isAssignment =
      ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    if (isAssignment && isModuleExports(value.left, scopes)) return true;
    at = isAssignment ? value.right : undefined;
  }
  return false;
}

function isFree(node: ts.Expression, name: string, scopes: Scopes): boolean {
  const at = bare(node);
  return ts.isIdentifier(at) && at.text === name && scopes.declarationOf(at) === null;
}

function isModuleSyntax(statement: ts.Statement): boolean {
  if (
    ts.isImportDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isExportAssignment(statement)
  ) {
    return true;
  }
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true
  );
}
