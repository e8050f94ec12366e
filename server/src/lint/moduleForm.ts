import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { type Fix, type Found, found, type LintInput, listed, quickFix } from './finding.ts';
import { lineSpan } from './grantRoute.ts';
import { skeletonMember } from './skeleton.ts';

export function moduleForm(input: LintInput): Found[] {
  const { facts, contract, text } = input;
  const { form } = facts;
  const names = listed(contract.exports.map(({ name }) => name));
  if (form.kind === 'commonjs') return [];
  if (form.kind === 'none') {
    const message = `This file exports nothing: the contract ${contract.id} needs module.exports with ${names}.`;
    return [found('module-form', message, lineSpan(text, 0), { fixes: [exportSkeleton(input)] })];
  }
  if (form.kind === 'esm') {
    const message =
      'The sandbox loads CommonJS modules alone: use module.exports instead of export, and no import.';
    return [found('module-form', message, form.exports, { fixes: toCommonJs(input) })];
  }
  const message =
    'The sandbox runs JavaScript as it is written: take out the type annotations and other words of TypeScript.';
  return [found('module-form', message, form.exports)];
}

function exportSkeleton({ file, text, contract }: LintInput): Fix {
  const before = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const newText = `${before}${skeletonModule(contract)}`;
  const edit = { file, span: { start: text.length, end: text.length }, newText };
  return quickFix(`Export the functions of ${contract.id}`, [edit], true);
}

function skeletonModule(contract: Contract): string {
  const members = contract.exports.map(({ name }) => `  ${skeletonMember(contract, name, '  ')},`);
  return `module.exports = {\n${members.join('\n\n')}\n};\n`;
}

function toCommonJs({ file, facts: { form } }: LintInput): Fix[] {
  if (form.kind !== 'esm' || form.commonJs === undefined) return [];
  const edits = form.commonJs.map(({ span, newText }) => ({ file, span, newText }));
  return [quickFix('Export with module.exports', edits, true)];
}
