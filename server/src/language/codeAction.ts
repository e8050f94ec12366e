/** Quick fixes: those of findings that stand where the cursor is. */
import {
  type CodeAction,
  CodeActionKind,
  type Diagnostic,
  type Range,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Edit, LintFinding } from '../lint/finding.ts';
import { grantFixes } from '../lint/notGranted.ts';
import { adapterFindings } from './adapterDiagnostics.ts';
import { fromFinding } from './diagnosticForm.ts';
import { ungrantedAt } from './documentFeatures.ts';
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
  return [...fixes, ...nameInConfig(context), ...grantHere(context, range)];
}

/** Nothing is wrong with an operation that is not granted, so no diagnostic stands in the document: only this does. */
function grantHere(context: FileContext, range: Range): CodeAction[] {
  const file = context.view?.project.config?.grant;
  const text = file === undefined ? undefined : documentOf(context, file)?.getText();
  const operation = ungrantedAt(context, range.start);
  if (operation === null || file === undefined || text === undefined) return [];
  return grantFixes({ file, text }, operation).map(({ title, edits }) => ({
    title,
    kind: CodeActionKind.QuickFix,
    edit: editOf(context, edits),
  }));
}

function actionsOf(context: FileContext, finding: LintFinding, asked: readonly Diagnostic[]): CodeAction[] {
  const own = fromFinding(context, finding);
  const diagnostics = asked.filter(({ code, source }) => source === 'loadline' && code === finding.code);
  return finding.fixes.map(({ title, edits, preferred }) => ({
    title,
    kind: CodeActionKind.QuickFix,
    isPreferred: preferred,
    diagnostics: diagnostics.length > 0 ? [...diagnostics] : own ? [own] : [],
    edit: editOf(context, edits),
  }));
}

function editOf(context: FileContext, edits: readonly Edit[]): WorkspaceEdit {
  const changes: Record<string, TextEdit[]> = {};
  for (const { file, span, newText } of edits) {
    const document = documentOf(context, file);
    if (document === null) continue;
    changes[document.uri] = [...(changes[document.uri] ?? []), { range: rangeOf(document, span), newText }];
  }
  return { changes };
}

function documentOf({ path, document, view }: FileContext, file: string): TextDocument | null {
  if (file === path) return document;
  return view?.textOf(file) ?? null;
}
