/** Names and patterns: where a value goes, and where a name is found. */
import ts from 'typescript';
import { propertyName } from '../syntax.ts';
import { itemsOf } from './iteration.ts';
import { member, setMember } from './members.ts';
import { FUNCTION_SCOPE, object, prim, type Scope, sym, UNDEFINED, type Value } from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

export function lookup(name: string, scope: Scope): Value {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const found = at.names.get(name);
    if (found !== undefined) return found;
  }
  return sym(`global ${name}`, 'blind');
}

export function isDeclared(name: string, scope: Scope): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.outer) if (at.names.has(name)) return true;
  return false;
}

export function assignName(name: string, value: Value, scope: Scope): void {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    if (at.names.has(name) || at.outer === null) {
      at.names.set(name, value);
      return;
    }
  }
}

export function functionScope(scope: Scope): Scope {
  let at = scope;
  while (!at.names.has(FUNCTION_SCOPE) && at.outer?.outer) at = at.outer;
  return at;
}

/** Declares the names of a pattern in `target`; defaults are evaluated in `scope`. */
export function bind(
  machine: Machine,
  name: ts.BindingName,
  given: Value,
  target: Scope,
  scope: Scope,
  fallback?: ts.Expression,
): void {
  const isAbsent = fallback !== undefined && given.kind === 'prim' && given.value === undefined;
  const value = isAbsent ? machine.evaluate(fallback, scope) : given;
  if (ts.isIdentifier(name)) {
    target.names.set(name.text, value);
    return;
  }
  if (ts.isArrayBindingPattern(name)) {
    const items = value.kind === 'sym' ? null : itemsOf(machine, value);
    for (const [index, element] of name.elements.entries()) {
      if (!ts.isBindingElement(element)) continue;
      const isRest = element.dotDotDotToken !== undefined;
      const item: Value = isRest
        ? { kind: 'list', items: items?.slice(index) ?? [] }
        : items === null
          ? member(machine, value, prim(index), element)
          : (items[index] ?? UNDEFINED);
      bind(machine, element.name, item, target, scope, element.initializer);
    }
    return;
  }
  const taken = new Set<string>();
  for (const element of name.elements) {
    if (element.dotDotDotToken !== undefined) {
      bind(machine, element.name, rest(value, taken), target, scope);
      continue;
    }
    const written = element.propertyName ?? element.name;
    const key = ts.isComputedPropertyName(written)
      ? machine.evaluate(written.expression, scope)
      : prim(propertyName(written) ?? '');
    if (key.kind === 'prim') taken.add(String(key.value));
    bind(machine, element.name, member(machine, value, key, element), target, scope, element.initializer);
  }
}

function rest(value: Value, taken: ReadonlySet<string>): Value {
  if (value.kind === 'sym') return value;
  if (value.kind !== 'object') throw new GiveUp();
  for (const name of value.fields.keys()) value.read?.add(name);
  const made = object([...value.fields].filter(([name]) => !taken.has(name)));
  if (value.open !== undefined) made.open = value.open;
  return made;
}

/** Writes to a name, a member or a pattern of them. */
export function assign(
  machine: Machine,
  target: ts.Expression,
  value: Value,
  scope: Scope,
  node: ts.Node,
): void {
  if (ts.isParenthesizedExpression(target)) {
    assign(machine, target.expression, value, scope, node);
  } else if (ts.isIdentifier(target)) {
    assignName(target.text, value, scope);
  } else if (ts.isPropertyAccessExpression(target)) {
    setMember(machine, machine.evaluate(target.expression, scope), prim(target.name.text), value, node);
  } else if (ts.isElementAccessExpression(target)) {
    const object = machine.evaluate(target.expression, scope);
    setMember(machine, object, machine.evaluate(target.argumentExpression, scope), value, node);
  } else if (ts.isArrayLiteralExpression(target)) {
    for (const [index, element] of target.elements.entries()) {
      assign(machine, element, member(machine, value, prim(index), node), scope, node);
    }
  } else {
    throw new GiveUp();
  }
}
