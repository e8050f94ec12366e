/** Where a broken rule shows in the adapter. Sites are the guest's claims: they place a diagnostic, they judge nothing. */
import type { Evidence, StepRecord } from '../../evidence/evidence.ts';
import type { Site } from '../../guestProtocol.ts';
import type { OwnOrder } from './facts.ts';

/** Sites, most telling first, those that are not known left out and none twice. */
export function placesOf(...candidates: (Site | undefined)[]): Site[] {
  const seen = new Map<string, Site>();
  for (const site of candidates) {
    if (site === undefined) continue;
    const { line, column } = site;
    const name = `${line}:${column}`;
    if (!seen.has(name)) seen.set(name, { line, column });
  }
  return [...seen.values()];
}

/** The return or throw that gave a step's result, else the last call made in it. */
export function resultSite(evidence: Evidence, record: StepRecord): Site | undefined {
  const { result } = record;
  const own = result?.kind === 'returned' ? result.site : result?.error.site;
  return own ?? lastCallSite(evidence, record.step);
}

/** The last call made in a step, of one operation where one is named. */
export function lastCallSite(evidence: Evidence, step: number, operation?: string): Site | undefined {
  return evidence.trace.findLast(
    (row) =>
      row.step === step && row.site !== undefined && (operation === undefined || row.operation === operation),
  )?.site;
}

/** The call that placed an order. */
export function orderSite(evidence: Evidence, order: OwnOrder): Site | undefined {
  return evidence.trace.find((row) => row.seq === order.row.call)?.site;
}

/** Of several orders where one was wanted: the second one's call first, since that is the one too many. */
export function surplusSites(evidence: Evidence, orders: readonly OwnOrder[]): Site[] {
  const [first, ...others] = [...orders].sort((a, b) => (a.row.call ?? 0) - (b.row.call ?? 0));
  return placesOf(
    ...[...others, ...(first === undefined ? [] : [first])].map((each) => orderSite(evidence, each)),
  );
}
