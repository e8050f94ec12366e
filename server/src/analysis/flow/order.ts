/** What an order is: what a call of a creating operation carries besides its key, and where that key is. */
import type ts from 'typescript';
import type { OperationFacts } from './operations.ts';
import { isBlind, nameOf, object, type Value } from './value.ts';
import type { OperationCall } from './world.ts';

type Key = NonNullable<OperationFacts['key']>;

export interface KeyValue {
  value: Value;
  /** Where it was written. */
  place: ts.Node | null;
}

/** The key of a call; null: it carries none; `unknown`: it cannot be told. */
export function keyOf(facts: OperationFacts, key: Key, { args }: OperationCall): KeyValue | 'unknown' | null {
  if (key.in === 'path') return at(args[facts.path.indexOf(key.name)]);
  if (key.in === 'body') {
    const steps = key.pointer.split('/').slice(1);
    return fieldAt(
      args[facts.path.length],
      steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    );
  }
  return fieldAt(args[facts.path.length + (facts.hasBody ? 1 : 0)], ['headers', key.name]);
}

function at(value: Value | undefined): KeyValue | null {
  return isAbsent(value) ? null : { value, place: null };
}

function isAbsent(value: Value | undefined): value is undefined {
  return (
    value === undefined || (value.kind === 'prim' && (value.value === undefined || value.value === null))
  );
}

/** Names are compared without regard to case where nothing has just that name: headers are written either way. */
function fieldAt(from: Value | undefined, steps: readonly string[]): KeyValue | 'unknown' | null {
  let found = at(from);
  for (const step of steps) {
    if (found === null) return null;
    const { value } = found;
    if (value.kind === 'sym') return value.origin === 'input' || value.origin === 'world' ? found : 'unknown';
    if (value.kind !== 'object') return 'unknown';
    const name = [...value.fields.keys()].find(
      (each) => each === step || each.toLowerCase() === step.toLowerCase(),
    );
    const field = name === undefined ? undefined : value.fields.get(name);
    if (field === undefined && value.open !== undefined) return 'unknown';
    if (isAbsent(field)) return null;
    found = { value: field, place: value.places.get(name ?? step) ?? null };
  }
  return found;
}

/** Whether both calls order the same thing, as far as it is known. */
export function sameOrder(facts: OperationFacts, first: OperationCall, again: OperationCall): boolean {
  const ordered = [first, again].map((call) => orderedBy(facts, call));
  if (ordered.some((values) => values.some((value) => isBlind(value)))) return false;
  const [a, b] = ordered.map((values) => values.map((value) => nameOf(value)).join());
  return a === b;
}

/** Path and body without the key. */
function orderedBy({ key, path, hasBody }: OperationFacts, { args }: OperationCall): Value[] {
  const inPath = path.flatMap((name, index) => {
    const value = args[index];
    return value === undefined || (key?.in === 'path' && key.name === name) ? [] : [value];
  });
  const body = hasBody ? args[path.length] : undefined;
  if (body === undefined) return inPath;
  return [...inPath, key?.in === 'body' ? without(body, key.pointer.split('/').slice(1)) : body];
}

function without(body: Value, [step, ...rest]: readonly string[]): Value {
  if (body.kind !== 'object' || step === undefined) return body;
  const field = body.fields.get(step);
  if (field === undefined) return body;
  const made = object([...body.fields].filter(([name]) => name !== step));
  if (body.open !== undefined) made.open = body.open;
  if (rest.length > 0) made.fields.set(step, without(field, rest));
  return made;
}
