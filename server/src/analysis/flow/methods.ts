/** Methods of lists, texts, collections and symbols. */
import type ts from 'typescript';
import { itemOf } from './iteration.ts';
import { equal } from './operators.ts';
import {
  derived,
  isBlind,
  type Keyed,
  type List,
  type Native,
  nameOf,
  prim,
  type Sym,
  truthOf,
  UNDEFINED,
  type Value,
} from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

type Call = Native['call'];

function native(name: string, call: Call): Native {
  return { kind: 'native', name, call };
}

const list = (items: Value[]): List => ({ kind: 'list', items });

export function listMethod(machine: Machine, self: List, name: string, at: ts.Node): Native | null {
  const { items } = self;
  const apply = (fn: Value, ...args: Value[]): Value => {
    machine.world.step();
    return machine.call(fn, null, [...args, self], at);
  };
  const passes = (fn: Value) => (item: Value, index: number) =>
    machine.world.truth(apply(fn, item, prim(index)));
  const known = (value: Value | undefined, otherwise: number): number =>
    value?.kind === 'prim' && value.value !== undefined ? Number(value.value) : otherwise;
  const calls: Record<string, Call> = {
    push: (args) => prim(items.push(...args)),
    unshift: (args) => prim(items.unshift(...args)),
    pop: () => items.pop() ?? UNDEFINED,
    shift: () => items.shift() ?? UNDEFINED,
    at: ([index]) => items.at(known(index, 0)) ?? UNDEFINED,
    slice: ([from, to]) => list(items.slice(known(from, 0), known(to, items.length))),
    splice: ([from, count, ...added]) =>
      list(items.splice(known(from, 0), known(count, items.length), ...added)),
    concat: (args) =>
      list([...items, ...args.flatMap((each) => (each.kind === 'list' ? each.items : [each]))]),
    reverse: () => {
      items.reverse();
      return self;
    },
    sort: () => self,
    map: ([fn = UNDEFINED]) => list([...items].map((item, index) => apply(fn, item, prim(index)))),
    flatMap: ([fn = UNDEFINED]) =>
      list(
        [...items].flatMap((item, index) => {
          const made = apply(fn, item, prim(index));
          return made.kind === 'list' ? made.items : [made];
        }),
      ),
    flat: () => list(items.flatMap((item) => (item.kind === 'list' ? item.items : [item]))),
    forEach: ([fn = UNDEFINED]) => {
      for (const [index, item] of [...items].entries()) apply(fn, item, prim(index));
      return UNDEFINED;
    },
    filter: ([fn = UNDEFINED]) => list([...items].filter(passes(fn))),
    find: ([fn = UNDEFINED]) => items.find(passes(fn)) ?? UNDEFINED,
    findIndex: ([fn = UNDEFINED]) => prim(items.findIndex(passes(fn))),
    some: ([fn = UNDEFINED]) => prim(items.some(passes(fn))),
    every: ([fn = UNDEFINED]) => prim(items.every(passes(fn))),
    reduce: ([fn = UNDEFINED, start]) => {
      const rest = start === undefined ? items.slice(1) : [...items];
      const first = start ?? items[0];
      if (first === undefined) throw new GiveUp();
      return rest.reduce((all, item, index) => apply(fn, all, item, prim(index)), first);
    },
    includes: ([wanted = UNDEFINED]) => contains(items, wanted),
    indexOf: ([wanted = UNDEFINED]) => {
      const found = contains(items, wanted);
      if (found.kind === 'sym') return derived('indexOf', found);
      return prim(items.findIndex((item) => nameOf(item) === nameOf(wanted)));
    },
    join: ([separator]) => {
      if (!items.every((item) => item.kind === 'prim')) return derived('join', ...items);
      const between = separator?.kind === 'prim' ? String(separator.value) : ',';
      return prim(items.map((item) => (item.kind === 'prim' ? String(item.value ?? '') : '')).join(between));
    },
    keys: () => list(items.map((_, index) => prim(index))),
    entries: () => list(items.map((item, index) => list([prim(index), item]))),
    values: () => list([...items]),
    fill: ([value = UNDEFINED]) => {
      items.fill(value);
      return self;
    },
  };
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  return call === undefined ? null : native(name, call);
}

/** Whether a list has the value: a symbol where it cannot be told. */
function contains(items: readonly Value[], wanted: Value): Value {
  const answers = items.map((item) => equal(item, wanted, true));
  if (answers.some((answer) => answer.kind === 'prim' && answer.value === true)) return prim(true);
  const open = answers.filter((answer) => answer.kind === 'sym');
  return open.length === 0 ? prim(false) : derived('includes', ...open);
}

