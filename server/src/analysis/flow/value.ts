/**
 * Values of the walk. What the adapter computes with literals is known; what comes from outside (arguments, answers,
 * the error, time) is a symbol with a name, so that two values can be compared though neither is known.
 */
import type ts from 'typescript';
import type { FunctionNode } from '../analysedFile.ts';

/** Of several that something is made of, the last of this list counts. */
const ORIGINS = ['input', 'world', 'error', 'blind'] as const;

/**
 * `input`: an argument of the export. `world`: an answer, the time, chance. `error`: a field of the failure that
 * the samples do not fix. `blind`: this walk does not model how it comes about, so nothing is said on its grounds.
 */
export type Origin = (typeof ORIGINS)[number];

export type Primitive = string | number | boolean | bigint | null | undefined;

export interface Prim {
  kind: 'prim';
  value: Primitive;
  /** The literal that it was written as. */
  from?: ts.Node;
  /** The call that makes another value each time. */
  fresh?: ts.Node;
}

export interface Sym {
  kind: 'sym';
  /** Two symbols of one name are one value. */
  name: string;
  origin: Origin;
  fresh?: ts.Node;
}

export interface Obj {
  kind: 'object';
  id: number;
  fields: Map<string, Value>;
  /** Where a field was written. */
  places: Map<string, ts.Node>;
  getters: Map<string, Fn>;
  /** Fields that are not listed are those of this symbol; without it they are absent. */
  open?: Sym;
  proto?: ClassValue;
  /** Takes the names of fields that are read. */
  read?: Set<string>;
}

export interface List {
  kind: 'list';
  items: Value[];
}

/** A Map or a Set, by the names of its keys. */
export interface Keyed {
  kind: 'keyed';
  isMap: boolean;
  entries: Map<string, [Value, Value]>;
}

export interface Fn {
  kind: 'fn';
  id: number;
  node: FunctionNode;
  scope: Scope;
  self: Value | null;
  fields: Map<string, Value>;
}

export interface Native {
  kind: 'native';
  name: string;
  call: (args: Value[], node: ts.Node) => Value;
  fields?: Map<string, Value>;
}

export interface ClassValue {
  kind: 'class';
  id: number;
  node: ts.ClassLikeDeclaration;
  scope: Scope;
  parent: ClassValue | Native | null;
  statics: Map<string, Value>;
  methods: Map<string, Fn>;
  getters: Map<string, Fn>;
}

export interface PromiseValue {
  kind: 'promise';
  state: 'pending' | 'fulfilled' | 'rejected';
  value: Value;
  reactions: (() => void)[];
}

/** A generator that was not started: its body runs as it is walked. */
export interface Generator {
  kind: 'generator';
  run: (onYield: (value: Value) => void) => void;
  started: boolean;
}

export type Value = Prim | Sym | Obj | List | Keyed | Fn | Native | ClassValue | PromiseValue | Generator;

/** Names of a block or function, and what is around it. */
export interface Scope {
  names: Map<string, Value>;
  outer: Scope | null;
}

export const UNDEFINED: Prim = { kind: 'prim', value: undefined };

export function prim(value: Primitive): Prim {
  return { kind: 'prim', value };
}

export function sym(name: string, origin: Origin): Sym {
  return { kind: 'sym', name: name.length > LONGEST ? name.slice(-LONGEST) : name, origin };
}

/** A name that grows with each round of a loop says no more by growing further. */
const LONGEST = 2_000;

let created = 0;

export function nextId(): number {
  created += 1;
  return created;
}

export function object(fields: Iterable<readonly [string, Value]> = []): Obj {
  return { kind: 'object', id: nextId(), fields: new Map(fields), places: new Map(), getters: new Map() };
}

export function originOf(...values: Value[]): Origin {
  let worst = 0;
  for (const value of values) {
    if (value.kind === 'sym') worst = Math.max(worst, ORIGINS.indexOf(value.origin));
  }
  return ORIGINS[worst] ?? 'blind';
}

/** A value made of others in a way that has a name: `+`, `toUpperCase`. */
export function derived(how: string, ...values: Value[]): Sym {
  const made = sym(`${how}(${values.map((value) => nameOf(value)).join(',')})`, originOf(...values));
  const fresh = freshOf(...values);
  return fresh === undefined ? made : { ...made, fresh };
}

export function freshOf(...values: Value[]): ts.Node | undefined {
  for (const value of values) {
    if ((value.kind === 'prim' || value.kind === 'sym') && value.fresh !== undefined) return value.fresh;
  }
  return undefined;
}

/** Equal names: equal values. */
export function nameOf(value: Value, depth = 4): string {
  switch (value.kind) {
    case 'prim':
      return typeof value.value === 'string' ? JSON.stringify(value.value) : String(value.value);
    case 'sym':
      return value.name;
    case 'object': {
      if (depth === 0) return `object#${value.id}`;
      const fields = [...value.fields].sort(([a], [b]) => (a < b ? -1 : 1));
      const rest = value.open === undefined ? '' : `...${value.open.name}`;
      return `{${fields.map(([name, field]) => `${name}:${nameOf(field, depth - 1)}`).join()}${rest}}`;
    }
    case 'list':
      return depth === 0 ? '[…]' : `[${value.items.map((item) => nameOf(item, depth - 1)).join()}]`;
    case 'fn':
    case 'class':
      return `${value.kind}#${value.id}`;
    case 'native':
      return value.name;
    default:
      return value.kind;
  }
}

/** Whether anything in the value is not modelled. */
export function isBlind(value: Value, depth = 4): boolean {
  if (depth === 0) return false;
  if (value.kind === 'sym') return value.origin === 'blind';
  if (value.kind === 'list') return value.items.some((item) => isBlind(item, depth - 1));
  if (value.kind !== 'object') return false;
  if (value.open?.origin === 'blind') return true;
  return [...value.fields.values()].some((field) => isBlind(field, depth - 1));
}

/** `null`: it has to be decided. */
export function truthOf(value: Value): boolean | null {
  if (value.kind === 'prim') return Boolean(value.value);
  if (value.kind !== 'sym') return true;
  return value.origin === 'input' ? true : null;
}

export function isNullish(value: Value): boolean | null {
  if (value.kind === 'prim') return value.value === null || value.value === undefined;
  return value.kind === 'sym' && value.origin !== 'input' ? null : false;
}

/** Marks the scope of a function, where `var` belongs. */
export const FUNCTION_SCOPE = '#function';

/** How a statement ends where it is not by falling on to the next. */
export type Completion =
  | { kind: 'return'; value: Value }
  | { kind: 'break' | 'continue'; label: string | null }
  | null;
