/** An export ends as if the call that decides its result had answered. */
import type { Value } from '../value.ts';
import { atHandler, type Rule, type Walked } from './rule.ts';

export const swallowedError: Rule = (walked) => {
  const { failing, trace, sample } = walked;
  const { end, calls } = trace;
  if (failing === null || end?.kind !== 'returned' || !trace.sure) return null;
  const last = calls.at(-1);
  // Another call after the failure may have found out what became of it.
  if (last === undefined || !last.failed || last.operation !== failing.name) return null;
  if (!decides(walked) || !claims(walked, end.value)) return null;
  return {
    rule: 'swallowed-error',
    operation: failing.name,
    node: last.node,
    reason: `after ${sample} ${walked.export} ends normally and no other call is made`,
    related: atHandler(walked, 'The failure ends here'),
  };
};

/** Whether the export's result follows from the failing operation. */
function decides({ failing, statics, operations, reached, trace, ...walked }: Walked): boolean {
  if (failing === null) return false;
  if (!statics.decidedByWrites.includes(walked.export)) {
    // Details that are read after the first answer may be missing.
    return failing.reads && trace.calls.every(({ operation }) => operation === failing.name);
  }
  if (failing.reads) return false;
  const hasCreate = [...reached].some((name) => operations.get(name)?.creates === true);
  return !hasCreate || failing.creates;
}

/** Of an export that polls only a literal claim about the vendor counts: a timeout is honest. */
function claims({ statics: { poll }, ...walked }: Walked, result: Value): boolean {
  if (poll === null || poll.export !== walked.export) return true;
  const state = result.kind === 'object' ? result.fields.get(poll.result) : undefined;
  return state?.kind === 'prim' && poll.claims.includes(String(state.value));
}
