/** From an expression to the functions and objects that it stands for, by syntax alone. */
import ts from 'typescript';
import type { FunctionNode } from './analysedFile.ts';
import type { Scopes } from './scope.ts';
import {
  assignedValue,
  bare,
  eachNode,
  isFunctionNode,
  memberOf,
  propertyName,
  returnedExpressions,
} from './syntax.ts';

/** A member of an object: `value` is its expression, method or accessor; null where only the name is known. */
export interface Member {
  name: string;
  nameNode: ts.Node;
  value: ts.Node | null;
}

/** What was found behind an expression; `wrapped`: by way of a call that it is handed to. */
export interface Followed {
  function: FunctionNode;
  wrapped: boolean;
}

/** Chains of names and calls are followed this far. */
const DEPTH = 12;

export class Follower {
  readonly #members = new Map<ts.Node, Member[]>();
  readonly #functions = new Map<ts.Node, Followed | null>();
  #values: { name: ts.Identifier; value: ts.Expression }[] | undefined;
  #assignments: { object: ts.Expression; member: Member }[] | undefined;

  constructor(
    readonly sourceFile: ts.SourceFile,
    readonly scopes: Scopes,
  ) {}

  /** The function that the node is or stands for, or null. */
  functionOf(node: ts.Node | null | undefined, depth = DEPTH): Followed | null {
    if (node === null || node === undefined || depth === 0) return null;
    const known = this.#functions.get(node);
    if (known !== undefined) return known;
    // Set before the search: a function that stands for itself ends here.
    this.#functions.set(node, null);
    const found = this.#findFunction(node, depth);
    this.#functions.set(node, found);
    return found;
  }

  /** What a declared name holds first: its initialiser, its function or its class; null: a parameter or unknown. */
  valueOf(name: ts.Identifier): ts.Node | null {
    const declaration = this.scopes.declarationOf(name);
    if (declaration === null) return null;
    if (ts.isVariableDeclaration(declaration)) {
      return declaration.initializer ?? this.#assignedTo(name, declaration);
    }
    if (ts.isBindingElement(declaration)) return this.#boundValue(declaration);
    return isFunctionNode(declaration) || ts.isClassLike(declaration) ? declaration : null;
  }

  /** Members of the object that the node is or stands for, assigned ones included; the last of a name counts. */
  membersOf(node: ts.Node | null | undefined, depth = DEPTH): Member[] {
    if (node === null || node === undefined || depth === 0) return [];
    const known = this.#members.get(node);
    if (known !== undefined) return known;
    // Set before the search: an object that refers to itself ends here.
    this.#members.set(node, []);
    const found = lastOfEachName(this.#find(node, depth - 1));
    this.#members.set(node, found);
    return found;
  }

  /** The object literal that the expression stands for, where there is just one. */
  literalOf(node: ts.Node | null | undefined, depth = DEPTH): ts.ObjectLiteralExpression | null {
    if (node === null || node === undefined || depth === 0 || !ts.isExpression(node)) return null;
    const at = assignedValue(node);
    if (ts.isObjectLiteralExpression(at)) return at;
    if (ts.isIdentifier(at)) return this.literalOf(this.valueOf(at), depth - 1);
    if (!ts.isCallExpression(at)) return null;
    if (isObjectCall(at, ['freeze', 'seal'])) return this.literalOf(at.arguments[0], depth - 1);
    const callee = this.functionOf(at.expression, depth - 1);
    const [only, ...others] = callee === null ? [] : returnedExpressions(callee.function);
    return others.length > 0 ? null : this.literalOf(only, depth - 1);
  }

  /** Values that `x.name = …` gives to members of the file's objects. */
  assignments(): { object: ts.Expression; member: Member }[] {
    if (this.#assignments === undefined) {
      const found: { object: ts.Expression; member: Member }[] = [];
      eachNode(this.sourceFile, (node) => {
        if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return;
        const target = memberOf(node.left);
        if (target === null) return;
        const { object, name, nameNode } = target;
        found.push({ object, member: { name, nameNode, value: assignedValue(node.right) } });
      });
      this.#assignments = found;
    }
    return this.#assignments;
  }

  #findFunction(node: ts.Node, depth: number): Followed | null {
    if (isFunctionNode(node)) return this.#forwarded(node, depth);
    if (!ts.isExpression(node)) return null;
    const at = assignedValue(node);
    if (isFunctionNode(at)) return this.#forwarded(at, depth);
    if (ts.isIdentifier(at)) return this.functionOf(this.valueOf(at), depth - 1);
    if (ts.isCallExpression(at)) return this.#functionOfCall(at, depth - 1);
    if (ts.isBinaryExpression(at)) {
      return this.functionOf(at.left, depth - 1) ?? this.functionOf(at.right, depth - 1);
    }
    const member = memberOf(at);
    return member === null ? null : this.functionOf(this.#memberValue(member, depth - 1), depth - 1);
  }

  /** `(...args) => one.dispatch(...args)` only passes on: the function behind it is meant. */
  #forwarded(node: FunctionNode, depth: number): Followed {
    const call = forwardingCall(node);
    const target = call === null ? null : this.functionOf(call.expression, depth - 1);
    return target ?? { function: node, wrapped: false };
  }

