/** Every use of the client in one file: by symbol where there are types, else by name on what provably holds it. */
import ts from 'typescript';
import { methods } from '../../../shared/src/surface/operationShape.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { ClientUseNode } from './analysedFile.ts';
import { ClientHolders } from './clientHolders.ts';
import { CLIENT_FILE } from './declarations.ts';
import type { Follower } from './follow.ts';
import { bare, eachNode, memberOf, propertyName } from './syntax.ts';

/** Functions of the language that hand out an object's members. */
const ENUMERATORS = new Map([
  ['Object', new Set(['values', 'entries', 'keys', 'getOwnPropertyNames', 'getOwnPropertyDescriptors'])],
  ['Reflect', new Set(['get', 'ownKeys', 'apply', 'getOwnPropertyDescriptor'])],
]);

export class ClientUses {
  readonly #operations: ReadonlySet<string>;
  readonly #holders: ClientHolders;
  #uses: ClientUseNode[] | undefined;

  constructor(
    readonly sourceFile: ts.SourceFile,
    readonly checker: ts.TypeChecker,
    follower: Follower,
    surface: Surface,
  ) {
    this.#operations = new Set(methods(surface).map(({ name }) => name));
    this.#holders = new ClientHolders(sourceFile, follower, surface.client);
  }

  /** In the order of the text. An operation that is called is not listed as a mere reference as well. */
  all(): readonly ClientUseNode[] {
    if (this.#uses === undefined) {
      const found: ClientUseNode[] = [];
      eachNode(this.sourceFile, (node) => found.push(...this.#usesAt(node)));
      const called = new Set(found.flatMap(({ kind, name }) => (kind === 'call' ? [name] : [])));
      this.#uses = found.filter(({ kind, name }) => kind !== 'reference' || !called.has(name));
    }
    return this.#uses;
  }

  operationOf(call: ts.Node): string | null {
    const names = ts.isCallExpression(call) ? this.#calledOperations(call) : [];
    return names.length === 1 ? (names[0] ?? null) : null;
  }

  isClient(expression: ts.Expression): boolean {
    const type = this.checker.getTypeAtLocation(expression);
    if (isClientType(type)) return true;
    return (type.flags & ts.TypeFlags.Any) !== 0 && this.#holders.holds(expression);
  }

  #usesAt(node: ts.Node): ClientUseNode[] {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) return this.#atCall(node);
    if (ts.isPropertyAccessExpression(node)) return this.#atProperty(node);
    if (ts.isElementAccessExpression(node)) return this.#atElement(node);
    if (ts.isObjectBindingPattern(node)) return this.#atPattern(node);
    if (ts.isForInStatement(node) && this.isClient(node.expression)) {
      return [dynamic(node.expression, node.expression, 'its members are walked by `for in`')];
    }
    return [];
  }

  #atCall(node: ts.CallExpression | ts.NewExpression): ClientUseNode[] {
    if (ts.isCallExpression(node)) {
      const names = this.#calledOperations(node);
      if (names.length > 0) {
        const nameNode = calleeName(node.expression);
        return names.map((name) => ({ kind: 'call', name, nameNode, node }));
      }
    }
    return (node.arguments ?? [])
      .filter((argument) => !ts.isSpreadElement(argument) && this.isClient(argument))
      .flatMap((argument) => this.#handedTo(node, argument));
  }

  /** The client as an argument: of a function that lists its members, or of one that is not in this file. */
  #handedTo(node: ts.CallExpression | ts.NewExpression, argument: ts.Expression): ClientUseNode[] {
    const callee = bare(node.expression);
    const member = memberOf(callee);
    const owner = member !== null && ts.isIdentifier(member.object) ? member.object.text : '';
    if (member !== null && ENUMERATORS.get(owner)?.has(member.name)) {
      return [dynamic(argument, node, `its members are handed out by \`${owner}.${member.name}\``)];
    }
    const isAny = (this.checker.getTypeAtLocation(callee).flags & ts.TypeFlags.Any) !== 0;
    if (!isAny || this.#holders.targets(callee).length > 0) return [];
    return [dynamic(argument, node, 'it is handed to something whose code is not in this file')];
  }

  #calledOperations(call: ts.CallExpression): string[] {
    const callee = bare(call.expression);
    const member = memberOf(callee);
    if (member !== null && (member.name === 'call' || member.name === 'apply')) {
      const through = this.#operationsOf(member.object);
      if (through.length > 0) return through;
    }
    return this.#operationsOf(callee);
  }

