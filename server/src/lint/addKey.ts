/** The fix that names an order: the field of the body by which the vendor knows a repeat. */
import type { ExportFact, TextSpan } from '../analysis/facts.ts';
import type { FlowFinding } from '../analysis/flow/flowFacts.ts';
import { type Fix, type LintInput, quickFix } from './finding.ts';
import { parametersOf } from './skeleton.ts';

/**
 * Where the grant's key is a field of the body, the body is written out in the call without it, and a parameter of the
 * function around the call has the field's name in camelCase. Else none: what to pass is then no plain matter.
 */
export function nameTheOrder(input: LintInput, { operation, span }: FlowFinding): Fix[] {
  const { file, text, facts, surface } = input;
  const key = surface.operations.find(({ name }) => name === operation)?.grant?.key;
  const field = key?.in === 'body' ? /^\/(\w+)$/.exec(key.pointer)?.[1] : undefined;
  const call = facts.uses.find(
    (use) => use.kind === 'call' && use.name === operation && holds(use.whole, span),
  );
  if (field === undefined || call === undefined) return [];
  const written = text.slice(call.whole.start, call.whole.end);
  const [, head, last] = /^([\s\S]*?(\S))\s*\}\s*\)$/.exec(written) ?? [];
  const value = parameterFor(input, field, call.whole);
  if (head === undefined || value === undefined || new RegExp(`\\b${field}\\b`).test(written)) return [];
  const separator = last === '{' ? ' ' : last === ',' ? ' ' : ', ';
  const at = call.whole.start + head.length;
  const edits = [{ file, span: { start: at, end: at }, newText: `${separator}${field}: ${value}` }];
  return [quickFix(`Pass ${field}: ${value}`, edits, true)];
}

/** The contract's parameter of the field's name, where the function that exports it has the call in it and that name. */
function parameterFor(
  { text, facts, contract }: LintInput,
  field: string,
  call: TextSpan,
): string | undefined {
  const name = field.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const around = facts.exports.find((fact) => fact.function !== null && holds(fact.function, call));
  if (around === undefined) return undefined;
  const declared = parametersOf(contract.exports.find((each) => each.name === around.name));
  return declared.includes(name) && headHas(text, around, name) ? name : undefined;
}

function headHas(text: string, { function: body }: ExportFact, name: string): boolean {
  if (body === null) return false;
  const head = /^[^{]*?\)/.exec(text.slice(body.start, body.end))?.[0] ?? '';
  return new RegExp(`\\b${name}\\b`).test(head);
}

function holds(outer: TextSpan, inner: TextSpan): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