  #functionOfCall(call: ts.CallExpression, depth: number): Followed | null {
    const member = memberOf(call.expression);
    if (member?.name === 'bind') return this.functionOf(member.object, depth);
    if (isObjectCall(call, ['freeze', 'seal'])) return this.functionOf(call.arguments[0], depth);
    for (const argument of call.arguments) {
      const found = this.functionOf(argument, depth);
      if (found !== null) return { function: found.function, wrapped: true };
    }
    const callee = this.functionOf(call.expression, depth);
    if (callee === null) return null;
    for (const returned of returnedExpressions(callee.function)) {
      const found = this.functionOf(returned, depth);
      if (found !== null) return found;
    }
    return null;
  }

  #memberValue({ object, name }: { object: ts.Expression; name: string }, depth: number): ts.Node | null {
    return this.membersOf(object, depth).find((member) => member.name === name)?.value ?? null;
  }

  #boundValue(element: ts.BindingElement): ts.Node | null {
    const pattern = element.parent;
    const owner = pattern.parent;
    if (!ts.isObjectBindingPattern(pattern) || !ts.isVariableDeclaration(owner)) return null;
    const name = propertyName(element.propertyName ?? element.name);
    if (name === null || owner.initializer === undefined) return null;
    return this.#memberValue({ object: owner.initializer, name }, DEPTH - 2);
  }

  /** What is assigned first to a variable without an initialiser. */
  #assignedTo(name: ts.Identifier, declaration: ts.Node): ts.Node | null {
    this.#values ??= assignedNames(this.sourceFile);
    const first = this.#values.find(
      (each) => each.name.text === name.text && this.scopes.declarationOf(each.name) === declaration,
    );
    return first?.value ?? null;
  }

  #find(node: ts.Node, depth: number): Member[] {
    if (ts.isClassLike(node)) return this.#classMembers(node, depth);
    if (isFunctionNode(node)) return this.#prototypeMembers(node);
    if (!ts.isExpression(node)) return [];
    const at = assignedValue(node);
    if (at !== node) return this.membersOf(at, depth);
    if (ts.isObjectLiteralExpression(at)) return this.#literalMembers(at, depth);
    if (ts.isIdentifier(at)) return this.#namedMembers(at, depth);
    if (ts.isNewExpression(at)) {
      const made = ts.isIdentifier(at.expression) ? this.valueOf(at.expression) : at.expression;
      return this.membersOf(made, depth);
    }
    if (ts.isCallExpression(at)) return this.#callMembers(at, depth);
    const member = memberOf(at);
    return member === null ? [] : this.membersOf(this.#memberValue(member, depth), depth);
  }

  #namedMembers(name: ts.Identifier, depth: number): Member[] {
    const declaration = this.scopes.declarationOf(name);
    const own = this.membersOf(this.valueOf(name), depth);
    const isSame = (object: ts.Expression): boolean => {
      const at = bare(object);
      return ts.isIdentifier(at) && at.text === name.text && this.scopes.declarationOf(at) === declaration;
    };
    const later = declaration === null ? [] : this.assignments().filter(({ object }) => isSame(object));
    return [...own, ...later.map(({ member }) => member)];
  }

  #literalMembers(literal: ts.ObjectLiteralExpression, depth: number): Member[] {
    return literal.properties.flatMap((property): Member[] => {
      if (ts.isSpreadAssignment(property)) return this.membersOf(property.expression, depth);
      const name = propertyName(property.name);
      if (name === null || property.name === undefined) return [];
      const nameNode = property.name;
      if (ts.isShorthandPropertyAssignment(property)) return [{ name, nameNode, value: property.name }];
      if (ts.isPropertyAssignment(property)) return [{ name, nameNode, value: property.initializer }];
      if (ts.isGetAccessorDeclaration(property)) {
        return [{ name, nameNode, value: returnedExpressions(property)[0] ?? null }];
      }
      return [{ name, nameNode, value: ts.isMethodDeclaration(property) ? property : null }];
    });
  }

  #classMembers(node: ts.ClassLikeDeclaration, depth: number): Member[] {
    const base = node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword);
    const parent = base?.types[0]?.expression;
    const inherited =
      parent === undefined
        ? []
        : this.membersOf(ts.isIdentifier(parent) ? this.valueOf(parent) : parent, depth);
    const own = node.members.flatMap((member): Member[] => {
      if (ts.canHaveModifiers(member) && isStatic(member)) return [];
      const name = member.name === undefined ? null : propertyName(member.name);
      if (name === null || member.name === undefined) return [];
      const nameNode = member.name;
      if (ts.isMethodDeclaration(member)) return [{ name, nameNode, value: member }];
      if (ts.isPropertyDeclaration(member)) return [{ name, nameNode, value: member.initializer ?? null }];
      return [];
    });
    return [...inherited, ...own, ...this.#prototypeMembers(node), ...this.#thisMembers(node)];
  }

  /** `A.prototype.dispatch = …`, and what a constructor function gives to `this`. */
  #prototypeMembers(node: ts.ClassLikeDeclaration | FunctionNode): Member[] {
    const found: Member[] = [];
    for (const { object, member } of this.assignments()) {
      const holder = memberOf(bare(object));
      const owner = holder?.name === 'prototype' ? bare(holder.object) : null;
      if (owner !== null && ts.isIdentifier(owner) && this.scopes.declarationOf(owner) === node) {
        found.push(member);
      }
    }
    return ts.isFunctionDeclaration(node) ? [...this.#thisMembers(node), ...found] : found;
  }

  #thisMembers(node: ts.Node): Member[] {
    return this.assignments()
      .filter(({ object }) => object.kind === ts.SyntaxKind.ThisKeyword && isWithin(object, node))
      .map(({ member }) => member);
  }

  #callMembers(call: ts.CallExpression, depth: number): Member[] {
    if (isObjectCall(call, ['freeze', 'seal', 'assign'])) {
      return call.arguments.flatMap((argument) =>
        this.membersOf(ts.isSpreadElement(argument) ? null : argument, depth),
      );
    }
    const callee = this.functionOf(call.expression, depth);
    const returned = callee === null ? [] : returnedExpressions(callee.function);
    return returned.flatMap((expression) => this.membersOf(expression, depth));
  }
}

