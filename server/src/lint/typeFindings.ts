/** `contract-shape` and `client-type`: what the type checker found and what counts of it. */
import type { TypeFinding } from '../analysis/facts.ts';
import { type Fix, type Found, found, type LintInput, quickFix } from './finding.ts';

export function contractShape({ facts }: LintInput): Found[] {
  return facts.types.flatMap((type) => {
    if (type.about !== 'shape') return [];
    const whose = type.name === null ? 'This result' : `This result of ${type.name}`;
    return [
      found('contract-shape', `${whose} does not have the contract's shape: ${reason(type)}`, type.span),
    ];
  });
}

export function clientType(input: LintInput): Found[] {
  return input.facts.types.flatMap((type) => {
    if (type.about === 'shape') return [];
    const fixes = rename(input, type);
    return [found('client-type', `${opening(type)}: ${reason(type)}`, type.span, { fixes })];
  });
}

/** Where the checker knows a name that is near to the one at the place. */
function rename({ file, text }: LintInput, { message, span }: TypeFinding): Fix[] {
  const meant = /Did you mean(?: to write)? '([\w$]+)'\?/.exec(message)?.[1];
  if (meant === undefined || !/^[\w$]+$/.test(text.slice(span.start, span.end))) return [];
  return [quickFix(`Change to ${meant}`, [{ file, span, newText: meant }], true)];
}

function opening({ about, name }: TypeFinding): string {
  if (about === 'call') {
    return `This is not how the vendor document has ${name === null ? 'the call' : name}`;
  }
  if (about === 'answer') return 'The vendor document describes another answer';
  return 'The error of a client call is different';
}

/** The checker's own words as a sentence. */
function reason({ message }: TypeFinding): string {
  const trimmed = message.trim();
  return /[.?!]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
