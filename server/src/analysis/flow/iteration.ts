/** Walking over lists, collections, generators and unknown answers. */

import { awaited } from './promises.ts';
import { type Generator, type Native, object, prim, type Sym, UNDEFINED, type Value } from './value.ts';
import type { Machine } from './walker.ts';
import { GiveUp } from './world.ts';

/** A loop over a generator was left. */
class Left extends Error {}

/** An unknown list has one item: two would look like a repeat. */
export function itemOf(list: Sym): Value {
  return { ...list, name: `${list.name}[]` };
}

/** All items of something that can be walked. */
export function itemsOf(machine: Machine, value: Value): Value[] {
  const items: Value[] = [];
  eachItem(machine, value, (item) => {
    items.push(item);
    return false;
  });
  return items;
}

/** Calls `visit` with each item until it says true. */
export function eachItem(machine: Machine, value: Value, visit: (item: Value) => boolean): void {
  switch (value.kind) {
    case 'list':
      // The list may grow as it is walked.
      for (const item of value.items) {
        machine.world.step();
        if (visit(item)) return;
      }
      return;
    case 'keyed':
      for (const [key, item] of [...value.entries.values()]) {
        if (visit(value.isMap ? { kind: 'list', items: [key, item] } : item)) return;
      }
      return;
    case 'generator':
      walkGenerator(machine, value, visit);
      return;
    case 'prim':
      if (typeof value.value !== 'string') throw new GiveUp();
      for (const letter of value.value) if (visit(prim(letter))) return;
      return;
    case 'sym':
      visit(itemOf(value));
      return;
    default:
      throw new GiveUp();
  }
}

/** The body of the generator runs, and each `yield` calls the loop's body. */
function walkGenerator(machine: Machine, generator: Generator, visit: (item: Value) => boolean): void {
  if (generator.started) return;
  generator.started = true;
  try {
    generator.run((value) => {
      machine.world.step();
      if (visit(value)) throw new Left();
    });
  } catch (error) {
    if (!(error instanceof Left)) throw error;
  }
}

/** `next` of a generator can be asked once: its first value. Later ones would need its body to pause. */
export function generatorMethod(machine: Machine, generator: Generator, name: string): Native | null {
  if (name !== 'next') return null;
  return {
    kind: 'native',
    name,
    call: () => {
      if (generator.started) throw new GiveUp();
      let first: Value | null = null;
      walkGenerator(machine, generator, (value) => {
        first = value;
        return true;
      });
      return object([
        ['value', first === null ? UNDEFINED : awaited(machine, first)],
        ['done', prim(first === null)],
      ]);
    },
  };
}
