/** What the tests of the rules share: names of rules, wrong behaviours made from the right one, runs at one seed. */
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import type { FleetPlan } from '../../../shared/src/contracts/fleet/types.ts';
import type { Json } from '../../../shared/src/json.ts';
import { right } from './behaviours.ts';
import { type Behaviour, judged, type Rig } from './rig.ts';

export const SEED = 7;
export const RAN = 'ran_to_the_end';
export const SHAPES = 'kept_the_contracts_shapes';
export const INVENTORY = 'inventory_is_the_vendors';
export const ONE = 'one_order_per_command';
export const RIGHT = 'right_robot_and_target';
export const ENDED = 'ended_as_it_should';
export const AT_TARGET = 'robot_at_the_target';
export const REPORT = 'report_is_true';

/** The right behaviour with some functions replaced; they get the right one to lean on. */
export function but(change: (good: Behaviour) => Partial<Behaviour>): Behaviour {
  const good = right();
  return { ...good, ...change(good) };
}

export const run = (scenario: string, behaviour: Behaviour, seed = SEED) =>
  judged(planOf(scenario, seed), behaviour);

/** Index among the commands of the one that a dispatch is called for. */
export const placeOf = (plan: FleetPlan, command: string) =>
  plan.commands.findIndex(({ id }) => id === command);

/** One create that reaches the vendor; the mission id, or null where its answer is no mission. */
export async function create(rig: Rig, robot: string, body: Json, line = 40): Promise<Json> {
  for (;;) {
    const answer = await rig.call('createMission', robot, body, line);
    if (answer.ok) return answer.body.mission_id;
    if (answer.retryAfterMs === 0 || answer.origin === 'vendor') return null;
    rig.sleep(answer.retryAfterMs);
  }
}
