/** Completion in a grant: methods, routes of the document, options of the route that stands there, directives. */
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  type Position,
} from 'vscode-languageserver';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { headerProblem } from '../grant/words.ts';
import { shapeOf } from '../openapi/template.ts';
import type { FileContext } from './feature.ts';
import { type GrantLine, grantLine, operationOfLine, wordBefore } from './grantText.ts';

interface Offer {
  label: string;
  detail: string;
  kind: CompletionItemKind;
  /** Standing already, or not the likely one: further down. */
  later?: boolean;
}

export function completeGrant(context: FileContext, position: Position): CompletionItem[] {
  if (context.kind !== 'grant') return [];
  const line = grantLine(context.document, position.line);
  if (/(^|[ \t])#/.test(line.text.slice(0, position.character))) return [];
  const { start, typed } = wordBefore(line, position);
  const index = line.words.filter((word) => word.start < start).length;
  const range = { start: { line: position.line, character: start }, end: position };
  return offersAt(context, line, index, typed).map(({ label, detail, kind, later }, order) => ({
    label,
    kind,
    detail: oneLine(detail, SUMMARY_LENGTH),
    filterText: label,
    sortText: `${later ? 1 : 0}${String(order).padStart(5, '0')}`,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { range, newText: label },
  }));
}

function offersAt(context: FileContext, line: GrantLine, index: number, typed: string): Offer[] {
  const [first] = line.words;
  if (first?.text === '@batch' && index > 0) return batchOffers(context, line, index);
  if (first?.text === '@health' && index > 0)
    return routeOffers(context, line, index - 1, (each) => each.method === 'GET' && !each.path.includes('{'));
  if (index === 0) return [...directives(typed), ...wholeRoutes(context)];
  if (index === 1) return routeOffers(context, line, 1, () => true);
  return optionOffers(context, line);
}

function directives(typed: string): Offer[] {
  if (typed !== '' && !typed.startsWith('@')) return [];
  return [
    {
      label: '@health',
      detail: 'The route that is asked before calls go on after an overload',
      kind: CompletionItemKind.Keyword,
      later: true,
    },
    {
      label: '@batch',
      detail: 'The route that answers what many calls of another would',
      kind: CompletionItemKind.Keyword,
      later: true,
    },
  ];
}

/** Routes that are not granted yet first. */
function wholeRoutes({ view }: FileContext): Offer[] {
  return operations(view?.project.surface?.operations ?? []).map((operation) => ({
    label: `${operation.method} ${shapeOf(operation.path)}`,
    detail: about(operation),
    kind: CompletionItemKind.Method,
    later: operation.grant !== null,
  }));
}

/** `index` 0: the method. 1: the path behind the method that stands there. */
function routeOffers(
  { view }: FileContext,
  { words }: GrantLine,
  index: number,
  fits: (operation: Operation) => boolean,
): Offer[] {
  const all = operations(view?.project.surface?.operations ?? []).filter(fits);
  if (index === 0)
    return [...new Set(all.map(({ method }) => method))].map((label) => ({
      label,
      detail: 'HTTP method',
      kind: CompletionItemKind.Keyword,
    }));
  const method = words.findLast(({ text }) => /^[A-Z]+$/.test(text))?.text;
  return all
    .filter((operation) => operation.method === method)
    .map((operation) => ({
      label: shapeOf(operation.path),
      detail: about(operation),
      kind: CompletionItemKind.Method,
      later: operation.grant !== null,
    }));
}

function batchOffers(context: FileContext, line: GrantLine, index: number): Offer[] {
  if (index === 3)
    return [
      { label: 'for', detail: 'Then the route whose calls it answers', kind: CompletionItemKind.Keyword },
    ];
  return routeOffers(context, line, index === 1 || index === 4 ? 0 : 1, ({ method }) => method === 'GET');
}

/** Query keys, headers and key fields of the operation, without those that stand in the line. */
function optionOffers(context: FileContext, line: GrantLine): Offer[] {
  const operation = operationOfLine(context, line);
  const { words } = line;
  const standing = new Set(words.map(({ text }) => text));
  const offers: Offer[] = [];
  for (const { name, in: place, description } of operation?.parameters ?? []) {
    const detail = description ?? '';
    if (place === 'query') offers.push({ label: `?${name}`, detail, kind: CompletionItemKind.Property });
    if (place === 'header' && headerProblem(name) === undefined) {
      offers.push({ label: `header:${name}`, detail, kind: CompletionItemKind.Property });
      offers.push({
        label: `key:header:${name}`,
        detail: 'It names the order',
        kind: CompletionItemKind.Property,
        later: true,
      });
    }
    if (place === 'path')
      offers.push({
        label: `key:path:${name}`,
        detail: 'It names the order',
        kind: CompletionItemKind.Property,
        later: true,
      });
  }
  for (const field of bodyFields(context, operation))
    offers.push({
      label: `key:body:/${field}`,
      detail: 'The body field that names the order',
      kind: CompletionItemKind.Field,
    });
  if (operation?.method === 'POST')
    offers.push({
      label: 'safe',
      detail: 'This POST only reads',
      kind: CompletionItemKind.Keyword,
      later: true,
    });
  offers.push({
    label: 'max:',
    detail: 'Calls that one run may make',
    kind: CompletionItemKind.Keyword,
    later: true,
  });
  const hasKey = words.some(({ text }) => text.startsWith('key:'));
  return offers.filter(({ label }) => !standing.has(label) && !(hasKey && label.startsWith('key:')));
}

/** Text fields of a JSON body, as far as the surface knows its type. */
export function bodyFields({ view }: FileContext, operation: Operation | undefined): string[] {
  const written = operation?.body?.contents[0]?.schema;
  const schemas = view?.lastSurface?.schemas ?? {};
  const named = typeof written === 'object' ? /^#\/schemas\/(.+)$/.exec(written.$ref ?? '')?.[1] : undefined;
  const schema = named !== undefined && Object.hasOwn(schemas, named) ? schemas[named] : written;
  if (typeof schema !== 'object' || schema.properties === undefined) return [];
  return Object.keys(schema.properties).filter((name) => !/[~/\s]/.test(name));
}

function operations(all: readonly Operation[]): Operation[] {
  return all.filter(({ unusable }) => unusable === undefined);
}

function about({ name, summary, grant }: Operation): string {
  return `${name}${grant === null ? '' : ' (granted)'}${summary ? `: ${summary}` : ''}`;
}
