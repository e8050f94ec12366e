import { nearest } from '../../../shared/src/nearest.ts';
import type { ThrownFact } from '../analysis/facts.ts';
import { type Fix, type Found, found, type LintInput, quickFix } from './finding.ts';

/** One place may be thrown out of several exports: it is said once. */
export function contractCode(input: LintInput): Found[] {
  const said = new Set<string>();
  return input.facts.thrown.flatMap((thrown) => {
    const place = `${thrown.span.start} ${thrown.span.end}`;
    const finding = said.has(place) ? undefined : judge(input, thrown);
    if (finding === undefined) return [];
    said.add(place);
    return [finding];
  });
}

function judge(input: LintInput, thrown: ThrownFact): Found | undefined {
  const { refused, unresolved } = input.contract.statics.errorCodes;
  const { code, span } = thrown;
  if (code.kind === 'unknown') return undefined;
  if (code.kind === 'none') {
    const message = `This error leaves ${thrown.export} without a code: say '${refused}' where the vendor refused, '${unresolved}' where it cannot be told.`;
    return found('contract-code', message, span, { fixes: addCode(input, thrown) });
  }
  if (code.value === refused || code.value === unresolved) return undefined;
  const message = `This error leaves ${thrown.export} with the code "${code.value}": the contract knows '${refused}' and '${unresolved}'.`;
  return found('contract-code', message, code.span, {
    fixes: changeCode(input, code.value, code.span),
  });
}

function addCode({ file, text, contract }: LintInput, { span }: ThrownFact): Fix[] {
  const written = text.slice(span.start, span.end);
  const [, head = '', error = '', tail = ''] = /^(throw\s+)?(new\s[\s\S]*\))(;?)$/.exec(written) ?? [];
  if (error === '') return [];
  const { refused, unresolved } = contract.statics.errorCodes;
  return [unresolved, refused].map((code) => {
    const newText = `${head}Object.assign(${error}, { code: '${code}' })${tail}`;
    return quickFix(`Give it the code '${code}'`, [{ file, span, newText }], code === unresolved);
  });
}

function changeCode({ file, contract }: LintInput, value: string, span: ThrownFact['span']): Fix[] {
  const { refused, unresolved } = contract.statics.errorCodes;
  const meant = nearest(value, [refused, unresolved]);
  return [refused, unresolved].map((code) =>
    quickFix(`Change to '${code}'`, [{ file, span, newText: `'${code}'` }], code === meant),
  );
}
