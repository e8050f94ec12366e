/** Reading and writing members of values. */
import type ts from 'typescript';
import { generatorMethod } from './iteration.ts';
import { keyedMethod, listMethod, stringMethod, symbolMethod } from './methods.ts';
import { promiseMethod } from './promises.ts';
import {
  type ClassValue,
  derived,
  type Fn,
  type Native,
  type Obj,
  prim,
  sym,
  UNDEFINED,
  type Value,
} from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

export function member(machine: Machine, object: Value, key: Value, node: ts.Node): Value {
  if (key.kind !== 'prim') return memberOfUnknownName(object, key);
  const name = String(key.value);
  switch (object.kind) {
    case 'prim':
      return primitiveMember(machine, object.value, name);
    case 'sym':
      return symbolMethod(machine, object, name) ?? { ...object, name: `${object.name}.${name}` };
    case 'object':
      return objectMember(machine, object, name, object);
    case 'list':
      if (name === 'length') return prim(object.items.length);
      return object.items[Number(name)] ?? listMethod(machine, object, name, node) ?? UNDEFINED;
    case 'keyed':
      if (name === 'size') return prim(object.entries.size);
      return keyedMethod(machine, object, name) ?? UNDEFINED;
    case 'promise':
      return promiseMethod(machine, object, name) ?? UNDEFINED;
    case 'generator':
      return generatorMethod(machine, object, name) ?? UNDEFINED;
    case 'fn':
      return object.fields.get(name) ?? functionMethod(machine, object, name);
    case 'native':
      return object.fields?.get(name) ?? functionMethod(machine, object, name);
    case 'class':
      return staticMember(object, name);
  }
}

/** A known object and a key that is not known: any of its fields. */
function memberOfUnknownName(object: Value, key: Value): Value {
  if (object.kind === 'prim') throw new GiveUp();
  return object.kind === 'sym' ? derived('member', object, key) : derived('member', object, key, BLIND);
}

const BLIND = sym('?', 'blind');

function primitiveMember(machine: Machine, value: unknown, name: string): Value {
  // It would throw; more often it is something that is not modelled.
  if (value === null || value === undefined) throw new GiveUp();
  if (typeof value === 'string') {
    if (name === 'length') return prim(value.length);
    if (/^\d+$/.test(name)) return prim(value[Number(name)]);
    return stringMethod(machine, value, name) ?? UNDEFINED;
  }
  const text = String(value);
  return name === 'toString' || name === 'toFixed'
    ? { kind: 'native', name, call: () => prim(text) }
    : UNDEFINED;
}

function objectMember(machine: Machine, object: Obj, name: string, self: Value): Value {
  object.read?.add(name);
  const own = object.fields.get(name);
  if (own !== undefined) return own;
  const getter = object.getters.get(name) ?? inherited(object.proto, name, 'getters');
  if (getter !== undefined) return machine.call(getter, self, [], getter.node);
  const method = inherited(object.proto, name, 'methods');
  if (method !== undefined) return method;
  if (object.open !== undefined) return { ...object.open, name: `${object.open.name}.${name}` };
  if (name === 'hasOwnProperty') {
    return {
      kind: 'native',
      name,
      call: ([key = UNDEFINED]) => prim(key.kind === 'prim' && object.fields.has(String(key.value))),
    };
  }
  if (name === 'constructor' || name === 'toString') return sym(`object#${object.id}.${name}`, 'blind');
  return UNDEFINED;
}

export function inherited(
  from: ClassValue | undefined,
  name: string,
  table: 'methods' | 'getters',
): Fn | undefined {
  for (let at: ClassValue | Native | null | undefined = from; at?.kind === 'class'; at = at.parent) {
    const found = at[table].get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function staticMember(owner: ClassValue, name: string): Value {
  for (let at: ClassValue | Native | null = owner; at?.kind === 'class'; at = at.parent) {
    const found = at.statics.get(name);
    if (found !== undefined) return found;
  }
  if (name === 'name') return prim(owner.node.name?.text ?? '');
  return name === 'prototype' ? sym(`class#${owner.id}.prototype`, 'blind') : UNDEFINED;
}

function functionMethod(machine: Machine, fn: Fn | Native, name: string): Value {
  const native = (call: Native['call']): Native => ({ kind: 'native', name, call });
  switch (name) {
    case 'call':
      return native(([self = UNDEFINED, ...args], node) => machine.call(fn, self, args, node));
    case 'apply':
      return native(([self = UNDEFINED, list], node) =>
        machine.call(fn, self, list?.kind === 'list' ? list.items : [], node),
      );
    case 'bind':
      return native(([self = UNDEFINED, ...first]) => ({
        kind: 'native',
        name: `bound ${name}`,
        call: (args, node) => machine.call(fn, self, [...first, ...args], node),
      }));
    case 'length':
      return fn.kind === 'fn' ? prim(fn.node.parameters.length) : sym('length', 'blind');
    case 'name':
      return sym('function name', 'world');
    default:
      return UNDEFINED;
  }
}

export function setMember(machine: Machine, object: Value, key: Value, value: Value, node: ts.Node): void {
  // Something unknown changes somewhere: nothing is sure from here.
  if (object.kind === 'sym') return;
  if (key.kind !== 'prim') {
    if (object.kind !== 'object') throw new GiveUp();
    object.open = sym(`object#${object.id}#${machine.world.count()}`, 'blind');
    return;
  }
  const name = String(key.value);
  switch (object.kind) {
    case 'object':
      object.fields.set(name, value);
      object.places.set(name, node);
      return;
    case 'list':
      if (name === 'length' && value.kind === 'prim')
        object.items.length = Math.min(object.items.length, Number(value.value));
      else if (Number(name) <= object.items.length) object.items[Number(name)] = value;
      else throw new GiveUp();
      return;
    case 'fn':
      object.fields.set(name, value);
      return;
    case 'class':
      object.statics.set(name, value);
      return;
    default:
      throw new GiveUp();
  }
}
