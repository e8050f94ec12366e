/** What every part of the walk needs of the whole: to evaluate, to execute, to call. */
import type ts from 'typescript';
import type { Completion, Scope, Value } from './value.ts';
import type { World } from './world.ts';

export interface MachineInput {
  sourceFile: ts.SourceFile;
  /** Global name of the client, and its operations. */
  client: string;
  operations: readonly string[];
  world: World;
}

/** All of it throws `Thrown` for the adapter's code, `GiveUp` and `Enough` for the walk itself. */
export interface Machine {
  readonly world: World;
  readonly input: MachineInput;
  evaluate(node: ts.Expression, scope: Scope): Value;
  execute(list: readonly ts.Statement[], scope: Scope): Completion;
  call(callee: Value, self: Value | null, args: Value[], node: ts.Node): Value;
  construct(callee: Value, args: Value[], node: ts.Node): Value;
}
