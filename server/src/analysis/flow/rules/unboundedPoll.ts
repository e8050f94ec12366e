/** More status reads on one path than the bound allows. */
import { nameOf } from '../value.ts';
import { atHandler, type Rule } from './rule.ts';

export const unboundedPoll: Rule = (walked) => {
  const { statics, failing, trace, operations, bound, subject, sample } = walked;
  const { poll } = statics;
  if (poll === null || bound === null || poll.export !== walked.export) return null;
  const reads = trace.calls.filter(
    ({ operation, args: [about] }) =>
      operations.get(operation)?.reads === true && about !== undefined && nameOf(about) === subject,
  );
  const over = reads[bound];
  if (over === undefined || !over.sure) return null;
  if (failing !== null && failing.name !== over.operation) return null;
  return {
    rule: 'unbounded-poll',
    operation: over.operation,
    node: over.node,
    reason:
      failing === null
        ? `it goes on whatever ${poll.bound} says`
        : `after ${sample} it is read again and ${poll.bound} does not count that`,
    related: failing === null ? [] : atHandler(walked, 'A read that failed is a read'),
  };
};
