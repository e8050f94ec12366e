/** Expressions along one path. */
import ts from 'typescript';
import { isFunctionNode, propertyName } from '../syntax.ts';
import {
  classValue,
  constructorOwner,
  functionValue,
  initialise,
  initialiseFields,
  memberName,
  YIELD,
} from './functions.ts';
import { eachItem, itemsOf } from './iteration.ts';
import { inherited, member } from './members.ts';
import { ASSIGNMENTS, binary, not } from './operators.ts';
import { assign, isDeclared, lookup } from './patterns.ts';
import { awaited } from './promises.ts';
import {
  derived,
  freshOf,
  nameOf,
  object,
  type Prim,
  prim,
  type Scope,
  sym,
  UNDEFINED,
  type Value,
} from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

const { SyntaxKind } = ts;

/** What an optional chain gives that was cut short: the rest of the chain is not walked. */
const SKIPPED: Prim = prim(undefined);

export function evaluate(machine: Machine, node: ts.Expression, scope: Scope): Value {
  if (ts.isStringLiteralLike(node)) return { kind: 'prim', value: node.text, from: node };
  if (ts.isNumericLiteral(node)) return prim(Number(node.text));
  if (ts.isIdentifier(node)) return node.text === 'undefined' ? UNDEFINED : lookup(node.text, scope);
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return reference(machine, node, scope).value;
  }
  if (ts.isCallExpression(node)) return call(machine, node, scope);
  if (ts.isParenthesizedExpression(node)) return machine.evaluate(node.expression, scope);
  if (ts.isAwaitExpression(node)) return awaited(machine, machine.evaluate(node.expression, scope));
  if (ts.isBinaryExpression(node)) return operation(machine, node, scope);
  if (ts.isConditionalExpression(node)) {
    const taken = machine.world.truth(machine.evaluate(node.condition, scope));
    return machine.evaluate(taken ? node.whenTrue : node.whenFalse, scope);
  }
  if (ts.isObjectLiteralExpression(node)) return objectLiteral(machine, node, scope);
  if (ts.isArrayLiteralExpression(node))
    return { kind: 'list', items: listed(machine, node.elements, scope) };
  if (ts.isTemplateExpression(node)) return template(machine, node, scope);
  if (isFunctionNode(node)) {
    if (!ts.isFunctionExpression(node) || node.name === undefined) return functionValue(node, scope);
    const named: Scope = { names: new Map(), outer: scope };
    const made = functionValue(node, named);
    named.names.set(node.name.text, made);
    return made;
  }
  if (ts.isClassExpression(node)) return classValue(machine, node, scope);
  if (ts.isNewExpression(node)) {
    const callee = machine.evaluate(node.expression, scope);
    return machine.construct(callee, listed(machine, node.arguments ?? [], scope), node);
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
    return unary(machine, node, scope);
  if (ts.isTypeOfExpression(node)) return typeOf(machine, node, scope);
  if (ts.isYieldExpression(node)) return yielded(machine, node, scope);
  if (ts.isVoidExpression(node)) {
    machine.evaluate(node.expression, scope);
    return UNDEFINED;
  }
  if (ts.isDeleteExpression(node)) return deleted(machine, node, scope);
  if (ts.isRegularExpressionLiteral(node)) return sym(node.text, 'input');
  return keyword(node, scope);
}

function keyword(node: ts.Expression, scope: Scope): Value {
  switch (node.kind) {
    case SyntaxKind.TrueKeyword:
      return prim(true);
    case SyntaxKind.FalseKeyword:
      return prim(false);
    case SyntaxKind.NullKeyword:
      return prim(null);
    case SyntaxKind.ThisKeyword:
      return lookup('this', scope);
    case SyntaxKind.OmittedExpression:
      return UNDEFINED;
    default:
      throw new GiveUp();
  }
}

/** A member with the object that it is called on. */
function reference(
  machine: Machine,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  scope: Scope,
): { value: Value; self: Value } {
  if (node.expression.kind === SyntaxKind.SuperKeyword) {
    const base = lookup('super', scope);
    const name = ts.isPropertyAccessExpression(node) ? node.name.text : '';
    const method = base.kind === 'class' ? inherited(base, name, 'methods') : undefined;
    if (method === undefined) throw new GiveUp();
    return { value: method, self: lookup('this', scope) };
  }
  const self = machine.evaluate(node.expression, scope);
  if (self === SKIPPED) return { value: SKIPPED, self };
  if (node.questionDotToken !== undefined && machine.world.nullish(self)) return { value: SKIPPED, self };
  const key = ts.isPropertyAccessExpression(node)
    ? prim(node.name.text)
    : machine.evaluate(node.argumentExpression, scope);
  return { value: member(machine, self, key, node), self };
}

