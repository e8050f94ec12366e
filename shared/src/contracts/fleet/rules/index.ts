/** The eight rules, in the order in which they are shown. They are the same in every scenario. */
import type { RuleOutcome } from '../../../evidence/evidence.ts';
import type { Facts } from '../facts.ts';
import { outcomeOf, type Verdict } from '../findings.ts';
import { endedAsItShould, robotAtTheTarget } from './ends.ts';
import { inventoryIsTheVendors } from './inventory.ts';
import { oneOrderPerCommand, rightRobotAndTarget } from './orders.ts';
import { ranToTheEnd } from './ranToTheEnd.ts';
import { reportIsTrue } from './report.ts';
import { keptTheShapes } from './shapes.ts';

interface Rule {
  id: string;
  title: string;
  judge(facts: Facts): Verdict;
}

export const RULES: readonly Rule[] = [
  { id: 'ran_to_the_end', title: 'The run came to its end', judge: ranToTheEnd },
  {
    id: 'kept_the_contracts_shapes',
    title: "Every value has the contract's shape",
    judge: keptTheShapes,
  },
  {
    id: 'inventory_is_the_vendors',
    title: "The inventory is the vendor's",
    judge: inventoryIsTheVendors,
  },
  { id: 'one_order_per_command', title: 'One order for each command', judge: oneOrderPerCommand },
  { id: 'right_robot_and_target', title: 'The right robot, the right target', judge: rightRobotAndTarget },
  { id: 'ended_as_it_should', title: 'Every order ended as it should', judge: endedAsItShould },
  { id: 'robot_at_the_target', title: 'Done means at the target', judge: robotAtTheTarget },
  { id: 'report_is_true', title: 'What the adapter reports is true', judge: reportIsTrue },
];

export function judgeRules(facts: Facts): RuleOutcome[] {
  return RULES.map(({ id, judge }) => outcomeOf(id, judge(facts)));
}
