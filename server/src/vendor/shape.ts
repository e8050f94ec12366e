/** Whether a foreign value is of a model's shape. */
import type { Json } from '../../../shared/src/json.ts';
import type { Shape } from './model.ts';

export function hasShape(value: Json | undefined, shape: Shape): boolean {
  if (value === undefined) return false;
  switch (shape.is) {
    case 'any':
      return true;
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= shape.min && value <= shape.max;
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= shape.min &&
        value.length <= shape.max &&
        [...value].every((character) => shape.characters.includes(character))
      );
    case 'object':
      return hasProperties(value, shape.required, shape.optional ?? {});
  }
}

function hasProperties(
  value: Json,
  required: Record<string, Shape>,
  optional: Record<string, Shape>,
): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (Object.keys(required).some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const shape = Object.hasOwn(required, name)
      ? required[name]
      : Object.hasOwn(optional, name)
        ? optional[name]
        : undefined;
    return shape !== undefined && hasShape(member, shape);
  });
}