function call(machine: Machine, node: ts.CallExpression, scope: Scope): Value {
  if (node.expression.kind === SyntaxKind.SuperKeyword) return superCall(machine, node, scope);
  let callee: ts.Expression = node.expression;
  while (ts.isParenthesizedExpression(callee)) callee = callee.expression;
  const { value, self } =
    ts.isPropertyAccessExpression(callee) || ts.isElementAccessExpression(callee)
      ? reference(machine, callee, scope)
      : { value: machine.evaluate(callee, scope), self: null };
  if (value === SKIPPED) return SKIPPED;
  if (node.questionDotToken !== undefined && machine.world.nullish(value)) return SKIPPED;
  return machine.call(value, self, listed(machine, node.arguments, scope), node);
}

function superCall(machine: Machine, node: ts.CallExpression, scope: Scope): Value {
  const made = lookup('this', scope);
  const owner = constructorOwner(node);
  if (made.kind !== 'object' || owner === null) throw new GiveUp();
  initialise(machine, lookup('super', scope), made, listed(machine, node.arguments, scope), node);
  for (let at = made.proto; at !== undefined; at = at.parent?.kind === 'class' ? at.parent : undefined) {
    if (at.node === owner) initialiseFields(machine, at, made);
  }
  return UNDEFINED;
}

function listed(machine: Machine, elements: readonly ts.Expression[], scope: Scope): Value[] {
  return elements.flatMap((element) =>
    ts.isSpreadElement(element)
      ? itemsOf(machine, machine.evaluate(element.expression, scope))
      : [machine.evaluate(element, scope)],
  );
}

function operation(machine: Machine, node: ts.BinaryExpression, scope: Scope): Value {
  const { left, right, operatorToken } = node;
  const operator = operatorToken.kind;
  if (operator === SyntaxKind.EqualsToken) {
    const value = machine.evaluate(right, scope);
    assign(machine, left, value, scope, right);
    return value;
  }
  const compound = ASSIGNMENTS.get(operator);
  const before = machine.evaluate(left, scope);
  switch (compound ?? operator) {
    case SyntaxKind.AmpersandAmpersandToken:
      if (!machine.world.truth(before)) return before;
      break;
    case SyntaxKind.BarBarToken:
      if (machine.world.truth(before)) return before;
      break;
    case SyntaxKind.QuestionQuestionToken:
      if (!machine.world.nullish(before)) return before;
      break;
    case SyntaxKind.CommaToken:
      return machine.evaluate(right, scope);
    case SyntaxKind.InstanceOfKeyword:
      return instanceOf(before, machine.evaluate(right, scope));
    default: {
      const value = binary(compound ?? operator, before, machine.evaluate(right, scope));
      if (compound !== undefined) assign(machine, left, value, scope, right);
      return value;
    }
  }
  const value = machine.evaluate(right, scope);
  if (compound !== undefined) assign(machine, left, value, scope, right);
  return value;
}

function instanceOf(value: Value, owner: Value): Value {
  if (value.kind === 'prim') return prim(false);
  if (owner.kind === 'class') {
    if (value.kind !== 'object')
      return value.kind === 'sym' ? derived('instanceof', value, owner) : prim(false);
    for (let at = value.proto; at !== undefined; at = at.parent?.kind === 'class' ? at.parent : undefined) {
      if (at === owner) return prim(true);
    }
    return prim(false);
  }
  if (owner.kind !== 'native' || value.kind === 'sym') return derived('instanceof', value, owner);
  // Of the language's own: errors by their fields, the others by their kind.
  if (/Error$/.test(owner.name)) {
    const name = value.kind === 'object' ? value.fields.get('name') : undefined;
    const isError = value.kind === 'object' && value.fields.has('message') && value.fields.has('stack');
    return prim(
      isError && (owner.name === 'Error' || nameOf(name ?? UNDEFINED) === JSON.stringify(owner.name)),
    );
  }
  const kinds = new Map<string, Value['kind']>([
    ['Promise', 'promise'],
    ['Array', 'list'],
    ['Map', 'keyed'],
    ['Set', 'keyed'],
  ]);
  return prim(kinds.get(owner.name) === value.kind);
}

function objectLiteral(machine: Machine, node: ts.ObjectLiteralExpression, scope: Scope): Value {
  const made = object();
  const set = (name: string, value: Value, place: ts.Node): void => {
    made.fields.set(name, value);
    made.places.set(name, place);
  };
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      spread(machine, made, machine.evaluate(property.expression, scope));
      continue;
    }
    const name = fieldName(machine, property.name, scope);
    if (name === null) made.open = sym(`object#${made.id}`, 'blind');
    else if (ts.isPropertyAssignment(property)) {
      set(name, machine.evaluate(property.initializer, scope), property.initializer);
    } else if (ts.isShorthandPropertyAssignment(property)) {
      set(name, machine.evaluate(property.name, scope), property.name);
    } else if (ts.isMethodDeclaration(property)) set(name, functionValue(property, scope), property);
    else if (ts.isGetAccessorDeclaration(property)) made.getters.set(name, functionValue(property, scope));
  }
  return made;
}

