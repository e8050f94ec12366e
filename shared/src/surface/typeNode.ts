/** A TypeScript type as a small tree, and its text. What a schema means is decided in schemaTypes.ts, how it looks here. */
import { jsDocText, jsString } from '../text.ts';

export type TypeNode =
  /** A keyword, a literal or the text of a reference that needs no parentheses. */
  | { kind: 'atom'; text: string }
  /** A reference to a named schema. */
  | { kind: 'named'; name: string; without?: string }
  | { kind: 'union'; members: TypeNode[] }
  | { kind: 'intersection'; members: TypeNode[] }
  | { kind: 'array'; item: TypeNode }
  | { kind: 'tuple'; items: TypeNode[]; rest?: TypeNode }
  | { kind: 'object'; properties: PropertyNode[]; index?: TypeNode };

export interface PropertyNode {
  name: string;
  type: TypeNode;
  optional: boolean;
  readonly: boolean;
  /** Foreign text, not yet cleaned. */
  description?: string;
  deprecated?: boolean;
}

export const UNKNOWN: TypeNode = { kind: 'atom', text: 'unknown' };
export const NEVER: TypeNode = { kind: 'atom', text: 'never' };
export const NULL: TypeNode = { kind: 'atom', text: 'null' };
export const STRING: TypeNode = { kind: 'atom', text: 'string' };
export const OPEN_OBJECT: TypeNode = { kind: 'object', properties: [], index: UNKNOWN };

/** How a tree is written. */
export interface TypeStyle {
  /** `undefined`: everything on one line and without comments. Else the indentation of the line it starts on. */
  indent?: number;
  /** Text of a reference to a schema, by the schema's name in the surface. */
  reference: (name: string) => string;
  /** Length that comments are cut to. */
  commentLength: number;
}

/** One member of a union or an intersection: what stands there alone is that member. */
export function union(members: readonly TypeNode[]): TypeNode {
  const flat = distinct(members.flatMap((member) => (member.kind === 'union' ? member.members : [member])));
  if (flat.some((member) => isAtom(member, 'unknown'))) return UNKNOWN;
  const possible = flat.filter((member) => !isAtom(member, 'never'));
  const [only] = possible;
  if (only === undefined) return NEVER;
  return possible.length === 1 ? only : { kind: 'union', members: possible };
}

export function intersection(members: readonly TypeNode[]): TypeNode {
  const flat = distinct(
    members.flatMap((member) => (member.kind === 'intersection' ? member.members : [member])),
  ).filter((member) => !isAtom(member, 'unknown'));
  const [only] = flat;
  if (only === undefined) return UNKNOWN;
  return flat.length === 1 ? only : { kind: 'intersection', members: flat };
}

export function isAtom(node: TypeNode, text: string): boolean {
  return node.kind === 'atom' && node.text === text;
}

/** Text by which two types without comments can be told apart. */
export function keyOf(node: TypeNode): string {
  return typeText(node, { reference: (name) => jsString(name), commentLength: 0 });
}

function distinct(members: TypeNode[]): TypeNode[] {
  if (members.length < 2) return members;
  const seen = new Map<string, TypeNode>();
  for (const member of members) {
    const key = keyOf(member);
    if (!seen.has(key)) seen.set(key, member);
  }
  return [...seen.values()];
}

export function typeText(node: TypeNode, style: TypeStyle): string {
  switch (node.kind) {
    case 'atom':
      return node.text;
    case 'named':
      return node.without === undefined
        ? style.reference(node.name)
        : `Omit<${style.reference(node.name)}, ${jsString(node.without)}>`;
    case 'union':
      return unionText(node.members, style);
    case 'intersection':
      return node.members.map((member) => operand(member, style, ['union'])).join(' & ');
    case 'array':
      return `${operand(node.item, style, ['union', 'intersection'])}[]`;
    case 'tuple':
      return tupleText(node, style);
    case 'object':
      return objectText(node, style);
  }
}

/** A property's or method's name as it stands in an interface. `new` would be a construct signature. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'new' ? name : jsString(name);
}

/** A JSDoc comment of these lines (already clean), or nothing. */
export function comment(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** The members of an object type, one per line, without its braces. */
export function memberLines(
  node: TypeNode & { kind: 'object' },
  style: TypeStyle & { indent: number },
): string {
  const pad = '  '.repeat(style.indent);
  const lines = node.properties.map(
    (property) =>
      `${propertyComment(property, pad, style.commentLength)}${pad}${propertyText(property, style)};\n`,
  );
  if (node.index !== undefined) lines.push(`${pad}[key: string]: ${typeText(node.index, style)};\n`);
  return lines.join('');
}

function propertyText(property: PropertyNode, style: TypeStyle): string {
  const readonly = property.readonly ? 'readonly ' : '';
  const optional = property.optional ? '?' : '';
  return `${readonly}${memberName(property.name)}${optional}: ${typeText(property.type, style)}`;
}

function propertyComment(property: PropertyNode, pad: string, length: number): string {
  const lines: string[] = [];
  const description = jsDocText(property.description ?? '', length);
  if (description !== '') lines.push(description);
  if (property.deprecated === true) lines.push('@deprecated');
  return comment(lines, pad);
}

function unionText(members: readonly TypeNode[], style: TypeStyle): string {
  // `null` and `undefined` last: that is how people read "a robot, or nothing".
  const empties = members.filter((member) => isAtom(member, 'null') || isAtom(member, 'undefined'));
  const rest = members.filter((member) => !empties.includes(member));
  return [...rest, ...empties].map((member) => operand(member, style, ['intersection'])).join(' | ');
}

function operand(node: TypeNode, style: TypeStyle, wrapped: TypeNode['kind'][]): string {
  const text = typeText(node, style);
  return wrapped.includes(node.kind) ? `(${text})` : text;
}

function tupleText(node: TypeNode & { kind: 'tuple' }, style: TypeStyle): string {
  const items = node.items.map((item) => typeText(item, style));
  if (node.rest !== undefined) items.push(`...${operand(node.rest, style, ['union', 'intersection'])}[]`);
  return `[${items.join(', ')}]`;
}

function objectText(node: TypeNode & { kind: 'object' }, style: TypeStyle): string {
  if (node.properties.length === 0 && node.index === undefined) return 'Record<string, never>';
  if (style.indent === undefined || node.properties.length === 0) {
    const inline = { ...style, ...(style.indent === undefined ? {} : { indent: style.indent + 1 }) };
    const members = node.properties.map((property) => propertyText(property, inline));
    if (node.index !== undefined) members.push(`[key: string]: ${typeText(node.index, style)}`);
    return `{ ${members.join('; ')} }`;
  }
  const inner = { ...style, indent: style.indent + 1 };
  return `{\n${memberLines(node, inner)}${'  '.repeat(style.indent)}}`;
}
