import { type Found, found, type LintInput } from './finding.ts';

/** Only the first few: after a broken line a parser says much that is not so. */
const MOST = 3;

export function adapterSyntax({ facts }: LintInput): Found[] {
  return facts.syntaxErrors
    .slice(0, MOST)
    .map(({ message, span }) =>
      found('adapter-syntax', `This is not JavaScript: ${message.replace(/\.$/, '')}.`, span),
    );
}