function fieldName(machine: Machine, name: ts.PropertyName, scope: Scope): string | null {
  if (!ts.isComputedPropertyName(name)) return memberName(name) ?? propertyName(name);
  const key = machine.evaluate(name.expression, scope);
  return key.kind === 'prim' ? String(key.value) : null;
}

export function spread(machine: Machine, made: ReturnType<typeof object>, from: Value): void {
  if (from.kind === 'sym') {
    // Its fields replace those before it, one cannot tell which.
    made.open = made.fields.size === 0 ? from : sym(`spread(${from.name})`, 'blind');
    if (from.origin === 'blind' || from.origin === 'error') made.open = sym(from.name, 'blind');
  } else if (from.kind === 'object') {
    for (const [name, value] of from.fields) {
      from.read?.add(name);
      made.fields.set(name, value);
      made.places.set(
        name,
        from.places.get(name) ?? from.places.values().next().value ?? machine.input.sourceFile,
      );
    }
    for (const [name, getter] of from.getters) {
      made.fields.set(name, machine.call(getter, from, [], getter.node));
      made.places.set(name, getter.node);
    }
    if (from.open !== undefined) made.open = from.open;
  } else if (from.kind === 'list') {
    for (const [index, item] of from.items.entries()) made.fields.set(String(index), item);
  } else if (from.kind !== 'prim') throw new GiveUp();
}

function template(machine: Machine, node: ts.TemplateExpression, scope: Scope): Value {
  const values = node.templateSpans.map(({ expression }) => machine.evaluate(expression, scope));
  const texts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const known = values.filter((value) => value.kind === 'prim');
  if (known.length === values.length) {
    const text = texts
      .map((piece, index) => (index === 0 ? piece : `${known[index - 1]?.value}${piece}`))
      .join('');
    const fresh = freshOf(...values);
    const made: Prim = { kind: 'prim', value: text.slice(0, 2_000), from: node };
    return fresh === undefined ? made : { ...made, fresh };
  }
  return derived(`template ${texts.join('$')}`, ...values);
}

function unary(
  machine: Machine,
  node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression,
  scope: Scope,
): Value {
  const before = machine.evaluate(node.operand, scope);
  switch (node.operator) {
    case SyntaxKind.ExclamationToken:
      return not(before.kind === 'sym' || before.kind === 'prim' ? before : prim(true));
    case SyntaxKind.PlusPlusToken:
    case SyntaxKind.MinusMinusToken: {
      const isUp = node.operator === SyntaxKind.PlusPlusToken;
      const after = binary(isUp ? SyntaxKind.PlusToken : SyntaxKind.MinusToken, before, prim(1));
      assign(machine, node.operand, after, scope, node);
      return ts.isPrefixUnaryExpression(node) ? after : before;
    }
    case SyntaxKind.MinusToken:
      return before.kind === 'prim' ? prim(-Number(before.value)) : derived('-', before);
    case SyntaxKind.PlusToken:
      return before.kind === 'prim' ? prim(Number(before.value)) : derived('+', before);
    default:
      return before.kind === 'prim' ? prim(~Number(before.value)) : derived('~', before);
  }
}

function typeOf(machine: Machine, node: ts.TypeOfExpression, scope: Scope): Value {
  if (ts.isIdentifier(node.expression) && !isDeclared(node.expression.text, scope)) return prim('undefined');
  const value = machine.evaluate(node.expression, scope);
  if (value.kind === 'prim') return prim(value.value === null ? 'object' : typeof value.value);
  if (value.kind === 'sym') return derived('typeof', value);
  return prim(
    value.kind === 'fn' || value.kind === 'native' || value.kind === 'class' ? 'function' : 'object',
  );
}

function yielded(machine: Machine, node: ts.YieldExpression, scope: Scope): Value {
  const hand = lookup(YIELD, scope);
  const value = node.expression ? machine.evaluate(node.expression, scope) : UNDEFINED;
  if (node.asteriskToken === undefined) return machine.call(hand, null, [value], node);
  eachItem(machine, value, (item) => {
    machine.call(hand, null, [item], node);
    return false;
  });
  return UNDEFINED;
}

function deleted(machine: Machine, node: ts.DeleteExpression, scope: Scope): Value {
  const target = node.expression;
  if (!ts.isPropertyAccessExpression(target) && !ts.isElementAccessExpression(target)) return prim(true);
  const from = machine.evaluate(target.expression, scope);
  const key = ts.isPropertyAccessExpression(target)
    ? prim(target.name.text)
    : machine.evaluate(target.argumentExpression, scope);
  if (from.kind !== 'object' || key.kind !== 'prim') throw new GiveUp();
  from.fields.delete(String(key.value));
  return prim(true);
}
