/** What the snapshot of a project says about loadline.json, grant and document, and what all adapters together tell. */
import type { Diagnostic } from 'vscode-languageserver';
import type { LintFinding } from '../lint/finding.ts';
import { lintProject } from '../lint/project.ts';
import { adapterFacts } from './callers.ts';
import { fromFinding, fromSurface, kept } from './diagnosticForm.ts';
import type { FileContext } from './feature.ts';

export async function projectDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  const { view, path } = context;
  if (view === null || context.kind === 'adapter') return [];
  const own = view.project.diagnostics.filter(({ range }) => range.file === path);
  return kept(own.map((each) => fromSurface(context, each)));
}

/** Of the grant, what its adapters tell. */
export async function grantDiagnostics(context: FileContext): Promise<Diagnostic[]> {
  const together = await grantFindings(context);
  return kept(together.map((finding) => fromFinding(context, finding)));
}

/** `unused-grant`, with its fix. */
export async function grantFindings(context: FileContext): Promise<LintFinding[]> {
  const { view, path, kind, document, settings } = context;
  const { surface = null, grant = null } = view?.project ?? {};
  if (kind !== 'grant' || view === null || surface === null || grant?.file !== path) return [];
  const adapters = (await adapterFacts(view)).map(({ facts }) => facts);
  return lintProject({ surface, grant: { file: path, text: document.getText() }, adapters, settings });
}
