/** The globals of the sandbox, as far as adapters use them; every other name is a blind symbol. */
import { spread } from './expressions.ts';
import { itemsOf } from './iteration.ts';
import { member, setMember } from './members.ts';
import { combined, fulfilled, pending, promised, rejected, settle } from './promises.ts';
import {
  derived,
  isNullish,
  type Keyed,
  type List,
  type Native,
  nameOf,
  object,
  prim,
  sym,
  UNDEFINED,
  type Value,
} from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

type Call = Native['call'];

function native(name: string, call: Call, fields: Record<string, Value> = {}): Native {
  return { kind: 'native', name, call, fields: new Map(Object.entries(fields)) };
}

const natives = (calls: Record<string, Call>): Record<string, Native> =>
  Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, native(name, call)]));

const list = (items: Value[]): List => ({ kind: 'list', items });

export function globals(machine: Machine): Map<string, Value> {
  const notCallable: Call = () => {
    throw new GiveUp();
  };
  const names: Record<string, Value> = {
    Object: native('Object', ([value = UNDEFINED]) => value, natives(objects(machine))),
    Array: native('Array', ([length]) => list(filled(length)), natives(arrays(machine))),
    Promise: native(
      'Promise',
      ([run = UNDEFINED], node) => newPromise(machine, run, node),
      natives(promises(machine)),
    ),
    Map: native('Map', ([from]) => keyed(machine, true, from)),
    WeakMap: native('WeakMap', ([from]) => keyed(machine, true, from)),
    Set: native('Set', ([from]) => keyed(machine, false, from)),
    WeakSet: native('WeakSet', ([from]) => keyed(machine, false, from)),
    Math: native('Math', notCallable, { ...natives(maths(machine)), PI: prim(Math.PI), E: prim(Math.E) }),
    Number: native('Number', ([value = prim(0)]) => asNumber(value), {
      ...natives({
        isFinite: numberTest(Number.isFinite),
        isInteger: numberTest(Number.isInteger),
        isNaN: numberTest(Number.isNaN),
      }),
      MAX_SAFE_INTEGER: prim(Number.MAX_SAFE_INTEGER),
      POSITIVE_INFINITY: prim(Number.POSITIVE_INFINITY),
    }),
    String: native('String', ([value = prim('')]) =>
      value.kind === 'prim' ? { ...value, value: String(value.value) } : derived('String', value),
    ),
    Boolean: native('Boolean', ([value = UNDEFINED]) => prim(machine.world.truth(value))),
    parseInt: native('parseInt', ([value = UNDEFINED]) =>
      value.kind === 'prim' ? prim(Number.parseInt(String(value.value), 10)) : derived('parseInt', value),
    ),
    JSON: native(
      'JSON',
      notCallable,
      natives({
        stringify: ([value = UNDEFINED]) => derived('json', value),
        parse: ([value = UNDEFINED]) => derived('parse', value),
      }),
    ),
    Date: native(
      'Date',
      (_, node) => ({ ...sym(`new Date#${machine.world.count()}`, 'world'), fresh: node }),
      natives({ now: clock(machine) }),
    ),
    performance: object([['now', native('now', clock(machine))]]),
    crypto: object(Object.entries(natives({ randomUUID: fresh(machine), getRandomValues: fresh(machine) }))),
    structuredClone: native('structuredClone', ([value = UNDEFINED]) => value),
    console: object(
      ['log', 'info', 'warn', 'error', 'debug', 'trace'].map((name) => [name, native(name, () => UNDEFINED)]),
    ),
    NaN: prim(Number.NaN),
    Infinity: prim(Number.POSITIVE_INFINITY),
    ...natives(timers(machine)),
  };
  for (const name of ['Error', 'TypeError', 'RangeError', 'AggregateError', 'EvalError', 'SyntaxError']) {
    names[name] = native(name, ([message = prim(''), options = UNDEFINED]) =>
      error(machine, name, message, options),
    );
  }
  return new Map(Object.entries(names));
}

function error(machine: Machine, name: string, message: Value, options: Value): Value {
  const made = object([
    ['name', prim(name)],
    ['message', message],
    ['stack', sym('stack', 'world')],
  ]);
  if (options.kind === 'object' && options.fields.has('cause')) {
    made.fields.set('cause', options.fields.get('cause') ?? UNDEFINED);
  }
  machine.world.step();
  return made;
}

function newPromise(machine: Machine, run: Value, node: Parameters<Call>[1]): Value {
  const promise = pending();
  const settler = (state: 'fulfilled' | 'rejected'): Native =>
    native(state, ([value = UNDEFINED]) => {
      settle(promise, state, value);
      return UNDEFINED;
    });
  const started = promised(() => machine.call(run, null, [settler('fulfilled'), settler('rejected')], node));
  if (started.state === 'rejected') settle(promise, 'rejected', started.value);
  return promise;
}

function promises(machine: Machine): Record<string, Call> {
  const settled = (promise: { state: string; value: Value }): Value =>
    object([
      ['status', prim(promise.state)],
      [promise.state === 'rejected' ? 'reason' : 'value', promise.value],
    ]);
  const combine =
    (how: string): Call =>
    ([given = UNDEFINED]) =>
      combined(machine, how, list(itemsOf(machine, given)), settled);
  return {
    resolve: ([value = UNDEFINED]) => fulfilled(value),
    reject: ([value = UNDEFINED]) => rejected(value),
    all: combine('all'),
    allSettled: combine('allSettled'),
    any: combine('any'),
    race: combine('race'),
    withResolvers: () => {
      const promise = pending();
      const by = (state: 'fulfilled' | 'rejected') =>
        native(state, ([value = UNDEFINED]) => {
          settle(promise, state, value);
          return UNDEFINED;
        });
      return object([
        ['promise', promise],
        ['resolve', by('fulfilled')],
        ['reject', by('rejected')],
      ]);
    },
    try: ([run = UNDEFINED, ...args], node) => promised(() => machine.call(run, null, args, node)),
  };
}

