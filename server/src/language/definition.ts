/** Where an operation is said: in the vendor document first, then in the grant. */
import type { Location, Position } from 'vscode-languageserver';
import type { SourceRange } from '../../../shared/src/surface/surface.ts';
import type { FileContext, ProjectView } from './feature.ts';

export async function definitionInAdapter(context: FileContext, position: Position): Promise<Location[]> {
  const { view } = context;
  if (context.kind !== 'adapter' || view === null) return [];
  const analysis = await view.analysisOf(context.path);
  const subject = analysis?.subject(context.path, context.document.offsetAt(position)) ?? null;
  if (subject?.kind !== 'operation') return [];
  const operation = view.project.surface?.operations.find(({ name }) => name === subject.name);
  if (operation === undefined) return [];
  return [operation.source, ...(operation.grant ? [operation.grant.source] : [])].map((source) =>
    locationOf(view, source),
  );
}

export function locationOf(view: ProjectView, { file, start, end }: SourceRange): Location {
  return { uri: view.uriOf(file), range: { start, end } };
}
