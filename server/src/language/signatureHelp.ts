/** Signature help for client calls in unbound adapters. */
import type { Position, SignatureHelp } from 'vscode-languageserver';
import { markdownText, oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import type { FileContext } from './feature.ts';
import { markup } from './markup.ts';
import { grantSentence } from './operationText.ts';

export async function signatureOfCall(
  context: FileContext,
  position: Position,
): Promise<SignatureHelp | null> {
  if (context.kind !== 'adapter' || context.bound || context.view === null) return null;
  const analysis = await context.view.analysisOf(context.path, context.document);
  const fact = analysis?.signature(context.path, context.document.offsetAt(position)) ?? null;
  if (fact === null) return null;
  const operation = context.view.project.surface?.operations.find(({ name }) => name === fact.operation);
  const parameters = fact.parameters.map(({ span, documentation }) => ({
    label: oneLine(fact.label.slice(span.start, span.end), SUMMARY_LENGTH),
    ...(documentation ? { documentation: markup(context.editor, markdownText(documentation)) } : {}),
  }));
  const documentation =
    operation && markup(context.editor, grantSentence(operation.grant, operation.unusable));
  return {
    signatures: [
      { label: oneLine(fact.label, 1000), parameters, ...(documentation ? { documentation } : {}) },
    ],
    activeSignature: 0,
    activeParameter: fact.active,
  };
}
