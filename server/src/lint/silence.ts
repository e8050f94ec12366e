/** `// loadline-disable-next-line <code>: reason`: what it takes away, what is wrong with it, and the fix that adds it. */
import { DIAGNOSTICS, diagnosticKind } from '../../../shared/src/diagnostics.ts';
import { didYouMean } from '../../../shared/src/nearest.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Silence } from '../analysis/facts.ts';
import { type Fix, type Found, found, type LintInput, quickFix } from './finding.ts';
import { lineSpan } from './grantRoute.ts';

const SILENCEABLE = DIAGNOSTICS.filter(({ silenceable }) => silenceable).map(({ code }) => code);

export interface Silenced {
  /** What is left to say, with what there is to say about the comments themselves. */
  findings: Found[];
  /** How many findings a comment took away. */
  count: number;
}

export function applySilences(input: LintInput, findings: readonly Found[]): Silenced {
  const source = new SourceText(input.file, input.text);
  const used = new Map<Silence, Set<string>>();
  const left = findings.filter(({ code, span }) => {
    const line = source.position(span.start).line;
    const silence = input.facts.silences.find((each) => each.line === line && each.codes.includes(code));
    if (silence === undefined || !isSilenceable(code)) return true;
    used.set(silence, (used.get(silence) ?? new Set()).add(code));
    return false;
  });
  const offered = left.map((finding) =>
    withSilenceFix(input, finding, source.position(finding.span.start).line),
  );
  const aboutComments = input.facts.silences.flatMap((silence) =>
    remarks(input, silence, used.get(silence) ?? new Set()),
  );
  return { findings: [...offered, ...aboutComments], count: findings.length - left.length };
}

function isSilenceable(code: string): boolean {
  return SILENCEABLE.includes(code);
}

function remarks({ flow, facts }: LintInput, silence: Silence, used: ReadonlySet<string>): Found[] {
  const { span, codes } = silence;
  if (used.size > 0 && silence.reason.trim() === '') {
    const message = 'This comment silences a rule and does not say why: put a reason after a colon.';
    return [found('silence-without-reason', message, span)];
  }
  if (codes.length === 0) {
    const message = 'This comment names no rule to silence: write its code, a colon and the reason.';
    return [found('unused-silence', message, span)];
  }
  // While the file cannot be read whole, a rule may be silent for that alone.
  if (flow === null || facts.syntaxErrors.length > 0) return [];
  return codes
    .filter((code) => !used.has(code))
    .map((code) => found('unused-silence', unusedSentence(code), span));
}

function unusedSentence(code: string): string {
  const kind = diagnosticKind(code);
  if (kind === undefined) {
    return `There is no rule "${code}" to silence.${didYouMean(code, SILENCEABLE)}`;
  }
  if (!kind.silenceable) return `"${code}" is not silenced by a comment: change what it is about.`;
  return `"${code}" has nothing to say about the next line: remove it from this comment.`;
}

function withSilenceFix(input: LintInput, finding: Found, line: number): Found {
  if (!isSilenceable(finding.code)) return finding;
  return { ...finding, fixes: [...finding.fixes, silenceFix(input, finding.code, line)] };
}

/** A comment above the line, or the code in the comment that is there. */
function silenceFix({ file, text, facts }: LintInput, code: string, line: number): Fix {
  const title = `Silence ${code} on this line`;
  const known = facts.silences.find((silence) => silence.line === line);
  const lastCode = known?.codes.at(-1);
  if (known !== undefined && lastCode !== undefined) {
    const at = text.indexOf(lastCode, known.span.start) + lastCode.length;
    return quickFix(title, [{ file, span: { start: at, end: at }, newText: `, ${code}` }]);
  }
  const { start, end } = lineSpan(text, line);
  const indent = /^[ \t]*/.exec(text.slice(start, end))?.[0] ?? '';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const newText = `${indent}// loadline-disable-next-line ${code}: say here why this is right${lineEnd}`;
  return quickFix(title, [{ file, span: { start, end: start }, newText }]);
}
