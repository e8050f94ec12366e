/** `inventory_is_the_vendors`: inventories list the vendor's robots, the last one as the vendor has them. */
import type { ResourceState } from '../../../evidence/evidence.ts';
import type { Json } from '../../../json.ts';
import type { Facts, Settled } from '../facts.ts';
import { callText, counted, type Finding, listed, quote, type Verdict } from '../findings.ts';
import { placesOf, resultSite } from '../placement.ts';
import { entryOf, own } from '../values.ts';

export function inventoryIsTheVendors(facts: Facts): Verdict {
  const inventories = facts.settled.filter(({ planned }) => planned.kind === 'inventory');
  const last = facts.plan.steps.findLast((step) => step.kind === 'inventory');
  const findings = inventories.flatMap((settled) => {
    const { result, record, ledgerTo } = settled;
    // What has not the shape of a list is the shapes' alone.
    if (result.kind === 'threw' || !Array.isArray(result.value)) return [];
    const { resources } = facts.bookAt(ledgerTo);
    const states = settled.planned === last ? stateProblems(result.value, resources) : [];
    return [...listProblems(result.value, resources), ...states].map((problem): Finding => {
      const text = `the ${callText(settled.planned)} ${problem}`;
      const ledger = stateRows(facts, settled);
      return { text, ledger, sites: placesOf(resultSite(facts.evidence, record)) };
    });
  });
  const text = `${counted(inventories.length, 'inventory', 'inventories')} compared with the vendor's robots, no difference`;
  return { findings, held: { text, ledger: inventories.flatMap((settled) => stateRows(facts, settled)) } };
}

/** Robots left out, made up or listed twice. An entry without an id may stand for any robot, so it excuses one. */
function listProblems(entries: readonly Json[], robots: ReadonlyMap<string, ResourceState>): string[] {
  const ids = entries.map((entry) => own(entry, 'id')).filter((id) => typeof id === 'string');
  const nameless = entries.length - ids.length;
  const distinct = new Set(ids);
  const missing = [...robots.keys()].filter((id) => !distinct.has(id));
  const unknown = [...distinct].filter((id) => !robots.has(id));
  const twice = repeated(ids);
  return [
    ...(missing.length > nameless ? [`lacks ${names(missing)}`] : []),
    ...(unknown.length > 0 ? [`lists ${names(unknown)}, which the vendor does not have`] : []),
    ...(twice.length > 0 ? [`lists ${names(twice)} more than once`] : []),
  ];
}

/** Each id that is there more than once, in the order of the first repeat. */
function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  const again = new Set<string>();
  for (const id of ids) (seen.has(id) ? again : seen).add(id);
  return [...again];
}

function stateProblems(entries: readonly Json[], robots: ReadonlyMap<string, ResourceState>): string[] {
  return entries.flatMap((value) => {
    const entry = entryOf(value);
    const robot = entry === null ? undefined : robots.get(entry.id);
    if (entry === null || robot === undefined) return [];
    const { battery } = robot.fields;
    if (entry.status === robot.status && entry.battery === battery) return [];
    return [
      `has ${quote(entry.id)} as ${entry.status} with battery ${entry.battery}; the vendor has it as ${quote(robot.status)} with battery ${quote(JSON.stringify(battery ?? null))}`,
    ];
  });
}

function names(ids: readonly string[]): string {
  return listed(ids.map((id) => quote(id)));
}

/** The rows that left the robots as they were when the step returned. */
function stateRows({ evidence, bookAt }: Facts, { ledgerTo }: Settled): number[] {
  const robots = bookAt(ledgerTo).resources;
  return [...robots.values()].flatMap((robot) => {
    const row = evidence.ledger.findLast(
      ({ seq, resource, resources }) =>
        seq <= ledgerTo && (resource === robot || resources?.includes(robot) === true),
    );
    return row === undefined ? [] : [row.seq];
  });
}