  /** Operations that the expression's value is a method of. */
  #operationsOf(expression: ts.Expression): string[] {
    const type = this.checker.getTypeAtLocation(expression);
    const parts = type.isUnion() ? type.types : [type];
    const names = parts.flatMap((part) =>
      part.getCallSignatures().flatMap((signature) => operationDeclaredBy(signature.declaration) ?? []),
    );
    if (names.length > 0) return [...new Set(names)];
    const member = memberOf(bare(expression));
    const isNamed = member !== null && this.#operations.has(member.name) && this.isClient(member.object);
    return isNamed ? [member.name] : [];
  }

  #atProperty(node: ts.PropertyAccessExpression): ClientUseNode[] {
    // `fleet.` while a name is being typed.
    if (node.name.text === '' || !this.isClient(node.expression)) return [];
    return this.#named(node.name.text, node.name, node);
  }

  #named(name: string, nameNode: ts.Node, node: ts.Expression): ClientUseNode[] {
    if (this.#operations.has(name)) {
      return isCallee(node) ? [] : [{ kind: 'reference', name, nameNode, node }];
    }
    // What every object has is no operation and no mistake about one.
    if (Object.hasOwn(Object.prototype, name)) return [];
    return [{ kind: 'unknown', name, nameNode, node }];
  }

  #atElement(node: ts.ElementAccessExpression): ClientUseNode[] {
    if (!this.isClient(node.expression) || node.argumentExpression.getWidth(this.sourceFile) === 0) return [];
    const names = literalNames(this.checker.getTypeAtLocation(node.argumentExpression));
    if (names === null) {
      return [dynamic(node.argumentExpression, node, 'the name of the operation is computed')];
    }
    return names.flatMap((name) => this.#named(name, node.argumentExpression, node));
  }

  #atPattern(pattern: ts.ObjectBindingPattern): ClientUseNode[] {
    if (!this.#isClientPattern(pattern)) return [];
    return pattern.elements.flatMap((element): ClientUseNode[] => {
      if (element.dotDotDotToken !== undefined) return [];
      const nameNode = element.propertyName ?? element.name;
      const name = propertyName(nameNode);
      if (name === null) {
        return ts.isComputedPropertyName(nameNode)
          ? [dynamic(nameNode, element, 'the name of the operation is computed')]
          : [];
      }
      if (name === '') return [];
      const kind = this.#operations.has(name) ? 'reference' : 'unknown';
      return [{ kind, name, nameNode, node: element }];
    });
  }

  #isClientPattern(pattern: ts.ObjectBindingPattern): boolean {
    if (isClientType(this.checker.getTypeAtLocation(pattern.parent))) return true;
    const { parent } = pattern;
    return (
      ts.isVariableDeclaration(parent) &&
      parent.initializer !== undefined &&
      this.isClient(parent.initializer)
    );
  }
}

/** Whether the type is the client's interface. */
export function isClientType(type: ts.Type): boolean {
  const declaration = type.symbol?.declarations?.[0];
  return declaration !== undefined && isClientInterface(declaration);
}

/** Name of the operation whose method this is, or null. */
export function operationDeclaredBy(declaration: ts.Node | undefined): string | null {
  if (declaration === undefined || !ts.isMethodSignature(declaration)) return null;
  return isClientInterface(declaration.parent) ? propertyName(declaration.name) : null;
}

function isClientInterface(node: ts.Node): boolean {
  return (
    ts.isInterfaceDeclaration(node) &&
    node.name.text === 'Client' &&
    node.getSourceFile().fileName.endsWith(`/${CLIENT_FILE}`)
  );
}

function dynamic(nameNode: ts.Node, node: ts.Node, how: string): ClientUseNode {
  return { kind: 'dynamic', name: null, nameNode, node, how };
}

function calleeName(callee: ts.Expression): ts.Node {
  const at = bare(callee);
  const member = memberOf(at);
  if (member === null) return ts.isElementAccessExpression(at) ? at.argumentExpression : at;
  const passesOn = member.name === 'call' || member.name === 'apply';
  return passesOn ? (memberOf(bare(member.object))?.nameNode ?? member.object) : member.nameNode;
}

/** Called itself, or by `.call` and `.apply`: the call is what is listed. */
function isCallee(node: ts.Expression): boolean {
  let at: ts.Node = node;
  while (ts.isParenthesizedExpression(at.parent)) at = at.parent;
  const { parent } = at;
  if (ts.isCallExpression(parent)) return parent.expression === at;
  const passesOn =
    ts.isPropertyAccessExpression(parent) && (parent.name.text === 'call' || parent.name.text === 'apply');
  return passesOn && isCallee(parent);
}

/** The strings that the type allows; null: any string, or no string at all. */
function literalNames(type: ts.Type): string[] | null {
  const parts = type.isUnion() ? type.types : [type];
  const names = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
  return names.length === parts.length && names.length > 0 ? names : null;
}
