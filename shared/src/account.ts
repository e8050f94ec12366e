/** What a run came to, in words for an agent. */
import { rowText } from './evidence/rowText.ts';
import type { RunResult } from './results.ts';
import { oneLine } from './text.ts';

/** Each broken rule with its place and the rows of the vendor's own record that show it. */
export function accountOf(result: RunResult | null, scenario: string): string {
  if (result === null) return `${scenario} has not run yet under this text.`;
  if (result.verdict === 'not_run')
    return `${scenario} did not run: ${oneLine(result.message ?? 'no reason was given')}`;
  const broken = result.rules.filter(({ held }) => !held);
  if (broken.length === 0) return `${scenario}: every rule held.`;
  const rows = result.evidence?.ledger ?? [];
  return [
    `${scenario}: ${broken.length} of ${result.rules.length} rules broken.`,
    ...broken.flatMap(({ id, text, sites, ledger }) => [
      `- ${id}${sites[0] ? ` (line ${sites[0].line})` : ''}: ${oneLine(text)}`,
      ...rows
        .filter(({ seq }) => ledger.includes(seq))
        .map((row) => `  ledger row ${row.seq} at ${(row.at / 1000).toFixed(2)} s: ${oneLine(rowText(row))}`),
    ]),
  ].join('\n');
}
