/** An order that may have been taken is sent again, and nothing tells that it is the same. */
import { oneLine } from '../../../../../shared/src/text.ts';
import type { OperationFacts } from '../operations.ts';
import { keyOf, sameOrder } from '../order.ts';
import { freshOf, isBlind, nameOf, type Value } from '../value.ts';
import type { OperationCall } from '../world.ts';
import { atHandler, type Rule, type Said, type Walked } from './rule.ts';

/** Attempts that are compared: later ones repeat what these show. */
const ATTEMPTS = 6;
/** Length of a piece of the adapter's text in a sentence. */
const EXCERPT = 60;

export const retryWithoutIdentity: Rule = (walked) => {
  const { failing, trace } = walked;
  if (failing === null || !failing.creates) return null;
  const attempts = trace.calls.filter(({ operation }) => operation === failing.name).slice(0, ATTEMPTS);
  for (const [index, again] of attempts.entries()) {
    if (!again.sure) return null;
    for (const first of attempts.slice(0, index)) {
      if (!sameOrder(failing, first, again)) continue;
      const said = judge(walked, failing, first, again);
      if (said !== null) return said;
    }
  }
  return null;
};

function judge(
  walked: Walked,
  facts: OperationFacts,
  first: OperationCall,
  again: OperationCall,
): Said | null {
  const said = (node: OperationCall['node'], reason: string): Said => ({
    rule: 'retry-without-identity',
    operation: facts.name,
    node,
    reason,
    related: [
      ...(first.node === again.node ? [] : [{ message: 'It was sent first here', node: first.node }]),
      ...atHandler(walked, `After ${walked.sample} it is sent again from here`),
    ],
  });
  if (facts.key === null) return said(again.node, 'neither grant nor document has a key for it');
  const before = keyOf(facts, facts.key, first);
  const after = keyOf(facts, facts.key, again);
  if (before === 'unknown' || after === 'unknown') return null;
  if (after === null) return said(again.node, `the repeat carries no ${keyName(facts)}`);
  if (isBlind(after.value) || (before !== null && isBlind(before.value))) return null;
  if (before !== null && nameOf(before.value) === nameOf(after.value)) return null;
  return said(after.place ?? again.node, changing(facts, before === null, after.value));
}

function changing(facts: OperationFacts, isFirst: boolean, value: Value): string {
  const name = keyName(facts);
  if (isFirst) return `the first attempt carries no ${name}`;
  const fresh = freshOf(value);
  if (fresh === undefined) return `its ${name} changes from one attempt to the next`;
  return `its ${name} is made anew by ${oneLine(fresh.getText(), EXCERPT)} at each attempt`;
}

function keyName({ key }: OperationFacts): string {
  if (key === null) return 'key';
  return oneLine(key.in === 'body' ? key.pointer.slice(1) : key.name, EXCERPT);
}
