/** Every path of one export under one kind of failure, within a budget. */
import type ts from 'typescript';
import { AdapterMachine } from './machine.ts';
import { member } from './members.ts';
import { awaited } from './promises.ts';
import { object, prim, sym, type Value } from './value.ts';
import { Enough, GiveUp, type Sample, Thrown, type Trace, turn, World } from './world.ts';

export interface Question {
  sourceFile: ts.SourceFile;
  client: string;
  operations: readonly string[];
  export: string;
  /** Names of the arguments; `bound`: the property of the last that bounds the reads, and its value. */
  parameters: readonly string[];
  bound: { property: string; value: number } | null;
  /** Operation all of whose calls fail; null: all calls are answered. */
  failing: string | null;
  sample: Sample;
  budget: { steps: number };
  /** Takes the names of the error's fields that the code looks at on any path. */
  read: Set<string>;
}

/** Paths of one question: further ones differ in what comes late. */
const PATHS = 12;

export function explore(question: Question): Trace[] {
  const traces: Trace[] = [];
  const plan: World['plan'] = [];
  for (let path = 0; path < PATHS && question.budget.steps > 0; path += 1) {
    const trace = walk(question, plan);
    if (trace !== null) traces.push(trace);
    if (!turn(plan)) break;
  }
  return traces;
}

/** One path; null: it could not be followed. */
function walk(question: Question, plan: World['plan']): Trace | null {
  const { sourceFile, client, operations, failing, sample, budget, read } = question;
  const world = new World(failing, sample, plan, budget, read);
  try {
    const machine = new AdapterMachine({ sourceFile, client, operations, world });
    const exported = machine.load();
    const name = prim(question.export);
    const fn = member(machine, exported, name, sourceFile);
    world.trace.end = ended(
      () => awaited(machine, machine.call(fn, exported, inputs(question), sourceFile)),
      (error) => codeOf(machine, error, sourceFile),
    );
  } catch (error) {
    // The file itself threw, or ran out of what it may take: what happened until then counts.
    if (error instanceof Enough || error instanceof Thrown) return world.trace;
    // Text nested beyond what a stack holds is not followed either.
    if (error instanceof GiveUp || error instanceof RangeError) {
      return world.trace.calls.length > 0 ? world.trace : null;
    }
    throw error;
  }
  return world.trace;
}

function ended(run: () => Value, codeOf: (error: Value) => Value | undefined): Trace['end'] {
  try {
    return { kind: 'returned', value: run() };
  } catch (error) {
    if (error instanceof Thrown) return { kind: 'threw', value: error.value, code: codeOf(error.value) };
    throw error;
  }
}

function codeOf(machine: AdapterMachine, error: Value, node: ts.Node): Value | undefined {
  if (error.kind !== 'object') return undefined;
  const own = error.fields.get('code');
  // The vendor's own errors have no class: nobody looked at what they leave open.
  return own ?? (error.proto === undefined ? undefined : member(machine, error, prim('code'), node));
}

function inputs({ parameters, bound }: Question): Value[] {
  return parameters.map((name, index) => {
    if (bound === null || index < parameters.length - 1) return sym(name, 'input');
    return object([[bound.property, prim(bound.value)]]);
  });
}
