/** Functions, generators and classes of the adapter. */
import ts from 'typescript';
import type { FunctionNode } from '../analysedFile.ts';
import { isFunctionNode, propertyName } from '../syntax.ts';
import { bind } from './patterns.ts';
import { awaited, promised } from './promises.ts';
import {
  type ClassValue,
  type Fn,
  FUNCTION_SCOPE,
  nextId,
  type Obj,
  object,
  type Scope,
  sym,
  UNDEFINED,
  type Value,
} from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

/** Where a generator's `yield` hands its values. */
export const YIELD = '#yield';

export function functionValue(node: FunctionNode, scope: Scope, self: Value | null = null): Fn {
  return { kind: 'fn', id: nextId(), node, scope, self, fields: new Map() };
}

export function invoke(machine: Machine, fn: Fn, self: Value | null, args: readonly Value[]): Value {
  const { node } = fn;
  const scope: Scope = { names: new Map([[FUNCTION_SCOPE, UNDEFINED]]), outer: fn.scope };
  if (!ts.isArrowFunction(node)) scope.names.set('this', fn.self ?? self ?? UNDEFINED);
  const isAsync = ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.Async;
  if ('asteriskToken' in node && node.asteriskToken !== undefined) {
    return {
      kind: 'generator',
      started: false,
      run: (onYield) => {
        const native = {
          kind: 'native' as const,
          name: YIELD,
          call: ([value = UNDEFINED]: Value[]) => {
            onYield(isAsync ? awaited(machine, value) : value);
            return UNDEFINED;
          },
        };
        scope.names.set(YIELD, native);
        body(machine, node, scope, args);
      },
    };
  }
  return isAsync ? promised(() => body(machine, node, scope, args)) : body(machine, node, scope, args);
}

function body(machine: Machine, node: FunctionNode, scope: Scope, args: readonly Value[]): Value {
  for (const [index, parameter] of node.parameters.entries()) {
    const isRest = parameter.dotDotDotToken !== undefined;
    const given: Value = isRest ? { kind: 'list', items: args.slice(index) } : (args[index] ?? UNDEFINED);
    bind(machine, parameter.name, given, scope, scope, parameter.initializer);
  }
  if (!ts.isArrowFunction(node)) scope.names.set('arguments', { kind: 'list', items: [...args] });
  if (node.body === undefined) return UNDEFINED;
  if (!ts.isBlock(node.body)) return machine.evaluate(node.body, scope);
  const end = machine.execute(node.body.statements, scope);
  return end?.kind === 'return' ? end.value : UNDEFINED;
}

export function classValue(machine: Machine, node: ts.ClassLikeDeclaration, scope: Scope): ClassValue {
  const heritage = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const base = heritage?.types[0] ? machine.evaluate(heritage.types[0].expression, scope) : null;
  if (base !== null && base.kind !== 'class' && base.kind !== 'native') throw new GiveUp();
  const inner: Scope = { names: new Map(), outer: scope };
  const made: ClassValue = {
    kind: 'class',
    id: nextId(),
    node,
    scope: inner,
    parent: base,
    statics: new Map(),
    methods: new Map(),
    getters: new Map(),
  };
  if (base !== null) inner.names.set('super', base);
  if (node.name !== undefined) inner.names.set(node.name.text, made);
  for (const member of node.members) {
    const name = memberName(member.name);
    const isStatic = ts.canHaveModifiers(member) && hasStatic(member);
    if (name === null || isStatic) continue;
    if (ts.isMethodDeclaration(member)) made.methods.set(name, functionValue(member, inner));
    if (ts.isGetAccessorDeclaration(member)) made.getters.set(name, functionValue(member, inner));
  }
  const statics: Scope = { names: new Map([['this', made]]), outer: inner };
  for (const member of node.members) {
    const name = memberName(member.name);
    if (!ts.canHaveModifiers(member) || !hasStatic(member) || name === null) continue;
    if (ts.isMethodDeclaration(member)) made.statics.set(name, functionValue(member, inner));
    if (ts.isPropertyDeclaration(member)) {
      made.statics.set(name, member.initializer ? machine.evaluate(member.initializer, statics) : UNDEFINED);
    }
  }
  return made;
}

function hasStatic(member: ts.HasModifiers): boolean {
  return ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) === true;
}

/** Private names keep their `#`, so that they differ from public ones. */
export function memberName(name: ts.PropertyName | undefined): string | null {
  return name !== undefined && ts.isPrivateIdentifier(name) ? name.text : propertyName(name);
}

export function construct(machine: Machine, callee: Value, args: Value[], node: ts.Node): Value {
  if (callee.kind === 'native') return callee.call(args, node);
  if (callee.kind === 'sym') return { ...sym(`new ${callee.name}#${machine.world.count()}`, 'blind') };
  if (callee.kind === 'fn' && !ts.isArrowFunction(callee.node)) {
    const made = object();
    const given = invoke(machine, callee, made, args);
    return given.kind === 'object' ? given : made;
  }
  if (callee.kind !== 'class') throw new GiveUp();
  const made = object();
  made.proto = callee;
  initialise(machine, callee, made, args, node);
  return made;
}

/** Runs fields and constructor of a class on an object; without a constructor of its own, its parent's first. */
export function initialise(
  machine: Machine,
  owner: ClassValue | Obj | Value,
  made: Obj,
  args: Value[],
  node: ts.Node,
): void {
  if (owner.kind === 'native') {
    const built = owner.call(args, node);
    if (built.kind !== 'object') throw new GiveUp();
    for (const [name, value] of built.fields) made.fields.set(name, value);
    return;
  }
  if (owner.kind !== 'class') throw new GiveUp();
  const written = owner.node.members.find(ts.isConstructorDeclaration);
  if (owner.parent === null || written === undefined) {
    if (owner.parent !== null) initialise(machine, owner.parent, made, args, node);
    initialiseFields(machine, owner, made);
  }
  if (written !== undefined) invoke(machine, functionValue(written, owner.scope), made, args);
}

/** After `super(…)`, or before a constructor that has no parent. */
export function initialiseFields(machine: Machine, owner: ClassValue, made: Obj): void {
  const scope: Scope = { names: new Map([['this', made]]), outer: owner.scope };
  for (const member of owner.node.members) {
    if (!ts.isPropertyDeclaration(member) || hasStatic(member)) continue;
    const name = memberName(member.name);
    if (name === null) throw new GiveUp();
    const { initializer } = member;
    const value = initializer === undefined ? UNDEFINED : machine.evaluate(initializer, scope);
    made.fields.set(name, value);
    made.places.set(name, initializer ?? member);
  }
}

/** The class whose constructor the node is in. */
export function constructorOwner(node: ts.Node): ts.ClassLikeDeclaration | null {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return at.parent;
    if (isFunctionNode(at) && !ts.isArrowFunction(at)) return null;
  }
  return null;
}
