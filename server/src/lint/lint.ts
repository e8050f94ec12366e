/** Every static rule on one adapter: facts in, findings out. */
import { diagnosticKind, severityOf } from '../../../shared/src/diagnostics.ts';
import { adapterSyntax } from './adapterSyntax.ts';
import { contractCode } from './contractCode.ts';
import { contractMissing } from './contractMissing.ts';
import { dynamicOperation } from './dynamicOperation.ts';
import type { Found, LintFinding, LintInput, Rule } from './finding.ts';
import { flowFindings } from './flowFindings.ts';
import { forbiddenGlobal } from './forbiddenGlobal.ts';
import { moduleForm } from './moduleForm.ts';
import { notGranted } from './notGranted.ts';
import { applySilences } from './silence.ts';
import { clientType, contractShape } from './typeFindings.ts';
import { unknownOperation } from './unknownOperation.ts';

/** True of any text that parses as far as the place. */
const ALWAYS: readonly Rule[] = [
  adapterSyntax,
  moduleForm,
  notGranted,
  unknownOperation,
  dynamicOperation,
  forbiddenGlobal,
];

/** These judge the file as a whole: of half a file they would say what is not so. */
const WHOLE: readonly Rule[] = [contractMissing, contractShape, clientType, contractCode, flowFindings];

export interface LintResult {
  /** By place. */
  findings: LintFinding[];
  /** How many findings a comment silenced. */
  silenced: number;
}

export function lintAdapter(input: LintInput): LintFinding[] {
  return lintWithCount(input).findings;
}

/** `lintAdapter`, with what comments took away. */
export function lintWithCount(input: LintInput): LintResult {
  const rules = input.facts.syntaxErrors.length > 0 ? ALWAYS : [...ALWAYS, ...WHOLE];
  const { findings, count } = applySilences(
    input,
    rules.flatMap((rule) => rule(input)),
  );
  return { findings: weighed(findings, input.settings), silenced: count };
}

/** With the weight that each code has, those that are off left out, by place. */
export function weighed(findings: readonly Found[], settings: LintInput['settings']): LintFinding[] {
  const said = findings.flatMap((finding) => {
    const severity = severityOf(finding.code, diagnosticKind(finding.code)?.severity ?? 'error', settings);
    return severity === 'off' ? [] : [{ ...finding, severity }];
  });
  return said.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
}
