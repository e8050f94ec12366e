/** The four rules on what happens when a client call fails, as sentences. */
import type { FlowFinding } from '../analysis/flow/flowFacts.ts';
import { nameTheOrder } from './addKey.ts';
import { type Found, found, type LintInput } from './finding.ts';

export function flowFindings(input: LintInput): Found[] {
  return spoken(input).map((finding) =>
    found(finding.rule, `${sentence(input, finding)}: ${ended(finding.reason)}`, finding.span, {
      related: finding.related,
      fixes: finding.rule === 'retry-without-identity' ? nameTheOrder(input, finding) : [],
    }),
  );
}

/** Of an operation that is not granted every call is refused: nothing else about it matters yet. */
function spoken({ flow, surface }: LintInput): FlowFinding[] {
  const refused = new Set(surface.operations.flatMap(({ name, grant }) => (grant === null ? [name] : [])));
  return (flow?.findings ?? []).filter(({ operation }) => !refused.has(operation));
}

function sentence({ contract }: LintInput, { rule, operation }: FlowFinding): string {
  const { refused, unresolved } = contract.statics.errorCodes;
  const { poll } = contract.statics;
  switch (rule) {
    case 'retry-without-identity':
      return `${operation} is sent again without naming the order it repeats, so a lost answer becomes a second order`;
    case 'refusal-from-doubt':
      return `'${refused}' may be untrue of ${operation} here, so say '${unresolved}' unless error.outcome is "refused"`;
    case 'unbounded-poll':
      return `${operation} may be read more often than ${poll === null ? 'its bound' : poll.bound} allows`;
    case 'swallowed-error':
      return `A failure of ${operation} is lost here`;
  }
}

function ended(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`;
}