/** Methods that take and give plain values and grow nothing. */
const TEXT_METHODS = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'toLowerCase',
  'toUpperCase',
  'trim',
  'slice',
  'substring',
  'indexOf',
  'charAt',
  'charCodeAt',
  'split',
  'toString',
  'replace',
  'replaceAll',
  'at',
  'concat',
]);

export function stringMethod(_machine: Machine, self: string, name: string): Native | null {
  if (!TEXT_METHODS.has(name))
    return name in String.prototype ? native(name, (args) => derived(name, prim(self), ...args)) : null;
  return native(name, (args) => {
    const plain = args.map((arg) =>
      arg.kind === 'prim' && typeof arg.value !== 'bigint' ? arg.value : null,
    );
    if (args.some((arg) => arg.kind !== 'prim')) return derived(name, prim(self), ...args);
    const method = Reflect.get(String.prototype, name) as (...given: unknown[]) => unknown;
    const made = method.apply(self, plain);
    if (Array.isArray(made)) return list(made.map((item) => prim(String(item))));
    return prim(typeof made === 'string' ? made.slice(0, 2_000) : (made as number | boolean | undefined));
  });
}

export function keyedMethod(machine: Machine, self: Keyed, name: string): Native | null {
  const keyOf = (key: Value): string => {
    // It may be the same key as another: then nothing is known of the collection any more.
    if (isBlind(key)) throw new GiveUp();
    return key.kind === 'object' ? `object#${key.id}` : nameOf(key);
  };
  const values = (pick: (entry: [Value, Value]) => Value): Value =>
    list([...self.entries.values()].map(pick));
  const calls: Record<string, Call> = {
    get: ([key = UNDEFINED]) => self.entries.get(keyOf(key))?.[1] ?? UNDEFINED,
    has: ([key = UNDEFINED]) => {
      if (self.entries.has(keyOf(key))) return prim(true);
      return key.kind === 'sym' && key.origin !== 'input'
        ? contains(
            [...self.entries.values()].map(([each]) => each),
            key,
          )
        : prim(false);
    },
    set: ([key = UNDEFINED, value = UNDEFINED]) => {
      self.entries.set(keyOf(key), [key, value]);
      return self;
    },
    add: ([key = UNDEFINED]) => {
      self.entries.set(keyOf(key), [key, key]);
      return self;
    },
    delete: ([key = UNDEFINED]) => prim(self.entries.delete(keyOf(key))),
    clear: () => {
      self.entries.clear();
      return UNDEFINED;
    },
    keys: () => values(([key]) => key),
    values: () => values(([, value]) => value),
    entries: () => values(([key, value]) => list([key, value])),
    forEach: ([fn = UNDEFINED], node) => {
      for (const [key, value] of [...self.entries.values()]) machine.call(fn, null, [value, key], node);
      return UNDEFINED;
    },
  };
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  return call === undefined ? null : native(name, call);
}

/** Methods that take a function: of an unknown list it is called with the one item that it is taken to have. */
export function symbolMethod(machine: Machine, self: Sym, name: string): Native | null {
  const item = itemOf(self);
  const visit = (fn: Value, node: ts.Node): Value => machine.call(fn, null, [item, prim(0), self], node);
  const isTrue = (fn: Value, node: ts.Node): boolean => {
    const value = visit(fn, node);
    return truthOf(value) ?? machine.world.truth(value);
  };
  const calls: Record<string, Call> = {
    map: ([fn = UNDEFINED], node) => list([visit(fn, node)]),
    flatMap: ([fn = UNDEFINED], node) => list([visit(fn, node)]),
    forEach: ([fn = UNDEFINED], node) => {
      visit(fn, node);
      return UNDEFINED;
    },
    filter: ([fn = UNDEFINED], node) => list(isTrue(fn, node) ? [item] : []),
    find: ([fn = UNDEFINED], node) => (isTrue(fn, node) ? item : UNDEFINED),
    findLast: ([fn = UNDEFINED], node) => (isTrue(fn, node) ? item : UNDEFINED),
    some: ([fn = UNDEFINED], node) => prim(isTrue(fn, node)),
    every: ([fn = UNDEFINED], node) => prim(isTrue(fn, node)),
    reduce: ([fn = UNDEFINED, start], node) =>
      start === undefined ? item : machine.call(fn, null, [start, item, prim(0)], node),
  };
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  return call === undefined ? null : native(name, call);
}