function timers(machine: Machine): Record<string, Call> {
  const start =
    (every: boolean): Call =>
    ([run = UNDEFINED, delay = UNDEFINED, ...args], node) =>
      prim(machine.world.timer(delay, every, () => void machine.call(run, null, args, node)));
  const clear: Call = ([id = UNDEFINED]) => {
    machine.world.clear(id);
    return UNDEFINED;
  };
  const soon: Call = ([run = UNDEFINED, ...args], node) => {
    machine.world.timer(prim(0), false, () => void machine.call(run, null, args, node));
    return UNDEFINED;
  };
  return {
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: soon,
    queueMicrotask: soon,
  };
}

function objects(machine: Machine): Record<string, Call> {
  const fieldsOf = (value: Value): [string, Value][] => {
    if (value.kind === 'object' && value.open === undefined) return [...value.fields];
    if (value.kind === 'list') return value.items.map((item, index) => [String(index), item]);
    throw new GiveUp();
  };
  const same: Call = ([value = UNDEFINED]) => value;
  return {
    assign: ([target = UNDEFINED, ...sources], node) => {
      for (const source of sources) {
        if (target.kind === 'object') spread(machine, target, source);
        else
          for (const [name, value] of fieldsOf(source)) setMember(machine, target, prim(name), value, node);
      }
      return target;
    },
    freeze: same,
    seal: same,
    keys: ([value = UNDEFINED]) => list(fieldsOf(value).map(([name]) => prim(name))),
    values: ([value = UNDEFINED]) => list(fieldsOf(value).map(([, field]) => field)),
    entries: ([value = UNDEFINED]) => list(fieldsOf(value).map(([name, field]) => list([prim(name), field]))),
    fromEntries: ([value = UNDEFINED], node) => {
      const made = object();
      for (const entry of itemsOf(machine, value)) {
        setMember(
          machine,
          made,
          member(machine, entry, prim(0), node),
          member(machine, entry, prim(1), node),
          node,
        );
      }
      return made;
    },
    create: ([proto = UNDEFINED]) => {
      if (isNullish(proto) !== true) throw new GiveUp();
      return object();
    },
    hasOwn: ([value = UNDEFINED, key = UNDEFINED]) => {
      if (value.kind !== 'object' || key.kind !== 'prim') return derived('hasOwn', value, key);
      if (value.fields.has(String(key.value))) return prim(true);
      return value.open === undefined ? prim(false) : derived('hasOwn', value.open, key);
    },
  };
}

/** Lists are made no longer than the walk can follow. */
const LONGEST_LIST = 200;

function filled(length: Value | undefined): Value[] {
  if (length === undefined) return [];
  if (length.kind !== 'prim') throw new GiveUp();
  return Array.from({ length: Math.min(Number(length.value) || 0, LONGEST_LIST) }, () => UNDEFINED);
}

function arrays(machine: Machine): Record<string, Call> {
  return {
    isArray: ([value = UNDEFINED]) =>
      value.kind === 'sym' ? derived('isArray', value) : prim(value.kind === 'list'),
    of: (items) => list(items),
    from: ([from = UNDEFINED, fn], node) => {
      const length = from.kind === 'object' ? from.fields.get('length') : undefined;
      const items = length === undefined ? itemsOf(machine, from) : filled(length);
      return list(
        fn === undefined
          ? items
          : items.map((item, index) => machine.call(fn, null, [item, prim(index)], node)),
      );
    },
  };
}

function keyed(machine: Machine, isMap: boolean, from: Value | undefined): Keyed {
  const made: Keyed = { kind: 'keyed', isMap, entries: new Map() };
  if (from === undefined || isNullish(from) === true) return made;
  for (const item of itemsOf(machine, from)) {
    const [key = item, value = item] = isMap && item.kind === 'list' ? item.items : [item, item];
    made.entries.set(nameOf(key), [key, value]);
  }
  return made;
}

function maths(machine: Machine): Record<string, Call> {
  const calls: Record<string, Call> = { random: fresh(machine) };
  for (const name of [
    'min',
    'max',
    'floor',
    'ceil',
    'round',
    'trunc',
    'abs',
    'pow',
    'sign',
    'log2',
    'sqrt',
  ]) {
    const compute = Reflect.get(Math, name) as (...values: number[]) => number;
    calls[name] = (args) =>
      args.every((arg) => arg.kind === 'prim')
        ? prim(compute(...args.map((arg) => (arg.kind === 'prim' ? Number(arg.value) : Number.NaN))))
        : derived(name, ...args);
  }
  return calls;
}

function asNumber(value: Value): Value {
  return value.kind === 'prim' ? prim(Number(value.value)) : derived('Number', value);
}

function numberTest(test: (value: unknown) => boolean): Call {
  return ([value = UNDEFINED]) =>
    value.kind === 'sym' ? derived('isNumber', value) : prim(value.kind === 'prim' && test(value.value));
}

/** Another value each time, of chance. */
function fresh(machine: Machine): Call {
  return (_, node) => ({ ...sym(`chance#${machine.world.count()}`, 'world'), fresh: node });
}

/** Time goes on by itself a little, and with each timer. */
function clock(machine: Machine): Call {
  return (_, node) => {
    machine.world.now += 1;
    return { kind: 'prim', value: machine.world.now, fresh: node };
  };
}
