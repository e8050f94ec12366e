/** `report_is_true`: what the adapter said of missions and commands is what the vendor's ledger says. */
import type { LedgerRow, TraceRow } from '../../../evidence/evidence.ts';
import { isRefusal } from '../../../refusal.ts';
import { type CommandFacts, deliveredBy, type Facts, isSuccess, type Settled } from '../facts.ts';
import {
  callText,
  counted,
  type Finding,
  listed,
  orderAt,
  quote,
  seconds,
  type Verdict,
} from '../findings.ts';
import { lastCallSite, placesOf, resultSite } from '../placement.ts';
import { CREATE, READ } from '../types.ts';
import { dispatchCodeOf, finalStateOf, missionIdOf } from '../values.ts';

/** What is false about a report, with the rows that show it. */
type Lie = { text: string; ledger: number[] };

export function reportIsTrue(facts: Facts): Verdict {
  const reports = facts.commands.flatMap((each) =>
    each.settled
      .filter(({ planned }) => planned.kind === 'dispatch' || planned.kind === 'wait')
      .map((settled) => ({ settled, lie: lieIn(facts, each, settled) })),
  );
  const findings = reports.flatMap(({ settled, lie }): Finding[] => {
    if (lie === null) return [];
    const { record } = settled;
    const sites = placesOf(
      resultSite(facts.evidence, record),
      lastCallSite(facts.evidence, record.step, record.export === 'wait' ? READ : CREATE),
    );
    return [{ text: `${callText(settled.planned)} ${lie.text}`, ledger: lie.ledger, sites }];
  });
  const text = `${counted(reports.length, 'report')} of dispatches and waits, all as the ledger has it`;
  return { findings, held: { text, ledger: [] } };
}

/** A result that has not the contract's shape says nothing that could be true. */
function lieIn(facts: Facts, each: CommandFacts, settled: Settled): Lie | null {
  const { result, planned } = settled;
  if (result.kind === 'threw') {
    const code = planned.kind === 'dispatch' ? dispatchCodeOf(result.error) : null;
    if (code === null) return null;
    return code === 'refused' ? falseRefusal(facts, each, settled) : falseDoubt(facts, each, settled);
  }
  if (planned.kind === 'dispatch') {
    const mission = missionIdOf(result.value);
    return mission === null ? null : falseMission(facts, each, settled, mission);
  }
  const state = finalStateOf(result.value);
  const mission = settled.record.args[0];
  if (state === null || typeof mission !== 'string') return null;
  return state === 'timeout'
    ? falseTimeout(facts, settled, mission)
    : falseState(facts, settled, mission, state);
}

function falseMission(facts: Facts, each: CommandFacts, settled: Settled, mission: string): Lie | null {
  const order = facts.orders.find(({ id }) => id === mission);
  if (order?.command === each.command.id && order.row.seq <= settled.ledgerTo) return null;
  return {
    text: `gave mission ${quote(mission)}, ${notTheirs(facts, each, settled, mission)}`,
    ledger: order === undefined ? [] : [order.row.seq],
  };
}

function notTheirs({ bookAt, orders }: Facts, each: CommandFacts, settled: Settled, mission: string): string {
  const owner = orders.find(({ id }) => id === mission)?.command ?? null;
  if (owner === each.command.id) return 'before the vendor had accepted it';
  if (owner !== null) return `which is an order of command ${owner}`;
  return bookAt(settled.ledgerTo).orders.has(mission)
    ? 'which is no order of any command'
    : 'which the vendor does not have';
}

function falseState(facts: Facts, { ledgerTo }: Settled, mission: string, state: string): Lie | null {
  const held = facts.bookAt(ledgerTo).orders.get(mission);
  if (held?.status === state) return null;
  const was = held === undefined ? 'the vendor has no such mission' : `the vendor had it as ${held.status}`;
  const row = facts.evidence.ledger.findLast((each) => each.seq <= ledgerTo && each.order?.id === mission);
  return {
    text: `said that mission ${quote(mission)} is ${state}; ${was}`,
    ledger: row === undefined ? [] : [row.seq],
  };
}

/** A timeout is true unless a read of that step brought the news of the end. */
function falseTimeout({ evidence, bookAt }: Facts, settled: Settled, mission: string): Lie | null {
  const { trace, ledger } = evidence;
  for (const call of trace) {
    if (call.step !== settled.record.step || call.operation !== READ) continue;
    if (!isSuccess(call.status) || !deliveredBy(call, settled.returnedAt)) continue;
    const rows = ledger.filter((row) => row.call === call.seq);
    const read = rows.find((row) => row.kind === 'read' && row.order?.id === mission);
    if (read === undefined || rows.some(isAnotherAnswer)) continue;
    const state = bookAt(read.seq).orders.get(mission)?.status;
    if (state === 'queued' || state === 'running' || state === undefined) continue;
    return {
      text: `said timeout of mission ${quote(mission)}, but its read at ${seconds(read.at)} (row ${read.seq}) answered ${state}`,
      ledger: [read.seq],
    };
  }
  return null;
}

function isAnotherAnswer({ fault }: LedgerRow): boolean {
  return fault?.kind === 'call' && fault.answer === 'other';
}

function falseRefusal(facts: Facts, each: CommandFacts, { ledgerTo }: Settled): Lie | null {
  const { command, orders } = each;
  if (orders.length > 0)
    return {
      text: `said that it was refused, but there is ${listed(orders.map(orderAt))}`,
      ledger: orders.map((order) => order.row.seq),
    };
  const refused = facts.evidence.ledger.some(
    (row) =>
      row.seq <= ledgerTo &&
      row.kind === 'refusal' &&
      row.operation === CREATE &&
      isRefusal(row.status ?? 0) &&
      facts.commandOf(row.key, row.step) === command.id,
  );
  return refused
    ? null
    : {
        text: `said that it was refused, but the vendor refused nothing of it`,
        ledger: [],
      };
}

/** Doubt is true unless an answer that settles it came through. */
function falseDoubt(facts: Facts, each: CommandFacts, settled: Settled): Lie | null {
  const { command } = each;
  const answered = facts.evidence.trace.find(
    (call) =>
      call.operation === CREATE &&
      deliveredBy(call, settled.returnedAt) &&
      (isSuccess(call.status) || isRefusal(call.status)) &&
      commandOfCall(facts, call) === command.id,
  );
  if (answered === undefined) return null;
  const rows = facts.evidence.ledger.filter((row) => row.call === answered.seq);
  return {
    text: `said that it cannot tell, but the vendor's answer ${answered.status} to the create at ${seconds(answered.at)} was delivered`,
    ledger: rows.map((row) => row.seq),
  };
}

function commandOfCall({ evidence, commandOf }: Facts, call: TraceRow): string | null {
  const row = evidence.ledger.find(
    (each) => each.call === call.seq && ['order', 'repeat', 'refusal'].includes(each.kind),
  );
  return commandOf(row?.order?.key ?? row?.key, call.step);
}
