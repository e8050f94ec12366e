/** Completion in adapters: the client, bodies and options, literal values, the contract's functions. Nothing else. */
import {
  type CompletionItem,
  CompletionItemKind,
  CompletionItemTag,
  InsertTextFormat,
  type Position,
  type Range,
} from 'vscode-languageserver';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { markdownText, oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import type { Suggestion, TextSpan } from '../analysis/facts.ts';
import type { FileContext } from './feature.ts';
import { markup } from './markup.ts';
import { operationMarkdown } from './operationText.ts';
import { rangeOf } from './spans.ts';

const KINDS: Record<Suggestion['kind'], CompletionItemKind> = {
  operation: CompletionItemKind.Method,
  property: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
  export: CompletionItemKind.Function,
};

/** The list of an unbound adapter; a bound one has its own from the editor's JavaScript service. */
export async function completeAdapter(context: FileContext, position: Position): Promise<CompletionItem[]> {
  if (context.kind !== 'adapter' || context.bound || context.view === null) return [];
  const analysis = await context.view.analysisOf(context.path, context.document);
  if (analysis === null) return [];
  const suggestions = analysis.complete(context.path, context.document.offsetAt(position));
  const operations = operationsOf(context);
  // Suggestions of one list mostly share one span.
  const places = new Map(
    [...new Set(suggestions.map(({ replaces }) => replaces))].map((span) => [span, placeOf(context, span)]),
  );
  return suggestions.flatMap((suggestion) => {
    const place = places.get(suggestion.replaces);
    const operation = operations.get(suggestion.operation ?? '');
    return place === undefined ? [] : [itemOf(context, suggestion, place, operation)];
  });
}

function itemOf(
  context: FileContext,
  suggestion: Suggestion,
  { range, dot }: Place,
  operation: Operation | undefined,
): CompletionItem {
  const { label, kind, sortText, detail, documentation } = suggestion;
  const snippet = suggestion.snippet && context.editor.snippets;
  const isLazy = operation !== undefined && context.editor.resolvesCompletions;
  const text = operation
    ? !isLazy && operationMarkdown(operation)
    : documentation && markdownText(documentation);
  return {
    label: oneLine(label, SUMMARY_LENGTH),
    kind: KINDS[kind],
    sortText,
    textEdit: { range, newText: `${dot}${suggestion.snippet && !snippet ? label : suggestion.insert}` },
    ...(dot === '' ? {} : { filterText: `${dot}${label}` }),
    insertTextFormat: snippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    ...(detail === undefined ? {} : { detail: oneLine(detail, SUMMARY_LENGTH) }),
    ...(text ? { documentation: markup(context.editor, text) } : {}),
    ...(isLazy ? { data: context.document.uri } : {}),
    ...(operation !== undefined && operation.grant === null ? { tags: [CompletionItemTag.Deprecated] } : {}),
  };
}

/** The file in which a completion was offered; '' where nothing is left to say of it. */
export function uriOfItem({ data }: CompletionItem): string {
  return typeof data === 'string' ? data : '';
}

/** The same with what its operation is, at length: a list has a thousand, and one at a time is looked at. */
export function resolveCompletion(context: FileContext, item: CompletionItem): CompletionItem {
  const operation = operationsOf(context).get(item.label);
  if (operation === undefined) return item;
  return { ...item, documentation: markup(context.editor, operationMarkdown(operation)) };
}

interface Place {
  range: Range;
  dot: string;
}

/**
 * With the dot before it: VS Code's own service replaces the dot too, and what matches it is listed before what replaces
 * an empty word, whatever its order.
 */
function placeOf({ document }: FileContext, replaces: TextSpan): Place {
  const { line, character } = document.positionAt(replaces.start);
  const before = document.getText({ start: { line, character: 0 }, end: { line, character } });
  const dot = /\?\.$|\.$/.exec(before)?.[0] ?? '';
  return { range: rangeOf(document, { start: replaces.start - dot.length, end: replaces.end }), dot };
}

/** Those of the project by name. */
function operationsOf({ view }: FileContext): ReadonlyMap<string, Operation> {
  return new Map(view?.project.surface?.operations.map((operation) => [operation.name, operation]));
}
