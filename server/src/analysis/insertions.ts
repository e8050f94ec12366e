/** What is inserted into the author's text so that TypeScript types a plain CommonJS adapter by its contract. */
import ts from 'typescript';
import type { FunctionNode } from './analysedFile.ts';
import type { ClientParameter } from './clientHolders.ts';
import type { ExportModel } from './exportModel.ts';
import { eachNode } from './syntax.ts';
import type { Insertion } from './virtualText.ts';

/** Names of types in the virtual declarations. */
export interface TypeNames {
  /** The contract's adapter: `FleetContract.Adapter`. */
  adapter: string;
  /** The client: `FleetApi.Client`. */
  client: string;
  /** An error caught from a client call. */
  thrown: string;
}

/** The catch variable in place of the author's, which becomes a `let` of the block. */
const CAUGHT = '$caught';

export function typingInsertions(
  sourceFile: ts.SourceFile,
  model: ExportModel,
  clientParameters: readonly ClientParameter[],
  types: TypeNames,
  contractExports: ReadonlySet<string>,
): Insertion[] {
  const insertions: Insertion[] = [];
  const tagged = new Set<FunctionNode>();
  for (const member of model.members) {
    const { function: fn, name } = member;
    if (fn === null || !member.typed || !contractExports.has(name) || tagged.has(fn)) continue;
    tagged.add(fn);
    insertions.push(functionTag(fn, sourceFile, `${types.adapter}[${JSON.stringify(name)}]`));
  }
  for (const { parameter, path } of clientParameters) {
    if (!isTypedBy(parameter, tagged)) {
      insertions.push({
        at: parameter.getStart(sourceFile),
        text: `/** @type {${holderType(path, types)}} */`,
      });
    }
  }
  if (model.literal !== null) insertions.push(...literalWrap(model.literal, sourceFile, types));
  eachNode(sourceFile, (node) => {
    if (ts.isCatchClause(node)) insertions.push(...catchTyping(node, sourceFile, types));
  });
  return insertions;
}

function isTypedBy(parameter: ts.ParameterDeclaration, tagged: ReadonlySet<FunctionNode>): boolean {
  const { parent } = parameter;
  return tagged.has(parent as FunctionNode);
}

function holderType(path: readonly string[], types: TypeNames): string {
  return path.reduceRight(
    (inner, name) => `{ ${JSON.stringify(name)}: ${inner}; [other: string]: any }`,
    types.client,
  );
}

/**
 * TypeScript reads the last comment before a function. On the line of a preceding `{` or `;` a comment would belong to
 * what stands before, so methods and declarations get a line of their own; an expression must not, after `return`.
 */
function functionTag(fn: FunctionNode, sourceFile: ts.SourceFile, type: string): Insertion {
  const isExpression = ts.isArrowFunction(fn) || ts.isFunctionExpression(fn);
  return { at: fn.getStart(sourceFile), text: `${isExpression ? '' : '\n'}/** @type {${type}} */ ` };
}

/** Without it nothing completes the names of the contract in the exported object. */
function literalWrap(
  literal: ts.ObjectLiteralExpression,
  sourceFile: ts.SourceFile,
  types: TypeNames,
): Insertion[] {
  // `any` for other members: `this.helper` in a method is the author's own.
  const type = `Partial<${types.adapter}> & { [other: string]: any }`;
  return [
    { at: literal.getStart(sourceFile), text: `/** @satisfies {${type}} */(` },
    { at: literal.getEnd(), text: ')' },
  ];
}

/** `catch (e) { … }` becomes `catch ($caught) { let e = ($caught); { … } }`: a catch variable takes no type. */
function catchTyping(clause: ts.CatchClause, sourceFile: ts.SourceFile, types: TypeNames): Insertion[] {
  const { variableDeclaration: variable, block } = clause;
  // Half-typed: a missing parenthesis or brace is no place to insert at.
  if (variable === undefined || variable.getWidth(sourceFile) === 0) return [];
  if (sourceFile.text[block.getStart(sourceFile)] !== '{' || sourceFile.text[block.end - 1] !== '}')
    return [];
  const closing = sourceFile.text.slice(variable.end, block.getStart(sourceFile));
  if (!closing.includes(')')) return [];
  return [
    { at: variable.getStart(sourceFile), text: `${CAUGHT}){let ` },
    { at: variable.end, text: ` = /** @type {${types.thrown}} */(${CAUGHT}` },
    { at: block.getStart(sourceFile), text: ';' },
    { at: block.end, text: '}' },
  ];
}
