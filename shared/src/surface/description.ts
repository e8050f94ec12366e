/** What an agent, or a person without an editor, reads about the client: plain text made from a surface. */
import { DESCRIPTION_LENGTH, oneLine, SUMMARY_LENGTH } from '../text.ts';
import { discriminatorTags } from './discriminators.ts';
import {
  answerBody,
  failures,
  grantNotes,
  methods,
  type OperationShape,
  type OptionKey,
  operationShape,
  refusal,
  successes,
} from './operationShape.ts';
import { type SchemaTypes, typeOfNamed, typeOfSchema } from './schemaTypes.ts';
import type { Operation, OperationGrant, Schema, Surface } from './surface.ts';
import { schemaNames, typeNames } from './typeNames.ts';
import { memberName, type TypeStyle, typeText } from './typeNode.ts';

interface Description {
  surface: Surface;
  types: SchemaTypes;
  style: TypeStyle;
  names: Map<string, string>;
}

/** Lines of plain text, ending with a line break. Same surface, same text. */
export function emitDescription(surface: Surface): string {
  const names = schemaNames(Object.keys(surface.schemas), typeNames());
  const description: Description = {
    surface,
    types: { schemas: surface.schemas, tags: discriminatorTags(surface) },
    style: { reference: (name) => names.get(name) ?? 'unknown', commentLength: 0 },
    names,
  };
  const listed = methods(surface);
  const granted = listed.flatMap((operation) =>
    operation.grant !== null && refusal(operation) === undefined
      ? [{ operation, grant: operation.grant }]
      : [],
  );
  const denied = surface.operations.filter((operation) => refusal(operation) !== undefined);
  const blocks = [
    head(surface, granted.length),
    errors(surface.client),
    [
      'GRANTED',
      ...granted.flatMap(({ operation, grant }) => ['', ...operationLines(description, operation, grant)]),
    ],
    types(description),
    denied.length === 0 ? [] : ['NOT GRANTED', ...denied.map(deniedLine)],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

function head(surface: Surface, granted: number): string[] {
  return [
    oneLine(`${surface.title} ${surface.version}`, SUMMARY_LENGTH),
    '',
    `The global object \`${surface.client}\` is the only way to this vendor: one method per operation of its API document.`,
    `${granted} of ${surface.operations.length} operations are granted. The others exist and reject; they reach nobody.`,
    'A method takes the path values in order, then the body where there is one, then the options where the grant lets a',
    'query key or a header through. Path values are encoded for you, one segment each. It returns a promise of the',
    'body of the answer: parsed JSON, else text, else null.',
  ];
}

function errors(client: string): string[] {
  return [
    'ERRORS',
    `Every method of \`${client}\` rejects with an Error named VendorCallError:`,
    '  status        of the answer; 0 where the client refused the call',
    '  origin        "client" | "broker" | "vendor": who refused',
    '  sent          "no" | "maybe" | "yes": whether the call reached the vendor',
    '  outcome       "none": nothing happened by this attempt, it may be repeated',
    '                "refused": the vendor said no, a repeat will not help',
    '                "unknown": it may have happened; repeat only what is the same order again, else look first',
    '  retryAfterMs  wait this long before the next attempt; 0 where nothing asks for a wait',
    '  body          of the answer, or null',
  ];
}

function operationLines(description: Description, operation: Operation, grant: OperationGrant): string[] {
  const shape = operationShape(operation, grant);
  const lines = [
    `${description.surface.client}.${signature(description, operation, shape)}`,
    `  ${route(operation)} (granted)`,
  ];
  const summary = oneLine(operation.summary ?? '', SUMMARY_LENGTH);
  const text = oneLine(operation.description ?? '', DESCRIPTION_LENGTH);
  if (summary !== '') lines.push(`  ${summary}`);
  if (text !== '' && text !== summary) lines.push(`  ${text}`);
  if (operation.deprecated) lines.push('  Deprecated by the vendor.');
  lines.push(...grantNotes(operation, grant).map((note) => `  ${oneLine(note)}`));
  lines.push(...bodyLines(description, shape), ...optionLines(description, shape));
  lines.push(`  answers ${answerText(description, operation)}`);
  const refusals = failureText(description, operation);
  if (refusals !== '') lines.push(`  rejects ${refusals}`);
  return lines;
}

function route(operation: Operation): string {
  return `${operation.method} ${oneLine(operation.path)}`;
}

function signature(description: Description, operation: Operation, shape: OperationShape): string {
  const list = shape.path.map(
    ({ argument, parameter }) =>
      `${argument}: ${schemaText(description, parameter?.schema ?? { type: 'string' })}`,
  );
  if (shape.body !== undefined) list.push(`${shape.body.argument}${shape.body.required ? '' : '?'}`);
  if (shape.options !== undefined) list.push(`${shape.options.argument}${shape.options.required ? '' : '?'}`);
  return `${operation.name}(${list.join(', ')})`;
}

function schemaText(description: Description, schema: Schema): string {
  return typeText(typeOfSchema(schema, description.types), description.style);
}

function bodyLines(description: Description, { body }: OperationShape): string[] {
  if (body === undefined) return [];
  if (body.kind === 'none') {
    const media = oneLine(body.mediaType, SUMMARY_LENGTH);
    return [`  its body is ${media}, which the client cannot send: leave it out`];
  }
  const form = body.kind === 'form' ? ' (sent as a form)' : '';
  return [`  ${body.argument}${form}: ${schemaText(description, body.content?.schema ?? true)}`];
}

function optionLines(description: Description, { options }: OperationShape): string[] {
  if (options === undefined) return [];
  const groups: string[] = [];
  for (const [name, keys] of [['query', options.query] as const, ['headers', options.headers] as const]) {
    const optional = keys.some(({ parameter }) => parameter?.required === true) ? '' : '?';
    if (keys.length > 0) groups.push(`${name}${optional}: ${keysText(description, keys)}`);
  }
  return [`  ${options.argument}: { ${groups.join('; ')}; signal?: AbortSignal }`];
}

function keysText(description: Description, keys: readonly OptionKey[]): string {
  const members = keys.map(({ name, parameter }) => {
    const optional = parameter?.required === true ? '' : '?';
    const type =
      parameter === undefined ? 'string | number | boolean' : schemaText(description, parameter.schema);
    return `${memberName(name)}${optional}: ${type}`;
  });
  return `{ ${members.join('; ')} }`;
}

function answerText(description: Description, operation: Operation): string {
  const bodies = successes(operation);
  if (bodies.length === 0) return 'unknown';
  return bodies.map((body) => statusText(description, operation, body.answer)).join(' | ');
}

function failureText(description: Description, operation: Operation): string {
  return failures(operation)
    .map((body) => statusText(description, operation, body.answer))
    .join(' | ');
}

function statusText(
  description: Description,
  operation: Operation,
  answer: Operation['answers'][number],
): string {
  const body = answerBody(operation, answer);
  const status = oneLine(answer.status);
  if (body.kind === 'none') return `${status} null`;
  if (body.kind === 'text') {
    const media = answer.contents.map((content) => content.mediaType).join(', ');
    return `${status} string (${oneLine(media, SUMMARY_LENGTH)})`;
  }
  return `${status} ${schemaText(description, body.content?.schema ?? true)}`;
}

/** The named schemas, one line each. */
function types(description: Description): string[] {
  if (description.names.size === 0) return [];
  const lines = Object.keys(description.surface.schemas).map((name) => {
    const text = typeText(typeOfNamed(name, description.types), description.style);
    return `${description.names.get(name) ?? ''} = ${text}`;
  });
  return ['TYPES', ...lines];
}

function deniedLine(operation: Operation): string {
  return oneLine(`${operation.name} (${operation.method} ${operation.path}) is ${refusal(operation) ?? ''}`);
}
