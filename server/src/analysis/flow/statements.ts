/** Statements along one path. */
import ts from 'typescript';
import { classValue, functionValue } from './functions.ts';
import { eachItem } from './iteration.ts';
import { equal } from './operators.ts';
import { assign, bind, functionScope } from './patterns.ts';
import { awaited } from './promises.ts';
import { type Completion, prim, type Scope, UNDEFINED, type Value } from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp, Thrown } from './world.ts';

export function statements(machine: Machine, list: readonly ts.Statement[], scope: Scope): Completion {
  for (const node of list) {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) {
      scope.names.set(node.name.text, functionValue(node, scope));
    }
  }
  for (const node of list) {
    const end = statement(machine, node, scope);
    if (end !== null) return end;
  }
  return null;
}

function inner(scope: Scope): Scope {
  return { names: new Map(), outer: scope };
}

function statement(machine: Machine, node: ts.Statement, scope: Scope): Completion {
  machine.world.step();
  if (ts.isExpressionStatement(node)) {
    machine.evaluate(node.expression, scope);
    return null;
  }
  if (ts.isVariableStatement(node)) {
    declare(machine, node.declarationList, scope);
    return null;
  }
  if (ts.isReturnStatement(node)) {
    return { kind: 'return', value: node.expression ? machine.evaluate(node.expression, scope) : UNDEFINED };
  }
  if (ts.isIfStatement(node)) {
    const taken = machine.world.truth(machine.evaluate(node.expression, scope));
    if (taken) return statement(machine, node.thenStatement, scope);
    return node.elseStatement ? statement(machine, node.elseStatement, scope) : null;
  }
  if (ts.isBlock(node)) return statements(machine, node.statements, inner(scope));
  if (ts.isThrowStatement(node)) throw new Thrown(machine.evaluate(node.expression, scope));
  if (ts.isTryStatement(node)) return tryStatement(machine, node, scope);
  if (ts.isIterationStatement(node, false)) return loop(machine, node, scope, []);
  if (ts.isLabeledStatement(node)) return labeled(machine, node, scope);
  if (ts.isSwitchStatement(node)) return switchStatement(machine, node, scope);
  if (ts.isBreakStatement(node)) return { kind: 'break', label: node.label?.text ?? null };
  if (ts.isContinueStatement(node)) return { kind: 'continue', label: node.label?.text ?? null };
  if (ts.isClassDeclaration(node) && node.name !== undefined) {
    scope.names.set(node.name.text, classValue(machine, node, scope));
    return null;
  }
  if (ts.isFunctionDeclaration(node) || ts.isEmptyStatement(node)) return null;
  throw new GiveUp();
}

function declare(machine: Machine, list: ts.VariableDeclarationList, scope: Scope): void {
  const isVar = (list.flags & ts.NodeFlags.BlockScoped) === 0;
  const target = isVar ? functionScope(scope) : scope;
  for (const { name, initializer } of list.declarations) {
    if (initializer === undefined && isVar) {
      if (ts.isIdentifier(name) && !target.names.has(name.text)) target.names.set(name.text, UNDEFINED);
      continue;
    }
    const value = initializer === undefined ? UNDEFINED : machine.evaluate(initializer, scope);
    bind(machine, name, value, target, scope);
  }
}

function labeled(machine: Machine, node: ts.LabeledStatement, scope: Scope): Completion {
  const label = node.label.text;
  const end = ts.isIterationStatement(node.statement, false)
    ? loop(machine, node.statement, scope, [label])
    : statement(machine, node.statement, scope);
  return end?.kind === 'break' && end.label === label ? null : end;
}

function tryStatement(machine: Machine, node: ts.TryStatement, scope: Scope): Completion {
  const { tryBlock, catchClause, finallyBlock } = node;
  let end: Completion = null;
  let thrown: Thrown | null = null;
  const guarded = (run: () => Completion): void => {
    try {
      end = run();
      thrown = null;
    } catch (error) {
      // Only what the code itself throws is caught by it.
      if (!(error instanceof Thrown)) throw error;
      thrown = error;
    }
  };
  guarded(() => statement(machine, tryBlock, scope));
  const caught = thrown as Thrown | null;
  if (caught !== null && catchClause !== undefined) {
    machine.world.trace.handler = catchClause;
    const names = inner(scope);
    const { variableDeclaration } = catchClause;
    guarded(() => {
      if (variableDeclaration) bind(machine, variableDeclaration.name, caught.value, names, names);
      return statements(machine, catchClause.block.statements, names);
    });
  }
  if (finallyBlock !== undefined) {
    const last = statement(machine, finallyBlock, scope);
    if (last !== null) return last;
  }
  const left = thrown as Thrown | null;
  if (left !== null) throw left;
  return end;
}

