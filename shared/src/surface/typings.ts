/**
 * Typings of the injected client: the text of a `.d.ts` file made from a surface. Only what granted operations reach
 * gets types; every other operation is a name with the reason why it cannot be called.
 */
import { DESCRIPTION_LENGTH, jsDocText, jsString, SUMMARY_LENGTH } from '../text.ts';
import { discriminatorTags } from './discriminators.ts';
import {
  type AnswerBody,
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
import { immediateCycles } from './typeCycles.ts';
import { type Names, pascalCase, schemaNames, typeNames } from './typeNames.ts';
import {
  comment,
  isAtom,
  memberLines,
  memberName,
  NULL,
  type PropertyNode,
  STRING,
  type TypeNode,
  type TypeStyle,
  typeText,
  UNKNOWN,
  union,
} from './typeNode.ts';

/** Length that the comment of a member is cut to. */
const MEMBER_LENGTH = 160;
/** Inline types longer than this get a name of their own, so that signatures stay readable. */
const INLINE_LENGTH = 80;

/** Type of a query key, header or path value that the document does not describe. */
const SCALAR: TypeNode = union([STRING, { kind: 'atom', text: 'number' }, { kind: 'atom', text: 'boolean' }]);

interface Emission {
  surface: Surface;
  types: SchemaTypes;
  names: Names;
  schemas: Map<string, string>;
  /** Declarations of inline types that were given a name. */
  hoisted: string[];
  /** Their names, by the type's text: the same type is declared once. */
  hoistedNames: Map<string, string>;
}

/** Name of the namespace that holds the types of this client: `fleet` -> `FleetApi`. */
export function typesNamespace(client: string): string {
  return `${pascalCase(client)}Api`;
}

/**
 * A global declaration file for a program with the ES2023 library alone; `emitSandboxGlobals` declares the rest of what
 * it names. Same surface, same text.
 */
export function emitTypings(surface: Surface): string {
  const names = typeNames();
  const emission: Emission = {
    surface,
    types: { schemas: surface.schemas, tags: discriminatorTags(surface) },
    names,
    schemas: schemaNames(Object.keys(surface.schemas), names),
    hoisted: [],
    hoistedNames: new Map(),
  };
  const namespace = typesNamespace(surface.client);
  const schemas = schemaDeclarations(emission);
  const parts = operationParts(emission);
  const about = jsDocText(`${surface.title} ${surface.version}`.trim(), SUMMARY_LENGTH);
  return [
    `/** ${about} */\ndeclare const ${surface.client}: ${namespace}.Client;\n\n`,
    `/** Types of the client \`${surface.client}\`. */\ndeclare namespace ${namespace} {\n`,
    `${comment([`Methods of \`${surface.client}\`, one per operation of the vendor document.`], '  ')}  interface Client {\n${parts.methods}  }\n\n`,
    `${comment(['Body of every documented answer, by operation and status.'], '  ')}  interface Answers {\n${parts.answers}  }\n\n`,
    `${comment(['Body of the error of a refused or failed call, by operation.'], '  ')}  interface Errors {\n${parts.errors}  }\n`,
    ...[...emission.hoisted, ...schemas].map((declaration) => `\n${declaration}`),
    '}\n',
    `\n${ERROR_TYPE}`,
  ].join('');
}

const ERROR_TYPE = `/** What every method of the client rejects with. There is no such class in the sandbox: look at \`error.name\`. */
interface VendorCallError<Body = unknown> extends Error {
  readonly name: "VendorCallError";
  /** Status of the answer; 0 where the client refused the call. */
  readonly status: number;
  /** Who refused: the client before sending, the broker, or the vendor itself. */
  readonly origin: "client" | "broker" | "vendor";
  /** Whether the call reached the vendor. */
  readonly sent: "no" | "maybe" | "yes";
  /** \`none\`: nothing happened by this attempt. \`refused\`: the vendor said no. \`unknown\`: it may have happened. */
  readonly outcome: "none" | "refused" | "unknown";
  /** Milliseconds to wait before the next attempt; 0 where nothing asks for a wait. */
  readonly retryAfterMs: number;
  /** Body of the answer, or null. */
  readonly body: Body;
}
`;

function style(emission: Emission, indent: number | undefined): TypeStyle {
  const reference = (name: string): string => emission.schemas.get(name) ?? 'unknown';
  return indent === undefined
    ? { reference, commentLength: 0 }
    : { indent, reference, commentLength: MEMBER_LENGTH };
}

function schemaDeclarations(emission: Emission): string[] {
  const nodes = new Map<string, TypeNode>();
  for (const name of emission.schemas.keys()) nodes.set(name, typeOfNamed(name, emission.types));
  const circular = immediateCycles(nodes);
  return Object.keys(emission.surface.schemas).map((name) => {
    const node = circular.has(name) ? UNKNOWN : (nodes.get(name) ?? UNKNOWN);
    return `${schemaComment(emission.surface.schemas[name])}${declaration(emission, emission.schemas.get(name) ?? '', node)}`;
  });
}

function schemaComment(schema: Schema | undefined): string {
  if (typeof schema !== 'object') return '';
  const lines: string[] = [];
  const text = jsDocText(String(schema.description ?? schema.title ?? ''), SUMMARY_LENGTH);
  if (text !== '') lines.push(text);
  if (schema.deprecated === true) lines.push('@deprecated');
  return comment(lines, '  ');
}

/** Objects are interfaces: they may refer to themselves, and editors show them by name. */
function declaration(emission: Emission, name: string, node: TypeNode): string {
  if (node.kind === 'object' && (node.properties.length > 0 || node.index !== undefined)) {
    const members = memberLines(node, { ...style(emission, 2), indent: 2 });
    return `  interface ${name} {\n${members}  }\n`;
  }
  return `  type ${name} = ${typeText(node, style(emission, 1))};\n`;
}

interface OperationParts {
  methods: string;
  answers: string;
  errors: string;
}

function operationParts(emission: Emission): OperationParts {
  const parts: OperationParts = { methods: '', answers: '', errors: '' };
  for (const operation of methods(emission.surface)) {
    const reason = refusal(operation);
    if (operation.grant === null || reason !== undefined) {
      parts.methods += deniedMethod(operation, reason ?? '');
      continue;
    }
    parts.methods += method(emission, operation, operation.grant);
    const name = memberName(operation.name);
    parts.answers += answersMember(emission, operation, name);
    parts.errors += `    ${name}: ${errorType(operation)};\n`;
  }
  return parts;
}

function deniedMethod(operation: Operation, reason: string): string {
  // A route of the grant could end the comment: the path template says the same.
  const why = operation.unusable === undefined ? 'not granted: the grant has no line for it' : reason;
  const lines = [routeLine(operation), '', `@deprecated ${jsDocText(why, SUMMARY_LENGTH)}`];
  return `${comment(lines, '    ')}    ${memberName(operation.name)}(...args: never[]): never;\n`;
}

function routeLine(operation: Operation): string {
  return `${operation.method} ${jsDocText(operation.path, SUMMARY_LENGTH)}`;
}

function method(emission: Emission, operation: Operation, grant: OperationGrant): string {
  const shape = operationShape(operation, grant);
  const result = methodResult(emission, operation);
  const head = `${methodComment(operation, grant, shape)}    ${memberName(operation.name)}`;
  return `${head}(${methodArguments(emission, operation, shape).join(', ')}): Promise<${result}>;\n`;
}

function methodComment(operation: Operation, grant: OperationGrant, shape: OperationShape): string {
  const lines = [
    routeLine(operation),
    '',
    ['Granted.', ...grantNotes(operation, grant).map((note) => jsDocText(note))].join(' '),
  ];
  if (shape.body?.kind === 'form') lines.push('', 'The body is sent as a form.');
  if (shape.body?.kind === 'none') {
    lines.push('', `The client cannot send its body: ${jsDocText(shape.body.mediaType, SUMMARY_LENGTH)}.`);
  }
  const summary = jsDocText(operation.summary ?? '', SUMMARY_LENGTH);
  const description = jsDocText(operation.description ?? '', DESCRIPTION_LENGTH);
  if (summary !== '') lines.push('', summary);
  if (description !== '' && description !== summary) lines.push('', description);
  const documented = shape.path.flatMap((path) => {
    const text = jsDocText(path.parameter?.description ?? '', SUMMARY_LENGTH);
    return text === '' ? [] : [`@param ${path.argument} ${text}`];
  });
  if (documented.length > 0) lines.push('', ...documented);
  if (operation.deprecated) lines.push('', '@deprecated The vendor document marks it so.');
  return comment(lines, '    ');
}

function methodArguments(emission: Emission, operation: Operation, shape: OperationShape): string[] {
  const base = pascalCase(operation.name);
  const list = shape.path.map(({ argument, parameter }) => {
    const type = parameter === undefined ? STRING : typeOfSchema(parameter.schema, emission.types);
    return `${argument}: ${named(emission, `${base}${pascalCase(argument)}`, type)}`;
  });
  const optionsRequired = shape.options?.required === true;
  if (shape.body !== undefined) {
    const type = bodyType(emission, shape.body.content?.schema, shape.body.kind);
    const text = named(emission, `${base}Body`, type);
    list.push(argumentText(shape.body.argument, text, shape.body.required, optionsRequired));
  }
  if (shape.options !== undefined) {
    const text = named(emission, `${base}Options`, optionsType(emission, shape.options));
    list.push(argumentText(shape.options.argument, text, optionsRequired, false));
  }
  return list;
}

/** An optional argument before a required one has to be passed as `undefined`. */
function argumentText(name: string, type: string, required: boolean, followedByRequired: boolean): string {
  if (required) return `${name}: ${type}`;
  return followedByRequired ? `${name}: ${type} | undefined` : `${name}?: ${type}`;
}

function bodyType(emission: Emission, schema: Schema | undefined, kind: 'json' | 'form' | 'none'): TypeNode {
  if (kind === 'none') return { kind: 'atom', text: 'undefined' };
  return schema === undefined ? UNKNOWN : typeOfSchema(schema, emission.types);
}

function optionsType(emission: Emission, options: NonNullable<OperationShape['options']>): TypeNode {
  const groups: [string, OptionKey[]][] = [
    ['query', options.query],
    ['headers', options.headers],
  ];
  const properties = groups
    .filter(([, keys]) => keys.length > 0)
    .map(([name, keys]): PropertyNode => {
      const members = keys.map((key) => optionMember(emission, key));
      const optional = members.every((member) => member.optional);
      return { name, type: { kind: 'object', properties: members }, optional, readonly: false };
    });
  const signal: TypeNode = { kind: 'atom', text: 'AbortSignal' };
  properties.push({ name: 'signal', type: signal, optional: true, readonly: false });
  return { kind: 'object', properties };
}

function optionMember(emission: Emission, key: OptionKey): PropertyNode {
  const { name, parameter } = key;
  if (parameter === undefined) return { name, type: SCALAR, optional: true, readonly: false };
  return {
    name,
    type: typeOfSchema(parameter.schema, emission.types),
    optional: !parameter.required,
    readonly: false,
    ...(parameter.description === undefined ? {} : { description: parameter.description }),
    ...(parameter.deprecated === true ? { deprecated: true } : {}),
  };
}

function methodResult(emission: Emission, operation: Operation): string {
  const bodies = successes(operation);
  const type = bodies.length === 0 ? UNKNOWN : union(bodies.map((body) => answerType(emission, body)));
  return named(emission, `${pascalCase(operation.name)}Answer`, type);
}

function answerType(emission: Emission, body: AnswerBody): TypeNode {
  if (body.kind === 'none') return NULL;
  if (body.kind === 'text') return STRING;
  return body.content === undefined ? UNKNOWN : typeOfSchema(body.content.schema, emission.types);
}

function answersMember(emission: Emission, operation: Operation, name: string): string {
  const base = pascalCase(operation.name);
  const members = operation.answers.map((answer) => {
    const type = answerType(emission, answerBody(operation, answer));
    return `${statusName(answer.status)}: ${named(emission, `${base}Answer${pascalCase(answer.status).replace(/^_/, '')}`, type)}`;
  });
  return `    ${name}: {${members.length === 0 ? '' : ` ${members.join('; ')} `}};\n`;
}

function errorType(operation: Operation): string {
  const statuses = failures(operation).map((body) => jsString(body.answer.status));
  if (statuses.length === 0) return 'unknown';
  return `Answers[${jsString(operation.name)}][${statuses.join(' | ')}]`;
}

function statusName(status: string): string {
  return /^\d{3}$/.test(status) ? status : jsString(status);
}

/** The type's text where it is short or only a reference, else the name of a declaration made for it. */
function named(emission: Emission, wanted: string, type: TypeNode): string {
  const inline = typeText(type, style(emission, undefined));
  if (inline.length <= INLINE_LENGTH || isAtom(type, 'unknown')) return inline;
  const known = emission.hoistedNames.get(inline);
  if (known !== undefined) return known;
  const name = emission.names.claim(wanted);
  emission.hoistedNames.set(inline, name);
  emission.hoisted.push(declaration(emission, name, type));
  return name;
}
