/** An order that may have been taken is said to be refused. */
import { atHandler, type Rule } from './rule.ts';

export const refusalFromDoubt: Rule = (walked) => {
  const { failing, statics, trace, sample } = walked;
  const { end } = trace;
  if (failing === null || !failing.creates || !statics.mayThrow.includes(walked.export)) return null;
  if (end?.kind !== 'threw' || end.value.kind !== 'object' || !trace.sure) return null;
  if (!trace.calls.some(({ failed }) => failed)) return null;
  const { code } = end;
  if (code?.kind !== 'prim' || code.value !== statics.errorCodes.refused) return null;
  const node = code.from ?? end.value.places.get('code');
  if (node === undefined) return null;
  return {
    rule: 'refusal-from-doubt',
    operation: failing.name,
    node,
    reason: `${sample} ends here`,
    related: atHandler(walked, 'The failure is caught here'),
  };
};
