/** Completion in loadline.json: keys, values and files of the folder, from the one schema. */
import { getLocation, type Location } from 'jsonc-parser';
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  type Position,
} from 'vscode-languageserver';
import { jsString, markdownText, oneLine, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import { type ConfigSchema, schemasAt } from '../workspace/configSchema.ts';
import { beginsAsDocument, findFiles } from '../workspace/folderFiles.ts';
import { contractWords, nameOf } from './configFeatures.ts';
import { type ConfigPath, configStrings, isInComment, keysOf } from './configText.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { bodyFields } from './grantCompletion.ts';
import { markup } from './markup.ts';
import { rangeOf } from './spans.ts';

/** Files that are offered; that many are looked into. */
const MOST_FILES = 200;

interface Offer {
  label: string;
  kind: CompletionItemKind;
  json: string;
  /** `$1` in `json` is where the cursor goes. */
  isSnippet?: boolean;
  detail?: string | undefined;
  documentation?: string | undefined;
}

/** What is replaced, and what stands behind it. */
interface Place {
  start: number;
  end: number;
  rest: string;
}

export function completeConfig(context: FileContext, position: Position): CompletionItem[] {
  if (context.kind !== 'config') return [];
  const text = context.document.getText();
  const offset = context.document.offsetAt(position);
  if (isInComment(context, offset)) return [];
  const location = getLocation(text, offset);
  const place = placeOf(text, offset, location);
  if (place === null) return [];
  const offers = location.isAtPropertyKey
    ? keyOffers(context, location.path, place)
    : valueOffers(context, location.path, place);
  return offers.map((offer, order) => itemOf(context, offer, place, order));
}

function itemOf(context: FileContext, offer: Offer, { start, end }: Place, order: number): CompletionItem {
  const { label, kind, json, isSnippet = false, detail, documentation } = offer;
  const snippet = context.editor.snippets && isSnippet;
  const newText = isSnippet && !snippet ? json.replace('$1', '') : json;
  return {
    label: oneLine(label, SUMMARY_LENGTH),
    kind,
    sortText: String(order).padStart(5, '0'),
    // What is replaced begins with a quote, where there is one.
    filterText: jsString(label),
    textEdit: { range: rangeOf(context.document, { start, end }), newText },
    insertTextFormat: snippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    ...(detail === undefined ? {} : { detail: oneLine(detail, SUMMARY_LENGTH) }),
    ...(documentation === undefined
      ? {}
      : { documentation: markup(context.editor, markdownText(documentation)) }),
  };
}

/** null: a value stands there already, and the cursor is beside it. */
function placeOf(text: string, offset: number, { previousNode, isAtPropertyKey }: Location): Place | null {
  const isIn = (node: { offset: number; length: number }) =>
    node.offset < offset && offset <= node.offset + node.length;
  if (previousNode && isIn(previousNode)) {
    const end = previousNode.offset + previousNode.length;
    return { start: previousNode.offset, end, rest: text.slice(end) };
  }
  if (previousNode) return null;
  const word = /[\w$./*-]*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const start = offset - word.length;
  const rest = text.slice(offset);
  return isAtPropertyKey || /^\s*(?:[,}\]]|\/[/*]|$)/.test(rest) ? { start, end: offset, rest } : null;
}

function keyOffers(context: FileContext, path: ConfigPath, { rest }: Place): Offer[] {
  const owner = path.slice(0, -1);
  const standing = new Set(keysOf(context, owner).filter((key) => key !== path.at(-1)));
  const comma = /^\s*"/.test(rest) ? ',' : '';
  const hasValue = /^\s*:/.test(rest);
  return schemasAt(owner).flatMap(({ properties = {}, required = [] }) =>
    Object.keys(properties)
      .filter((key) => !standing.has(key))
      .map((key): Offer => {
        const [schema = {}] = schemasAt([...owner, key]);
        return {
          label: key,
          kind: CompletionItemKind.Property,
          json: hasValue ? `"${key}"` : `"${key}": ${blank(schema)}${comma}`,
          isSnippet: !hasValue,
          detail: required.includes(key) ? 'required' : undefined,
          documentation: schema.description,
        };
      }),
  );
}

function blank({ type, properties = {}, required = [] }: ConfigSchema): string {
  if (type === 'array') return '["$1"]';
  if (type !== 'object') return '"$1"';
  const keys = required.filter((key) => Object.hasOwn(properties, key));
  return `{ ${keys.map((key, index) => `"${key}": ${index === 0 ? '"$1"' : '""'}`).join(', ')} }`;
}

function valueOffers(context: FileContext, path: ConfigPath, { start, end }: Place): Offer[] {
  const schemas = schemasAt(path);
  const isTyped = end > start;
  const objects = schemas.filter(({ type }) => type === 'object' && !isTyped);
  const texts = schemas.some(({ type }) => type !== 'object' && type !== 'array')
    ? [...schemas.flatMap((schema) => namedOffers(schema)), ...foundOffers(context, path)]
    : [];
  const standing = siblingsOf(context, path);
  return [
    ...new Map(
      texts.filter(({ label }) => !standing.has(label)).map((offer) => [offer.label, offer]),
    ).values(),
    ...objects.map(
      (schema): Offer => ({
        label: `{ ${(schema.required ?? []).join(', ')} }`,
        kind: CompletionItemKind.Struct,
        json: blank(schema),
        isSnippet: true,
        documentation: schema.description,
      }),
    ),
  ];
}

/** The other texts of the list that holds the place. */
function siblingsOf(context: FileContext, path: ConfigPath): ReadonlySet<string> {
  if (typeof path.at(-1) !== 'number') return new Set();
  const list = path.slice(0, -1).join('/');
  const others = configStrings(context).filter(
    (text) => text.path.slice(0, -1).join('/') === list && text.path.at(-1) !== path.at(-1),
  );
  return new Set(others.map(({ value }) => value));
}

/** Values that the schema names: of contracts those that this version knows. */
function namedOffers({ enum: choice, examples = [] }: ConfigSchema): Offer[] {
  const contracts = (choice ?? []).flatMap((id): Offer[] => {
    const detail = contractWords(id);
    return detail === undefined ? [] : [textOffer(id, CompletionItemKind.EnumMember, detail)];
  });
  return [...contracts, ...examples.map((text) => textOffer(text, CompletionItemKind.Value))];
}

/** Values that the folder has. */
function foundOffers(context: FileContext, path: ConfigPath): Offer[] {
  const { view } = context;
  if (view === null) return [];
  switch (nameOf(path)) {
    case 'openapi':
      return documentOffers(view);
    case 'grant':
      return fileOffers(view, /\.grant$/);
    case 'vendor':
    case 'vendor.model':
      return fileOffers(view, /(^|[/.])model\.(ya?ml|json)$/);
    case 'adapters':
      return fileOffers(view, /\.js$/);
    case 'capability.write':
      return writeOffers(view);
    case 'capability.identity':
    case 'capability.projected':
    case 'capability.transient':
      return fieldOffers(context);
    default:
      return [];
  }
}

/** Those that begin as documents do, else every file that might be one. */
function documentOffers({ project: { folder } }: ProjectView): Offer[] {
  const files = findFiles(folder, (file) => /\.(ya?ml|json)$/.test(file) && !/loadline\.json$/.test(file));
  const documents = files.slice(0, MOST_FILES).filter((file) => beginsAsDocument(folder, file));
  return documents.length > 0
    ? documents.map((file) => textOffer(file, CompletionItemKind.File, 'OpenAPI document'))
    : files.slice(0, MOST_FILES).map((file) => textOffer(file, CompletionItemKind.File));
}

function fileOffers({ project: { folder } }: ProjectView, name: RegExp): Offer[] {
  return findFiles(folder, (file) => name.test(file))
    .slice(0, MOST_FILES)
    .map((file) => textOffer(file, CompletionItemKind.File));
}

function writeOffers({ lastSurface }: ProjectView): Offer[] {
  return (lastSurface?.operations ?? [])
    .filter(({ method, unusable }) => !['GET', 'HEAD'].includes(method) && unusable === undefined)
    .flatMap(({ operationId, method, path }) =>
      operationId === undefined
        ? []
        : [textOffer(operationId, CompletionItemKind.Method, `${method} ${path}`)],
    );
}

/** Properties of the body that the write sends. */
function fieldOffers(context: FileContext): Offer[] {
  const write = configStrings(context).find(({ path }) => nameOf(path) === 'capability.write');
  const operations = context.view?.lastSurface?.operations ?? [];
  const operation = operations.find(
    ({ operationId }) => operationId !== undefined && operationId === write?.value,
  );
  return bodyFields(context, operation).map((field) => textOffer(field, CompletionItemKind.Field));
}

/** No letter of a text is lost; what is invisible is written as an escape. */
function textOffer(text: string, kind: CompletionItemKind, detail?: string): Offer {
  return { label: text, kind, json: jsString(text), detail };
}
