/** What an author of an adapter is given before an exam: one text, made from a contract and a surface. */
import type { Contract } from './contracts/contract.ts';
import { practiceScenario } from './exam.ts';
import { emitDescription } from './surface/description.ts';
import type { Surface } from './surface/surface.ts';
import { emitTypings } from './surface/typings.ts';

const WIDTH = 118;

/**
 * Contract, rules, error shapes, the typed client and its description; nothing of what hand-ins are graded over. Ends
 * with a line break. Same contract and surface, same text.
 */
export function emitPaper(contract: Contract, surface: Surface): string {
  const sections: [heading: string, text: string][] = [
    ['EXAM PAPER', task(contract, surface)],
    ['THE CONTRACT', exportsText(contract)],
    ['ITS SHAPES', contract.typings(surface)],
    ['THE RULES', rulesText(contract)],
    ['THE ERRORS THAT AN ADAPTER THROWS', errorsText(contract)],
    ['THE CLIENT, AS TYPES', emitTypings(surface)],
    ['THE CLIENT, IN WORDS', emitDescription(surface)],
  ];
  return sections
    .map(([heading, text]) => `${heading}\n${'='.repeat(heading.length)}\n\n${text.trim()}\n`)
    .join('\n');
}

function task(contract: Contract, surface: Surface): string {
  const names = contract.exports.map(({ name }) => name).join(', ');
  const practice = practiceScenario(contract);
  return [
    ...wrapped(
      `Write an adapter for the contract ${contract.id}: one CommonJS file whose module.exports has ${names}. It reaches the vendor through the global object ${surface.client} alone: no other module, no network, no files. It is run in a sandbox, and what the vendor's own ledger shows is what counts.`,
    ),
    '',
    ...wrapped(
      `Practise with: loadline exam practice <adapter.js>. That is the scenario ${practice}, in which the vendor does nothing unusual. You are graded over other scenarios, in which it does, and under seeds that are drawn when grading begins. A hand-in passes when every rule holds in every run. One that cannot be loaded has failed.`,
    ),
  ].join('\n');
}

function exportsText({ exports }: Contract): string {
  return exports
    .map(({ name, signature, obligations }) =>
      [`${name}: ${signature}`, ...wrapped(obligations, '  ')].join('\n'),
    )
    .join('\n\n');
}

function rulesText({ rules }: Contract): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  return rules.map(({ id, title }) => `${id.padEnd(width)}  ${title}.`).join('\n');
}

function errorsText({ statics: { errorCodes, mayThrow } }: Contract): string {
  return [
    `${mayThrow.join(', ')} may throw an Error whose property code is one of these; nothing else of an error counts:`,
    `  ${JSON.stringify(errorCodes.refused)}: the vendor refused`,
    `  ${JSON.stringify(errorCodes.unresolved)}: it cannot be told whether the order was taken`,
  ].join('\n');
}

/** Words of ours, in lines. */
function wrapped(text: string, indent = ''): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && indent.length + last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => `${indent}${line}`);
}
