/** `ran_to_the_end`: the adapter loaded, every step ran, nothing hung, no limit or rule of the protocol was broken. */
import { oneLine } from '../../../text.ts';
import type { Facts } from '../facts.ts';
import { callText, counted, type Finding, type Verdict } from '../findings.ts';
import { lastCallSite, placesOf } from '../placement.ts';

export function ranToTheEnd(facts: Facts): Verdict {
  const text = `all ${counted(facts.settled.length, 'call')} of the platform came back`;
  return { findings: findings(facts), held: { text, ledger: [] } };
}

function findings({ evidence, hanging, complete, plan }: Facts): Finding[] {
  const { end } = evidence;
  const open = plan.steps[hanging[0]?.step ?? -1];
  const lastCall = open === undefined ? undefined : lastCallSite(evidence, open.index);
  if (end.kind === 'broken') {
    const where = open === undefined ? '' : ` It was in the ${callText(open)}.`;
    const text = `${oneLine(end.text).replace(/[.\s]+$/, '')}.${where}`;
    return [{ text, ledger: [], sites: placesOf(end.site, lastCall) }];
  }
  if (complete) return [];
  const text = 'the run is said to be complete, but steps of the plan are missing from it';
  return [{ text, ledger: [], sites: placesOf(lastCall) }];
}
