import { right } from '../fleet/behaviours.ts';
import type { Behaviour } from '../fleet/rig.ts';

/** Right but for its inventory, which is empty: it fails in every scenario. */
export function seesNoRobot(): Behaviour {
  return { ...right(), inventory: async () => [] };
}
