/**
 * What holds the client by way of untyped parameters and properties: `constructor(client) { this.client = client }`,
 * `build({ client: fleet })`. By syntax and names, so it can be asked before there are types.
 */
import ts from 'typescript';
import type { FunctionNode } from './analysedFile.ts';
import type { Follower } from './follow.ts';
import { assignedValue, eachNode, isFunctionNode, memberOf, propertyName } from './syntax.ts';

export interface ClientParameter {
  parameter: ts.ParameterDeclaration;
  /** Properties of the argument that lead to the client; empty: the argument is the client. */
  path: string[];
}

/** A client passed on from function to function is followed this often. */
const ROUNDS = 4;

type Call = ts.CallExpression | ts.NewExpression;

export class ClientHolders {
  readonly #parameters = new Map<ts.ParameterDeclaration, ClientParameter>();
  /** Names of properties that are given the client somewhere in the file. */
  readonly #properties = new Set<string>();
  readonly #calls: Call[] = [];
  readonly #given: { name: string; value: ts.Expression }[] = [];

  /** `client`: the global name of the client. */
  constructor(
    sourceFile: ts.SourceFile,
    readonly follower: Follower,
    readonly client: string,
  ) {
    if (!sourceFile.text.includes(client)) return;
    eachNode(sourceFile, (node) => this.#collect(node));
    for (const { object, member } of follower.assignments()) {
      if (
        object.kind === ts.SyntaxKind.ThisKeyword &&
        member.value !== null &&
        ts.isExpression(member.value)
      ) {
        this.#given.push({ name: member.name, value: member.value });
      }
    }
    for (let round = 0; round < ROUNDS && this.#pass(); round += 1);
  }

  get parameters(): ClientParameter[] {
    return [...this.#parameters.values()];
  }

  /** Whether the expression's value is the client, as far as names tell. */
  holds(node: ts.Expression): boolean {
    return this.#holdsIn(node, new Set());
  }

  /** `seen`: declarations that this question has looked at; a second look would find nothing new. */
  #holdsIn(node: ts.Expression, seen: Set<ts.Node>): boolean {
    const at = assignedValue(node);
    if (ts.isIdentifier(at)) return this.#nameHolds(at, seen);
    if (ts.isConditionalExpression(at)) {
      return this.#holdsIn(at.whenTrue, seen) || this.#holdsIn(at.whenFalse, seen);
    }
    if (ts.isBinaryExpression(at)) {
      return isChoice(at) && (this.#holdsIn(at.left, seen) || this.#holdsIn(at.right, seen));
    }
    const member = memberOf(at);
    if (member === null) return false;
    return this.#properties.has(member.name) || this.#isGlobalMember(member.object, member.name);
  }

  /** Functions of this file that the callee may be; of a class its constructor. */
  targets(callee: ts.Expression): FunctionNode[] {
    const at = assignedValue(callee);
    if (ts.isIdentifier(at)) {
      const declaration = this.follower.scopes.declarationOf(at);
      if (declaration !== null && ts.isParameter(declaration)) return this.#givenTo(declaration);
      const value = this.follower.valueOf(at);
      if (value !== null && ts.isClassLike(value)) return constructors(value);
    }
    if (ts.isClassLike(at)) return constructors(at);
    const followed = this.follower.functionOf(at);
    return followed === null ? [] : [followed.function];
  }

  #collect(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      this.#calls.push(node);
    } else if (ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) {
      const name = propertyName(node.name);
      if (name !== null && node.initializer !== undefined) {
        this.#given.push({ name, value: node.initializer });
      }
    } else if (ts.isShorthandPropertyAssignment(node)) {
      this.#given.push({ name: node.name.text, value: node.name });
    }
  }

  /** Looks at every call and property once; false: nothing new was found. */
  #pass(): boolean {
    const before = this.#parameters.size + this.#properties.size;
    for (const { name, value } of this.#given) {
      if (this.holds(value)) this.#properties.add(name);
    }
    for (const call of this.#calls) {
      const paths = (call.arguments ?? []).map((argument) => this.#pathToClient(argument));
      if (paths.every((path) => path === null)) continue;
      for (const target of this.targets(call.expression)) this.#mark(target, paths);
    }
    return this.#parameters.size + this.#properties.size > before;
  }

  #mark(target: FunctionNode, paths: readonly (string[] | null)[]): void {
    for (const [index, path] of paths.entries()) {
      const parameter = target.parameters[index];
      if (path === null || parameter === undefined || parameter.dotDotDotToken !== undefined) continue;
      if (!this.#parameters.has(parameter)) this.#parameters.set(parameter, { parameter, path });
    }
  }

  /** Which properties of the expression's value lead to the client; null: none is known to. */
  #pathToClient(node: ts.Expression): string[] | null {
    if (this.holds(node)) return [];
    const at = assignedValue(node);
    if (!ts.isObjectLiteralExpression(at)) return null;
    for (const property of at.properties) {
      const name = propertyName(property.name);
      const value = ts.isShorthandPropertyAssignment(property)
        ? property.name
        : ts.isPropertyAssignment(property)
          ? property.initializer
          : null;
      const path = value === null ? null : this.#pathToClient(value);
      if (path !== null && name !== null) return [name, ...path];
    }
    return null;
  }

  #nameHolds(name: ts.Identifier, seen: Set<ts.Node>): boolean {
    const declaration = this.follower.scopes.declarationOf(name);
    if (declaration === null) return name.text === this.client;
    if (seen.has(declaration)) return false;
    seen.add(declaration);
    if (ts.isParameter(declaration)) {
      return this.#parameters.get(declaration)?.path.length === 0 && ts.isIdentifier(declaration.name);
    }
    if (ts.isBindingElement(declaration)) return this.#boundHolds(declaration);
    if (!ts.isVariableDeclaration(declaration)) return false;
    const value = this.follower.valueOf(name);
    return value !== null && ts.isExpression(value) && this.#holdsIn(value, seen);
  }

  #boundHolds(element: ts.BindingElement): boolean {
    const name = propertyName(element.propertyName ?? element.name);
    const owner = element.parent.parent;
    if (name === null) return false;
    if (ts.isParameter(owner)) {
      const path = this.#parameters.get(owner)?.path;
      return path?.length === 1 && path[0] === name;
    }
    return ts.isVariableDeclaration(owner) && owner.initializer !== undefined && this.#properties.has(name);
  }

  #isGlobalMember(object: ts.Expression, name: string): boolean {
    const isGlobal = ts.isIdentifier(object) && object.text === 'globalThis';
    return isGlobal && name === this.client && this.follower.scopes.declarationOf(object) === null;
  }

  /** Functions that call sites pass for a parameter. */
  #givenTo(parameter: ts.ParameterDeclaration): FunctionNode[] {
    const owner = parameter.parent;
    if (!isFunctionNode(owner)) return [];
    const index = owner.parameters.indexOf(parameter);
    return this.#calls.flatMap((call) => {
      if (this.follower.functionOf(call.expression)?.function !== owner) return [];
      const followed = this.follower.functionOf(call.arguments?.[index]);
      return followed === null ? [] : [followed.function];
    });
  }
}

function constructors(node: ts.ClassLikeDeclaration): FunctionNode[] {
  return node.members.filter((member) => ts.isConstructorDeclaration(member));
}

function isChoice(node: ts.BinaryExpression): boolean {
  const kind = node.operatorToken.kind;
  return kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken;
}
