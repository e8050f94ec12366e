/** `one_order_per_command` and `right_robot_and_target`: what the vendor was made to do, settled orders included. */
import { sameJson } from '../../../sameJson.ts';
import type { CommandFacts, Facts } from '../facts.ts';
import { counted, type Finding, listed, orderAt, quote, targetText, type Verdict } from '../findings.ts';
import { lastCallSite, orderSite, placesOf, resultSite, surplusSites } from '../placement.ts';
import { CREATE } from '../types.ts';

export function oneOrderPerCommand(facts: Facts): Verdict {
  const dispatched = facts.commands.filter((each) => each.dispatched);
  const findings = [
    ...dispatched.flatMap((each) => countProblem(facts, each)),
    ...facts.orders
      .filter((order) => order.command === null)
      .map(
        (order): Finding => ({
          text: `${orderAt(order)} belongs to no command`,
          ledger: [order.row.seq],
          sites: placesOf(orderSite(facts.evidence, order)),
        }),
      ),
  ];
  const text = `${counted(dispatched.length, 'dispatched command')}, ${counted(facts.orders.length, 'order')}, none too many and none missing`;
  return { findings, held: { text, ledger: facts.orders.map((order) => order.row.seq) } };
}

function countProblem({ evidence }: Facts, each: CommandFacts): Finding[] {
  const { command, end, orders, dispatches } = each;
  const wanted = end.state === 'refused' ? 0 : 1;
  if (orders.length > wanted) {
    const excess = wanted === 0 ? ', which the vendor refuses' : '';
    const text = `${counted(orders.length, 'order')} for command ${command.id}${excess}: ${listed(orders.map(orderAt))}`;
    const ledger = orders.map((order) => order.row.seq);
    return [{ text, ledger, sites: surplusSites(evidence, orders) }];
  }
  const [last] = dispatches.slice(-1);
  // Of a dispatch that never came back it cannot be said that it gave up.
  if (orders.length === wanted || last === undefined || !each.dispatchesOver) return [];
  const { record } = last;
  const sites = placesOf(resultSite(evidence, record), lastCallSite(evidence, record.step, CREATE));
  return [
    { text: `no order for command ${command.id}, which the vendor would have taken`, ledger: [], sites },
  ];
}

export function rightRobotAndTarget(facts: Facts): Verdict {
  const judged = facts.commands.flatMap(({ command, orders }) => orders.map((order) => ({ command, order })));
  const findings = judged.flatMap(({ command, order }): Finding[] => {
    const { resource, target } = order.state;
    if (resource === command.robot && sameJson(target, command.target)) return [];
    const text = `${orderAt(order)} sends ${quote(resource)} to ${targetText({ target })}, but command ${command.id} sends ${command.robot} to ${targetText(command)}`;
    return [{ text, ledger: [order.row.seq], sites: placesOf(orderSite(facts.evidence, order)) }];
  });
  const text = `${counted(judged.length, 'order')}, each with its command's robot and target`;
  return { findings, held: { text, ledger: judged.map(({ order }) => order.row.seq) } };
}