function switchStatement(machine: Machine, node: ts.SwitchStatement, scope: Scope): Completion {
  const subject = machine.evaluate(node.expression, scope);
  const { clauses } = node.caseBlock;
  const names = inner(scope);
  let from = clauses.findIndex(
    (clause) =>
      ts.isCaseClause(clause) &&
      machine.world.truth(equal(subject, machine.evaluate(clause.expression, names), true)),
  );
  if (from < 0) from = clauses.findIndex(ts.isDefaultClause);
  if (from < 0) return null;
  const end = statements(
    machine,
    clauses.slice(from).flatMap((clause) => [...clause.statements]),
    names,
  );
  return end?.kind === 'break' && end.label === null ? null : end;
}

function loop(machine: Machine, node: ts.IterationStatement, scope: Scope, labels: string[]): Completion {
  const isOurs = (label: string | null): boolean => label === null || labels.includes(label);
  let result: Completion = null;
  /** True: the loop is left. */
  const round = (names: Scope): boolean => {
    const end = statement(machine, node.statement, names);
    if (end === null || (end.kind === 'continue' && isOurs(end.label))) return false;
    result = end.kind === 'break' && isOurs(end.label) ? null : end;
    return true;
  };
  if (ts.isForOfStatement(node) || ts.isForInStatement(node)) {
    walkItems(machine, node, scope, round);
  } else if (ts.isForStatement(node)) {
    walkFor(machine, node, scope, round);
  } else if (ts.isWhileStatement(node)) {
    while (machine.world.truth(machine.evaluate(node.expression, scope)) && !round(scope));
  } else if (ts.isDoStatement(node)) {
    while (!round(scope) && machine.world.truth(machine.evaluate(node.expression, scope)));
  }
  return result;
}

/** Each round has names of its own, which start as those of the round before. */
function walkFor(
  machine: Machine,
  node: ts.ForStatement,
  scope: Scope,
  round: (names: Scope) => boolean,
): void {
  let names = inner(scope);
  if (node.initializer !== undefined) {
    if (ts.isVariableDeclarationList(node.initializer)) declare(machine, node.initializer, names);
    else machine.evaluate(node.initializer, names);
  }
  for (;;) {
    machine.world.step();
    if (node.condition && !machine.world.truth(machine.evaluate(node.condition, names))) return;
    if (round(names)) return;
    names = { names: new Map(names.names), outer: scope };
    if (node.incrementor) machine.evaluate(node.incrementor, names);
  }
}

function walkItems(
  machine: Machine,
  node: ts.ForOfStatement | ts.ForInStatement,
  scope: Scope,
  round: (names: Scope) => boolean,
): void {
  const given = machine.evaluate(node.expression, scope);
  const walked: Value = ts.isForInStatement(node) ? keysOf(given) : given;
  eachItem(machine, walked, (item) => {
    const names = inner(scope);
    const value = ts.isForOfStatement(node) && node.awaitModifier ? awaited(machine, item) : item;
    if (ts.isVariableDeclarationList(node.initializer)) {
      const isVar = (node.initializer.flags & ts.NodeFlags.BlockScoped) === 0;
      const [declaration] = node.initializer.declarations;
      const target = isVar ? functionScope(scope) : names;
      if (declaration !== undefined) bind(machine, declaration.name, value, target, names);
    } else {
      assign(machine, node.initializer, value, names, node);
    }
    return round(names);
  });
}

function keysOf(value: Value): Value {
  if (value.kind === 'object') return { kind: 'list', items: [...value.fields.keys()].map(prim) };
  if (value.kind === 'list')
    return { kind: 'list', items: value.items.map((_, index) => prim(String(index))) };
  throw new GiveUp();
}
