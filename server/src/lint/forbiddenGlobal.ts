import { didYouMean } from '../../../shared/src/nearest.ts';
import type { FreeName } from '../analysis/facts.ts';
import { type Found, found, type LintInput } from './finding.ts';
import { absenceOf, SANDBOX_NAMES } from './sandboxNames.ts';

export function forbiddenGlobal({ text, facts, surface: { client } }: LintInput): Found[] {
  const made = new Set(facts.freeNames.filter((name) => isAssigned(text, name)).map(({ name }) => name));
  return facts.freeNames.flatMap((free) => {
    const { name, span, guarded } = free;
    if (guarded || name === client) return [];
    const message = makesCode(text, free)
      ? `The sandbox makes no code from text: ${name}() throws there.`
      : absent(name, client, made);
    return message === undefined ? [] : [found('forbidden-global', message, span)];
  });
}

function absent(name: string, client: string, made: ReadonlySet<string>): string | undefined {
  if (SANDBOX_NAMES.has(name)) return undefined;
  const reason = absenceOf(name, client);
  if (reason !== undefined) return `The sandbox has no ${name}: ${reason}.`;
  if (made.has(name)) return undefined;
  const hint = didYouMean(name, [client, ...SANDBOX_NAMES]);
  return `"${name}" is declared nowhere in this file, and the sandbox has no such global.${hint}`;
}

/** `eval(…)`, `Function(…)`, `new Function(…)`. As a value to compare with, `Function` does no harm. */
function makesCode(text: string, { name, span }: FreeName): boolean {
  if (name === 'eval') return true;
  if (name !== 'Function') return false;
  return /^\s*\(/.test(text.slice(span.end)) || /\bnew\s+$/.test(text.slice(0, span.start));
}

/** Outside strict mode an assignment makes a global. */
function isAssigned(text: string, { span }: FreeName): boolean {
  return /^\s*(?:\?\?|\|\||&&)?=(?![=>])/.test(text.slice(span.end));
}
