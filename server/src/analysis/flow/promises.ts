/** Promises as the walk runs them: reactions run as soon as a promise is settled, and waiting lets timers run. */
import type ts from 'typescript';
import { type List, type Native, type PromiseValue, UNDEFINED, type Value } from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp, Thrown } from './world.ts';

export function pending(): PromiseValue {
  return { kind: 'promise', state: 'pending', value: UNDEFINED, reactions: [] };
}

export function fulfilled(value: Value): PromiseValue {
  if (value.kind === 'promise') return value;
  return { kind: 'promise', state: 'fulfilled', value, reactions: [] };
}

export function rejected(value: Value): PromiseValue {
  return { kind: 'promise', state: 'rejected', value, reactions: [] };
}

/** What the code gives or throws, as a promise. */
export function promised(run: () => Value): PromiseValue {
  try {
    return fulfilled(run());
  } catch (error) {
    if (error instanceof Thrown) return rejected(error.value);
    throw error;
  }
}

export function settle(promise: PromiseValue, state: 'fulfilled' | 'rejected', value: Value): void {
  if (promise.state !== 'pending') return;
  if (state === 'fulfilled' && value.kind === 'promise') {
    whenSettled(value, () => settleAs(promise, value));
    return;
  }
  promise.state = state;
  promise.value = value;
  for (const reaction of promise.reactions.splice(0)) reaction();
}

function settleAs(promise: PromiseValue, other: PromiseValue): void {
  if (other.state !== 'pending') settle(promise, other.state, other.value);
}

function whenSettled(promise: PromiseValue, run: () => void): void {
  if (promise.state === 'pending') promise.reactions.push(run);
  else run();
}

/** The value of a promise, or of anything else itself. @throws Thrown */
export function awaited(machine: Machine, value: Value): Value {
  if (value.kind !== 'promise') return value;
  while (value.state === 'pending') {
    if (!machine.world.tick()) throw new GiveUp();
  }
  if (value.state === 'rejected') throw new Thrown(value.value);
  return value.value;
}

/** `then` with both handlers; what is no function is passed over. */
export function react(
  machine: Machine,
  promise: PromiseValue,
  onValue: Value,
  onError: Value,
  node: ts.Node,
): PromiseValue {
  const result = pending();
  whenSettled(promise, () => {
    const failed = promise.state === 'rejected';
    const handler = failed ? onError : onValue;
    if (handler.kind === 'prim') {
      settleAs(result, promise);
      return;
    }
    if (failed) machine.world.trace.handler = handler.kind === 'fn' ? handler.node : node;
    const next = promised(() => machine.call(handler, null, [promise.value], node));
    whenSettled(next, () => settleAs(result, next));
  });
  return result;
}

export function promiseMethod(machine: Machine, promise: PromiseValue, name: string): Native | null {
  const native = (call: Native['call']): Native => ({ kind: 'native', name, call });
  switch (name) {
    case 'then':
      return native(([onValue = UNDEFINED, onError = UNDEFINED], node) =>
        react(machine, promise, onValue, onError, node),
      );
    case 'catch':
      return native(([onError = UNDEFINED], node) => react(machine, promise, UNDEFINED, onError, node));
    case 'finally':
      return native(([run = UNDEFINED], node) => {
        const result = pending();
        whenSettled(promise, () => {
          const last = promised(() => machine.call(run, null, [], node));
          whenSettled(last, () => settleAs(result, last.state === 'rejected' ? last : promise));
        });
        return result;
      });
    default:
      return null;
  }
}

/** `Promise.all`, `allSettled`, `any` and `race`; `describe` makes an entry of `allSettled`. */
export function combined(
  machine: Machine,
  how: string,
  list: List,
  describe: (promise: PromiseValue) => Value,
): PromiseValue {
  const promises = list.items.map(fulfilled);
  const result = pending();
  if (how === 'race') {
    for (const each of promises) whenSettled(each, () => settleAs(result, each));
    return result;
  }
  return promised(() => {
    const errors: Value[] = [];
    const values = promises.flatMap((each) => {
      try {
        const value = awaited(machine, each);
        return [how === 'allSettled' ? describe(each) : value];
      } catch (error) {
        if (!(error instanceof Thrown)) throw error;
        if (how === 'all') throw error;
        errors.push(error.value);
        return how === 'allSettled' ? [describe(each)] : [];
      }
    });
    const [first] = values;
    if (how !== 'any') return { kind: 'list', items: values };
    if (first === undefined) throw new Thrown(errors[0] ?? UNDEFINED);
    return first;
  });
}
