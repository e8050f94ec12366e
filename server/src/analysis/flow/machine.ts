/**
 * Walks an adapter's code over values that are partly known. Nothing of it is run: no code is made from its text, there
 * is nothing behind its names but what `builtins.ts` says, and each walk ends within the steps of its world.
 */
import type ts from 'typescript';
import { globals } from './builtins.ts';
import { evaluate } from './expressions.ts';
import { construct, invoke } from './functions.ts';
import { statements } from './statements.ts';
import { type Completion, derived, type Native, object, type Scope, sym, type Value } from './value.ts';
import type { Machine, MachineInput } from './walker.ts';
import { GiveUp, type World } from './world.ts';

/** Calls within calls: deeper ones are given up. */
const DEPTH = 60;

export class AdapterMachine implements Machine {
  readonly world: World;
  readonly scope: Scope;
  #depth = 0;

  constructor(readonly input: MachineInput) {
    this.world = input.world;
    this.scope = { names: globals(this), outer: null };
    const client = object(input.operations.map((name) => [name, this.#operation(name)]));
    this.scope.names.set(input.client, client);
    const global = object([[input.client, client]]);
    global.open = sym('globalThis', 'blind');
    this.scope.names.set('globalThis', global);
  }

  /** Walks the file and gives what it exports. @throws Thrown, GiveUp */
  load(): Value {
    const module = object([['exports', object()]]);
    const scope: Scope = {
      names: new Map<string, Value>([
        ['module', module],
        ['exports', module.fields.get('exports') ?? object()],
      ]),
      outer: this.scope,
    };
    this.execute(this.input.sourceFile.statements, scope);
    return module.fields.get('exports') ?? object();
  }

  evaluate(node: ts.Expression, scope: Scope): Value {
    this.world.step();
    return evaluate(this, node, scope);
  }

  execute(list: readonly ts.Statement[], scope: Scope): Completion {
    return statements(this, list, scope);
  }

  /** @throws Thrown, GiveUp */
  call(callee: Value, self: Value | null, args: Value[], node: ts.Node): Value {
    if (callee.kind === 'native') return callee.call(args, node);
    if (callee.kind === 'sym') return derived(`${callee.name}()`, callee, ...args);
    if (callee.kind !== 'fn') throw new GiveUp();
    return this.#deeper(() => invoke(this, callee, self, args));
  }

  construct(callee: Value, args: Value[], node: ts.Node): Value {
    return this.#deeper(() => construct(this, callee, args, node));
  }

  #deeper<Result>(run: () => Result): Result {
    if (this.#depth >= DEPTH) throw new GiveUp();
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
    }
  }

  #operation(name: string): Native {
    return { kind: 'native', name, call: (args, node) => this.world.call(name, args, node) };
  }
}
