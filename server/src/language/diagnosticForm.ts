/** Findings of ours in the form in which an editor takes them. */
import { join } from 'node:path';
import { type Diagnostic, DiagnosticSeverity, DiagnosticTag } from 'vscode-languageserver';
import { diagnosticKind, severityOf } from '../../../shared/src/diagnostics.ts';
import type { Severity, Diagnostic as SurfaceDiagnostic } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { LintFinding } from '../lint/finding.ts';
import { pageUri } from '../lint/pageUri.ts';
import type { FileContext } from './feature.ts';
import { rangeOf } from './spans.ts';

const SEVERITIES: Record<Severity, DiagnosticSeverity> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** The pages are installed beside the bundles: `dist/` and `docs/` stand in one folder. */
const PAGES = join(__dirname, '..', 'docs', 'diagnostics');
const MESSAGE = 1000;

export type Said = Pick<Diagnostic, 'range' | 'relatedInformation'> & {
  code: string;
  severity: Severity;
  message: string;
};

/** null: the severity of the code is set to off. */
export function diagnosticOf({ settings, editor }: FileContext, said: Said): Diagnostic | null {
  const severity = severityOf(said.code, said.severity, settings);
  if (severity === 'off') return null;
  const href = editor.codeDescription ? pageUri(said.code, PAGES) : undefined;
  return {
    range: said.range,
    severity: SEVERITIES[severity],
    code: said.code,
    source: 'loadline',
    message: oneLine(said.message, MESSAGE),
    ...(href === undefined ? {} : { codeDescription: { href } }),
    ...(editor.relatedInformation && said.relatedInformation?.length
      ? { relatedInformation: said.relatedInformation }
      : {}),
    ...(diagnosticKind(said.code)?.code === 'unused-grant' ? { tags: [DiagnosticTag.Unnecessary] } : {}),
  };
}

export function fromFinding(
  context: FileContext,
  { span, related, ...said }: LintFinding,
): Diagnostic | null {
  const { document, uri } = context;
  return diagnosticOf(context, {
    ...said,
    range: rangeOf(document, span),
    relatedInformation: related.map((each) => ({
      location: { uri, range: rangeOf(document, each.span) },
      message: each.message,
    })),
  });
}

export function fromSurface(
  context: FileContext,
  { range: { start, end }, ...said }: SurfaceDiagnostic,
): Diagnostic | null {
  return diagnosticOf(context, { ...said, range: { start, end } });
}

export function kept<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}
