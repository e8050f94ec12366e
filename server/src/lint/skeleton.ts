/** Functions of the contract that are not written yet, as they say so themselves. */
import type { Contract, ContractExport } from '../../../shared/src/contracts/contract.ts';

/** A member of an object literal, without a comma; every line but the first is indented by `indent`. */
export function skeletonMember(contract: Contract, name: string, indent: string): string {
  const { unresolved } = contract.statics.errorCodes;
  const parameters = parametersOf(contract.exports.find((each) => each.name === name)).join(', ');
  return [
    `async ${name}(${parameters}) {`,
    `${indent}  throw Object.assign(new Error('${name} is not written yet'), { code: '${unresolved}' });`,
    `${indent}}`,
  ].join('\n');
}

/** Names of the parameters that the contract gives a function. */
export function parametersOf(exported: ContractExport | undefined): string[] {
  const list = /^\(([^)]*)\)/.exec(exported?.signature ?? '')?.[1] ?? '';
  return list.split(',').flatMap((part) => /^\s*(\w+)/.exec(part)?.[1] ?? []);
}
