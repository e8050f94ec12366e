/** Hover in adapters: an operation, a function of the contract, a member of a body or an answer. */
import type { Hover, Position } from 'vscode-languageserver';
import { memberName } from '../../../shared/src/surface/typeNode.ts';
import { markdownCode, markdownText, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import type { Subject } from '../analysis/facts.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { markup } from './markup.ts';
import { grantSentence, operationMarkdown } from './operationText.ts';
import { rangeOf } from './spans.ts';

const SIGNATURE = 400;

export async function hoverAdapter(context: FileContext, position: Position): Promise<Hover | null> {
  if (context.kind !== 'adapter' || context.view === null) return null;
  const analysis = await context.view.analysisOf(context.path, context.document);
  const subject = analysis?.subject(context.path, context.document.offsetAt(position)) ?? null;
  const value = subject && textOf(context, subject);
  if (subject === null || !value) return null;
  return { contents: markup(context.editor, value), range: rangeOf(context.document, subject.span) };
}

/** In a bound file the editor's own service has said the types: the grant's line alone is left. */
function textOf({ view, bound }: FileContext, subject: Subject): string | null {
  switch (subject.kind) {
    case 'operation': {
      const operation = view?.project.surface?.operations.find(({ name }) => name === subject.name);
      if (operation === undefined) return null;
      if (bound) return grantSentence(operation.grant, operation.unusable);
      return [...signatureLine(view, operation.name), operationMarkdown(operation)].join('\n\n');
    }
    case 'export': {
      const fact = view?.contract?.exports.find(({ name }) => name === subject.name);
      if (fact === undefined || bound) return null;
      return `${markdownCode(`${fact.name}: ${fact.signature}`, SUMMARY_LENGTH)}\n\n${markdownText(fact.obligations, 1000)}`;
    }
    case 'member':
      if (bound) return null;
      return [
        markdownCode(`${subject.name}: ${subject.type}`, SUMMARY_LENGTH),
        ...(subject.documentation ? [markdownText(subject.documentation)] : []),
      ].join('\n\n');
  }
}

/** The method as the typings declare it: body and answer types. Nothing of an operation that is not granted. */
export function signatureLine(view: ProjectView | null, name: string): string[] {
  const text = view?.typings()?.document.getText() ?? '';
  const start = text.indexOf(`\n    ${memberName(name)}(`);
  const line = start < 0 ? '' : text.slice(start, text.indexOf('\n', start + 1)).trim();
  return line.endsWith('>;') ? [markdownCode(line.slice(0, -1), SIGNATURE)] : [];
}
