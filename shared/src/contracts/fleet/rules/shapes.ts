/** `kept_the_contracts_shapes`: what the adapter returned or threw has the form that the contract asks for. */
import type { TraceRow } from '../../../evidence/evidence.ts';
import type { Encoded, ThrownValue } from '../../../guestProtocol.ts';
import type { Facts, Settled } from '../facts.ts';
import { callText, counted, type Finding, quote, type Verdict } from '../findings.ts';
import { placesOf, resultSite } from '../placement.ts';
import { DEFAULT_MAX_POLLS, READ } from '../types.ts';
import {
  dispatchCodeOf,
  entryOf,
  FINAL_STATES,
  finalStateOf,
  missionIdOf,
  oddIn,
  own,
  ROBOT_STATUSES,
} from '../values.ts';

export function keptTheShapes(facts: Facts): Verdict {
  const findings = facts.settled.flatMap((settled): Finding[] => {
    const problem = problemOf(settled, facts.evidence.trace);
    if (problem === null) return [];
    const { record, planned } = settled;
    const text = `${callText(planned)} ${problem}`;
    return [{ text, ledger: [], sites: placesOf(resultSite(facts.evidence, record)) }];
  });
  const text = `all ${counted(facts.settled.length, 'value')} that came back have the contract's shape`;
  return { findings, held: { text, ledger: [] } };
}

function problemOf({ planned, result }: Settled, trace: readonly TraceRow[]): string | null {
  if (result.kind === 'threw')
    return planned.kind === 'dispatch' ? thrownByDispatch(result.error) : `threw ${thrownText(result.error)}`;
  const { value } = result;
  const odd = oddIn(value);
  if (odd !== null) return `returned what is no plain value (${quote(odd)})`;
  switch (planned.kind) {
    case 'inventory':
      return inventoryProblem(value);
    case 'dispatch':
      return missionIdOf(value) === null ? `returned ${shown(value)} instead of a mission id` : null;
    case 'wait':
      return waitProblem(value, statusReads(trace, planned.index), planned.maxPolls ?? DEFAULT_MAX_POLLS);
    case 'cancel':
      return null;
  }
}

function thrownByDispatch(error: ThrownValue): string | null {
  if (dispatchCodeOf(error) !== null) return null;
  if (!error.isError) return `threw ${thrownText(error)}, which is no Error`;
  return `threw ${thrownText(error)} without the code "refused" or "unresolved"`;
}

function thrownText({ name, message }: ThrownValue): string {
  const text = quote(`${name}: ${message}`).replace(/[.\s]+$/, '');
  return `"${text}"`;
}

function shown(value: Encoded): string {
  return quote(JSON.stringify(value));
}

function inventoryProblem(value: Encoded): string | null {
  if (!Array.isArray(value)) return `returned ${shown(value)} instead of a list of robots`;
  const wrong = value.find((entry) => entryOf(entry) === null);
  if (wrong === undefined) return null;
  return `returned the entry ${shown(wrong)}; an entry is {id, status, battery} with a status of ${ROBOT_STATUSES.join(', ')} and a battery that is a number`;
}

function waitProblem(value: Encoded, reads: number, budget: number): string | null {
  if (finalStateOf(value) === null)
    return `returned ${shown(value)}; the result is {state, polls} with a state of ${FINAL_STATES.join(', ')}`;
  const polls = own(value, 'polls');
  if (typeof polls !== 'number' || !Number.isInteger(polls) || polls < 0)
    return `returned polls that are no whole number: ${polls === undefined ? 'none' : shown(polls)}`;
  if (polls !== reads)
    return `returned ${counted(polls, 'poll')}, but the trace has ${counted(reads, 'status read')}`;
  return polls > budget ? `made ${counted(polls, 'status read')} with a budget of ${budget}` : null;
}

/** Failed and shed reads are reads; a row of the trace may stand for several shed ones. */
function statusReads(trace: readonly TraceRow[], step: number): number {
  return trace
    .filter((row) => row.operation === READ && row.step === step)
    .reduce((sum, row) => sum + (row.count ?? 1), 0);
}
