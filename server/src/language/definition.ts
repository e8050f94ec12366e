/** Where a name of an adapter is said: an operation in document and grant, a function of the contract in its typings. */
import type { Location, Position } from 'vscode-languageserver';
import type { SourceRange } from '../../../shared/src/surface/surface.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { rangeOf } from './spans.ts';

export async function definitionInAdapter(context: FileContext, position: Position): Promise<Location[]> {
  const { view } = context;
  if (context.kind !== 'adapter' || view === null) return [];
  const analysis = await view.analysisOf(context.path, context.document);
  const subject = analysis?.subject(context.path, context.document.offsetAt(position)) ?? null;
  if (subject?.kind === 'operation') return operationPlaces(view, subject.name);
  return subject?.kind === 'export' ? contractPlaces(context, view, subject.name) : [];
}

/** The vendor document first, then the line of the grant. */
function operationPlaces(view: ProjectView, name: string): Location[] {
  const operation = view.project.surface?.operations.find((each) => each.name === name);
  if (operation === undefined) return [];
  return [operation.source, ...(operation.grant ? [operation.grant.source] : [])].map((source) =>
    locationOf(view, source),
  );
}

/** The member of the contract's type. An editor that opens no virtual documents has it where typings are written. */
function contractPlaces({ editor }: FileContext, view: ProjectView, name: string): Location[] {
  const typings = view.typings();
  if (typings === null || !(typings.written || editor.textDocumentContent)) return [];
  const { document } = typings;
  const type = view.contract?.statics.adapterType.split('.').at(-1);
  const start = document.getText().lastIndexOf(`interface ${type} {`);
  const member = document.getText().indexOf(` ${name}:`, start);
  if (start < 0 || member < 0) return [];
  return [
    {
      uri: document.uri,
      range: rangeOf(document, { start: member + 1, end: member + 1 + name.length }),
    },
  ];
}

export function locationOf(view: ProjectView, { file, start, end }: SourceRange): Location {
  return { uri: view.uriOf(file), range: { start, end } };
}
