/** Whether the text parses, and as what kind of module. */
import ts from 'typescript';
import { commonJsEdits } from './commonJs.ts';
import type { ExportModel } from './exportModel.ts';
import type { AdapterFacts, ModuleForm } from './facts.ts';
import type { VirtualText } from './virtualText.ts';

/** Diagnostics that say "this word is TypeScript's": annotations, interfaces, modifiers, assertions, type arguments. */
const TYPESCRIPT_FIRST = 8002;
const TYPESCRIPT_LAST = 8017;
const TYPESCRIPT_SATISFIES = 8037;

export function moduleForm(
  real: ts.SourceFile,
  model: ExportModel,
  syntactic: readonly ts.Diagnostic[],
  virtual: VirtualText,
): ModuleForm {
  for (const diagnostic of syntactic) {
    const span = isTypeScript(diagnostic.code) ? spanOf(diagnostic, virtual) : null;
    if (span !== null) return { kind: 'typescript', exports: span };
  }
  if (model.kind === 'none') return { kind: 'none' };
  const { place } = model;
  const exports = { start: place.getStart(real), end: place.getEnd() };
  const commonJs = model.kind === 'esm' ? commonJsEdits(real) : undefined;
  if (model.kind === 'esm' && commonJs !== undefined) return { kind: 'esm', exports, commonJs };
  return { kind: model.kind, exports };
}

export function syntaxErrors(
  syntactic: readonly ts.Diagnostic[],
  virtual: VirtualText,
): AdapterFacts['syntaxErrors'] {
  return syntactic.flatMap((diagnostic) => {
    const span = isTypeScript(diagnostic.code) ? null : spanOf(diagnostic, virtual);
    if (span === null) return [];
    return [{ message: ts.flattenDiagnosticMessageText(diagnostic.messageText, ' '), span }];
  });
}

function isTypeScript(code: number): boolean {
  return (code >= TYPESCRIPT_FIRST && code <= TYPESCRIPT_LAST) || code === TYPESCRIPT_SATISFIES;
}

function spanOf(diagnostic: ts.Diagnostic, virtual: VirtualText) {
  const { start, length } = diagnostic;
  return start === undefined ? null : virtual.realSpan(start, start + (length ?? 0));
}
