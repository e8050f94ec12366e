/** `ended_as_it_should` and `robot_at_the_target`: what became of the orders. */
import type { LedgerRow, OrderStatus } from '../../../evidence/evidence.ts';
import { sameJson } from '../../../sameJson.ts';
import type { CommandFacts, Facts, OwnOrder, Settled } from '../facts.ts';
import { callText, counted, type Finding, orderAt, quote, targetText, type Verdict } from '../findings.ts';
import { orderSite, placesOf, resultSite } from '../placement.ts';
import { dispatchCodeOf } from '../values.ts';

export function endedAsItShould(facts: Facts): Verdict {
  const judged = facts.commands.filter((each) => each.over && !maybeAnywhere(each));
  const findings = judged.flatMap((each) => each.orders.flatMap((order) => endProblem(facts, each, order)));
  const orders = judged.flatMap((each) => each.orders);
  const text = `${counted(orders.length, 'order')} of ${counted(judged.length, 'command')} ended as they should`;
  return { findings, held: { text, ledger: orders.flatMap((order) => endRows(facts, order)) } };
}

/** The adapter said that it cannot tell, where the scenario allows that. */
function maybeAnywhere({ end, dispatches }: CommandFacts): boolean {
  return (
    end.mayBeUnresolved &&
    dispatches.every(({ result }) => result.kind === 'threw' && dispatchCodeOf(result.error) === 'unresolved')
  );
}

function endProblem(facts: Facts, each: CommandFacts, order: OwnOrder): Finding[] {
  const last = each.settled.at(-1);
  if (last === undefined) return [];
  const state = facts.bookAt(last.ledgerTo).orders.get(order.id)?.status;
  const right = rightEnd(facts, each, order, last);
  if (state === right) return [];
  const was = state === undefined ? 'not there yet' : state;
  const text = `${orderAt(order)} was ${was} and not ${right} when the ${callText(last.planned)} came back`;
  const { evidence } = facts;
  const sites = placesOf(resultSite(evidence, last.record), orderSite(evidence, order));
  return [{ text, ledger: [order.row.seq, ...endRows(facts, order)], sites }];
}

/** What the order has to be once its command's last step came back. */
function rightEnd(facts: Facts, each: CommandFacts, order: OwnOrder, last: Settled): OrderStatus {
  if (brokeDownUnder(facts, order, last.ledgerTo)) return 'failed';
  return calledOff(facts, each, order) ? 'cancelled' : 'done';
}

function brokeDownUnder({ evidence, bookAt }: Facts, order: OwnOrder, upTo: number): boolean {
  return evidence.ledger.some(
    ({ seq, kind, fault }) =>
      seq <= upTo &&
      kind === 'fault' &&
      fault?.kind === 'resourceFault' &&
      bookAt(seq - 1).resources.get(fault.resource)?.running === order.id,
  );
}

/** The platform asked for the cancel while the order had not ended (or was still on its way). */
function calledOff({ bookAt }: Facts, { settled }: CommandFacts, order: OwnOrder): boolean {
  return settled.some(({ planned, record }) => {
    if (planned.kind !== 'cancel') return false;
    const state = bookAt(record.ledgerFrom).orders.get(order.id)?.status;
    return state === undefined || state === 'queued' || state === 'running';
  });
}

function endRows({ evidence }: Facts, order: OwnOrder): number[] {
  return evidence.ledger.filter((row) => isEndOf(row, order)).map((row) => row.seq);
}

function isEndOf(row: LedgerRow, order: OwnOrder): boolean {
  return row.kind === 'end' && row.order?.id === order.id;
}

export function robotAtTheTarget(facts: Facts): Verdict {
  const judged = facts.commands.flatMap(({ command, orders }) =>
    orders.flatMap((order) =>
      facts.evidence.ledger
        .filter((row) => isEndOf(row, order) && row.order?.status === 'done')
        .map((row) => ({ command, order, row })),
    ),
  );
  const findings = judged.flatMap(({ command, order, row }): Finding[] => {
    const { resource } = order.state;
    const pose = facts.bookAt(row.seq).resources.get(resource)?.fields.pose ?? null;
    if (sameJson(pose, command.target)) return [];
    const text = `${orderAt(order)} was done with ${quote(resource)} at ${quote(JSON.stringify(pose))}, but the target of command ${command.id} is ${targetText(command)}`;
    return [{ text, ledger: [row.seq], sites: placesOf(orderSite(facts.evidence, order)) }];
  });
  const text = `${counted(judged.length, 'order')} done, each with its robot at the command's target`;
  return { findings, held: { text, ledger: judged.map(({ row }) => row.seq) } };
}
