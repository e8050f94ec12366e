import { type Found, found, type LintInput } from './finding.ts';

export function dynamicOperation({ facts, surface }: LintInput): Found[] {
  return facts.uses.flatMap(({ kind, how, span }) => {
    if (kind !== 'dynamic') return [];
    const reason = how === undefined ? '' : ` (${how})`;
    const message = `Which operation of ${surface.client} is called here cannot be told${reason}, so the grant cannot be checked before the adapter runs.`;
    return [found('dynamic-operation', message, span)];
  });
}
