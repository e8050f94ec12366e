/** How far a running order gets. */
import type { OrderState, ResourceState } from '../../../shared/src/evidence/evidence.ts';
import type { JsonObject } from '../../../shared/src/json.ts';
import type { GridMotion } from './model.ts';
import { numberAt, withNumberAt } from './pointer.ts';

/** Whether the resource is where the order wants it. */
export function isAtTarget(motion: GridMotion, resource: ResourceState, order: OrderState): boolean {
  return motion.axes.every((axis) => distance(axis, resource, order) === 0);
}

/** The resource's fields one unit further, along the first axis that is not yet at the order's target. */
export function fieldsAfterUnit(motion: GridMotion, resource: ResourceState, order: OrderState): JsonObject {
  const axis = motion.axes.find((each) => distance(each, resource, order) !== 0);
  if (axis === undefined) return resource.fields;
  const { field, perUnit } = motion.spends;
  const position = numberAt(resource.fields, axis.position) + Math.sign(distance(axis, resource, order));
  const left = Math.max(0, numberAt(resource.fields, field) - perUnit);
  return withNumberAt(withNumberAt(resource.fields, axis.position, position), field, left);
}

function distance(axis: GridMotion['axes'][number], resource: ResourceState, order: OrderState): number {
  return numberAt(order.target, axis.target) - numberAt(resource.fields, axis.position);
}