/** Every `name = value` of the file. */
function assignedNames(sourceFile: ts.SourceFile): { name: ts.Identifier; value: ts.Expression }[] {
  const found: { name: ts.Identifier; value: ts.Expression }[] = [];
  eachNode(sourceFile, (node) => {
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return;
    if (ts.isIdentifier(node.left)) found.push({ name: node.left, value: assignedValue(node.right) });
  });
  return found;
}

/** Whether the call is `Object.<one of the names>(…)`. */
export function isObjectCall(call: ts.CallExpression, names: readonly string[]): boolean {
  const member = memberOf(call.expression);
  if (member === null || !names.includes(member.name)) return false;
  return ts.isIdentifier(member.object) && member.object.text === 'Object';
}

/** The call of a function that hands all its arguments on and does nothing else. */
function forwardingCall(node: FunctionNode): ts.CallExpression | null {
  const [parameter, ...others] = node.parameters;
  if (parameter?.dotDotDotToken === undefined || others.length > 0) return null;
  const { name } = parameter;
  const [returned, ...rest] = returnedExpressions(node);
  const only = node.body !== undefined && ts.isBlock(node.body) ? node.body.statements.length === 1 : true;
  if (returned === undefined || rest.length > 0 || !only || !ts.isIdentifier(name)) return null;
  const at = bare(
    ts.isAwaitExpression(bare(returned)) ? (bare(returned) as ts.AwaitExpression).expression : returned,
  );
  if (!ts.isCallExpression(at) || at.arguments.length !== 1) return null;
  const [argument] = at.arguments;
  const passesOn =
    argument !== undefined &&
    ts.isSpreadElement(argument) &&
    ts.isIdentifier(argument.expression) &&
    argument.expression.text === name.text;
  return passesOn ? at : null;
}

function isStatic(member: ts.HasModifiers): boolean {
  return ts.getModifiers(member)?.some((modifier) => modifier.kind === ts.SyntaxKind.StaticKeyword) === true;
}

function isWithin(node: ts.Node, outer: ts.Node): boolean {
  return node.pos >= outer.pos && node.end <= outer.end;
}

function lastOfEachName(members: Member[]): Member[] {
  return [...new Map(members.map((member) => [member.name, member])).values()];
}
