/** The static rules on an adapter. What the editor's own service says too is left to it. */
import type { Diagnostic } from 'vscode-languageserver';
import { diagnosticKind } from '../../../shared/src/diagnostics.ts';
import type { LintFinding } from '../lint/finding.ts';
import { type LintResult, lintWithCount } from '../lint/lint.ts';
import { fromFinding, kept } from './diagnosticForm.ts';
import type { FileContext } from './feature.ts';

export async function adapterDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  const findings = await adapterFindings(context);
  return kept(
    findings.filter(({ code }) => isOurs(context, code)).map((finding) => fromFinding(context, finding)),
  );
}

/** Findings with their fixes: code actions ask for them too. */
export async function adapterFindings(context: FileContext): Promise<LintFinding[]> {
  return (await lint(context)).findings;
}

/** How many findings comments silence. */
export async function adapterSilences(context: FileContext): Promise<number> {
  return (await lint(context)).silenced;
}

async function lint(context: FileContext): Promise<LintResult> {
  const { kind, view, path, document, settings } = context;
  const nothing = { findings: [], silenced: 0 };
  if (kind !== 'adapter' || view?.contract == null || view.project.surface === null) return nothing;
  const analysis = await view.analysisOf(path, document);
  if (analysis === null) return nothing;
  const { grant, surface } = view.project;
  const grantText = grant && view.textOf(grant.file)?.getText();
  return lintWithCount({
    file: path,
    text: document.getText(),
    facts: analysis.facts(path),
    flow: analysis.flow(path),
    surface,
    contract: view.contract,
    settings,
    grant: grant && grantText != null ? { file: grant.file, text: grantText } : null,
  });
}

function isOurs({ bound, document }: FileContext, code: string): boolean {
  const says = diagnosticKind(code)?.editorSays;
  if (says === 'always') return false;
  return !(says === 'bound' && (bound || isChecked(document.getText())));
}

/** With `@ts-check` the editor's own service reports types itself. */
function isChecked(text: string): boolean {
  return /^\s*\/\/\s*@ts-check\b/m.test(text.slice(0, 2000));
}
