/**
 * How much evidence may hold before it is judged. A good signature says who signed it, not that judging it ends soon:
 * these counts, looked at first, keep the work of a line within seconds, the same on every machine.
 */
import { MOST_HAND_INS, MOST_SEEDS } from '../exam.ts';

/** More than any run makes of each: calls and frames have budgets, and plans a few steps. */
const RUN_BOUNDS = { steps: 256, trace: 40_000, ledger: 20_000 } as const;
/** Of the final record and of the first row of the ledger. */
const STATE_BOUNDS = { resources: 1_000, orders: 2_000 } as const;
/** A vendor document may have some thousand operations that are not granted. */
const PROBE_BOUNDS = { attempts: 20_000, notTried: 1_000 } as const;

/** Of one exam, whatever was handed in. */
const EXAM_BOUNDS = { seeds: MOST_SEEDS, handIns: MOST_HAND_INS, refused: 1_000 } as const;

/** Of the evidence of a run, in whatever form it is: a sentence on what is too much, or null. */
export function runExcess(evidence: { record?: unknown; ledger?: unknown }): string | null {
  const opened: unknown = Array.isArray(evidence.ledger) ? evidence.ledger[0] : undefined;
  return (
    excess('evidence', evidence, RUN_BOUNDS) ??
    excess('evidence.record', evidence.record, STATE_BOUNDS) ??
    excess('evidence.ledger[0]', opened, STATE_BOUNDS)
  );
}

/** The same of the evidence of a probe. */
export function probeExcess(evidence: object): string | null {
  return excess('evidence', evidence, PROBE_BOUNDS);
}

/** The same of the evidence of an exam. */
export function examExcess(evidence: object): string | null {
  return excess('evidence', evidence, EXAM_BOUNDS);
}

function excess(place: string, holder: unknown, bounds: Readonly<Record<string, number>>): string | null {
  if (typeof holder !== 'object' || holder === null) return null;
  for (const [name, most] of Object.entries(bounds)) {
    const list: unknown = Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
    if (Array.isArray(list) && list.length > most)
      return `${place}.${name} holds ${list.length} entries, and at most ${most} may be there.`;
  }
  return null;
}
