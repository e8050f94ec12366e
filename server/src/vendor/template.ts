/** Renders the bodies of a model's answers. */
import type { Json, JsonObject } from '../../../shared/src/json.ts';
import type { Template } from './model.ts';
import { valueAt } from './pointer.ts';

/** The body that `template` makes of `scope`; throws where it names what the scope does not have. */
export function render(template: Template, scope: JsonObject): Json {
  if (typeof template !== 'object' || template === null) return template;
  if (isFrom(template)) return ownCopy(lookUp(scope, template.$from));
  if (isCount(template)) return arrayAt(scope, template.$count).length;
  if (isEach(template)) {
    const { $each, $as, $item } = template;
    return arrayAt(scope, $each).map((element) => render($item, { ...scope, [$as]: element }));
  }
  return Object.fromEntries(Object.entries(template).map(([name, member]) => [name, render(member, scope)]));
}

type Node = Exclude<Template, null | boolean | number | string>;

function isFrom(template: Node): template is { $from: string } {
  return Object.hasOwn(template, '$from');
}

function isCount(template: Node): template is { $count: string } {
  return Object.hasOwn(template, '$count');
}

function isEach(template: Node): template is { $each: string; $as: string; $item: Template } {
  return Object.hasOwn(template, '$each');
}

/** Answers share nothing with the book. */
function ownCopy(value: Json): Json {
  return typeof value === 'object' ? structuredClone(value) : value;
}

function lookUp(scope: JsonObject, pointer: string): Json {
  const value = valueAt(scope, pointer);
  if (value === undefined)
    throw new Error(`An answer of the vendor model names ${pointer}, which is not there.`);
  return value;
}

function arrayAt(scope: JsonObject, pointer: string): Json[] {
  const value = lookUp(scope, pointer);
  if (!Array.isArray(value)) throw new Error(`An answer of the vendor model wants a list at ${pointer}.`);
  return value;
}
