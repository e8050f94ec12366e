/** Quick fixes: those of findings that stand where the cursor is. */
import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  type Range,
  type TextEdit,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { LintFinding } from '../lint/finding.ts';
import { adapterFindings } from './adapterDiagnostics.ts';
import { fromFinding } from './diagnosticForm.ts';
import type { FileContext } from './feature.ts';
import { nameInConfig } from './govern.ts';
import { grantFindings } from './projectDiagnostics.ts';
import { overlaps, rangeOf } from './spans.ts';

export async function codeActions(
  context: FileContext,
  range: Range,
  asked: readonly Diagnostic[],
): Promise<CodeAction[]> {
  const findings = [...(await adapterFindings(context)), ...(await grantFindings(context))];
  const fixes = findings
    .filter(({ span }) => overlaps(rangeOf(context.document, span), range))
    .flatMap((finding) => actionsOf(context, finding, asked));
  return [...fixes, ...nameInConfig(context)];
}

function actionsOf(context: FileContext, finding: LintFinding, asked: readonly Diagnostic[]): CodeAction[] {
  const own = fromFinding(context, finding);
  const diagnostics = asked.filter(({ code, source }) => source === 'loadline' && code === finding.code);
  return finding.fixes.map(({ title, edits, preferred }) => {
    const changes: Record<string, TextEdit[]> = {};
    for (const { file, span, newText } of edits) {
      const document = documentOf(context, file);
      if (document === null) continue;
      changes[document.uri] = [...(changes[document.uri] ?? []), { range: rangeOf(document, span), newText }];
    }
    return {
      title,
      kind: CodeActionKind.QuickFix,
      isPreferred: preferred,
      diagnostics: diagnostics.length > 0 ? [...diagnostics] : own ? [own] : [],
      edit: { changes },
    };
  });
}

function documentOf({ path, document, view }: FileContext, file: string): TextDocument | null {
  if (file === path) return document;
  return view?.textOf(file) ?? null;
}
