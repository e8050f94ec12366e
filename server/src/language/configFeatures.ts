/** Hover, links and definition in loadline.json. */
import type { DocumentLink, Hover, Location, Position } from 'vscode-languageserver';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { markdownCode, markdownText } from '../../../shared/src/text.ts';
import { SIMULATED } from '../workspace/config.ts';
import { type ConfigSchema, schemasAt } from '../workspace/configSchema.ts';
import { ConfinedFiles } from '../workspace/files.ts';
import { type ConfigPath, type ConfigString, configNodeAt, configStrings } from './configText.ts';
import { locationOf } from './definition.ts';
import type { FileContext, ProjectView } from './feature.ts';
import { markup } from './markup.ts';
import { rangeOf } from './spans.ts';

/** Keys whose text is a file of the folder. */
const FILE_KEYS = new Set(['openapi', 'grant', 'vendor', 'vendor.model', 'adapters']);
const START = { line: 0, character: 0 };

/** What the key means, on itself and on its value. */
export function hoverConfig(context: FileContext, position: Position): Hover | null {
  if (context.kind !== 'config') return null;
  const found = configNodeAt(context, context.document.offsetAt(position));
  if (found === null || found.path.length === 0) return null;
  const { node, path, isKey } = found;
  const [schema] = schemasAt(path);
  if (schema === undefined) return null;
  const description = descriptionAt(path);
  const value = [
    ...(description === undefined ? [] : [markdownText(description)]),
    ...choiceLine(schema),
    ...(isKey ? [] : contractLine(path, node.value)),
  ].join('\n\n');
  if (value === '') return null;
  const range = rangeOf(context.document, { start: node.offset, end: node.offset + node.length });
  return { contents: markup(context.editor, value), range };
}

/** Files of the folder that the text names lead there. */
export function configLinks(context: FileContext): DocumentLink[] {
  return filesNamed(context).map(({ node, value, view }) => ({
    range: rangeOf(context.document, { start: node.offset + 1, end: node.offset + node.length - 1 }),
    target: view.uriOf(value),
    tooltip: 'Open the file',
  }));
}

/** The file, or the operation in the vendor document. */
export function definitionInConfig(context: FileContext, position: Position): Location[] {
  const { kind, view, document } = context;
  const offset = document.offsetAt(position);
  if (kind !== 'config' || view === null) return [];
  const file = filesNamed(context).find(({ node }) => holds(node, offset));
  if (file) return [{ uri: view.uriOf(file.value), range: { start: START, end: START } }];
  const text = configStrings(context).find(({ node }) => holds(node, offset));
  if (text === undefined || nameOf(text.path) !== 'capability.write') return [];
  const operation = view.lastSurface?.operations.find(({ operationId }) => operationId === text.value);
  return operation ? [locationOf(view, operation.source)] : [];
}

/** `vendor.model`; indexes are left out. */
export function nameOf(path: ConfigPath): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

/** What a contract asks for, in a few words; undefined: this version does not know it. */
export function contractWords(id: unknown): string | undefined {
  const contract = typeof id === 'string' ? contractById(id) : undefined;
  return contract && `${contract.scenarios.length} scenarios, ${contract.rules.length} rules`;
}

function filesNamed(context: FileContext): (ConfigString & { view: ProjectView })[] {
  const { kind, view } = context;
  if (kind !== 'config' || view === null) return [];
  const files = new ConfinedFiles(view.project.folder);
  return configStrings(context)
    .filter(
      ({ path, value }) => FILE_KEYS.has(nameOf(path)) && !value.startsWith(SIMULATED) && files.has(value),
    )
    .map((text) => ({ ...text, view }));
}

/** Its own, else that of the list or object that it stands in. */
function descriptionAt(path: ConfigPath): string | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const found = schemasAt(path.slice(0, length)).find(({ description }) => description !== undefined);
    if (found) return found.description;
  }
  return undefined;
}

function choiceLine({ enum: choice, examples }: ConfigSchema): string[] {
  const words = (texts: readonly string[]) => texts.map((text) => markdownCode(text)).join(', ');
  if (choice) return [`One of ${words(choice)}`];
  return examples ? [`For example ${words(examples)}`] : [];
}

function contractLine(path: ConfigPath, value: unknown): string[] {
  const words = nameOf(path) === 'contract' ? contractWords(value) : undefined;
  return words === undefined ? [] : [`${markdownCode(String(value))}: ${words}`];
}

function holds({ offset: start, length }: { offset: number; length: number }, offset: number): boolean {
  return start <= offset && offset <= start + length;
}
