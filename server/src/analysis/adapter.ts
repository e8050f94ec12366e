/** One adapter in the program: its virtual text, its export model and, on demand, its tree with types. */
import ts from 'typescript';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { AnalysedFile, ClientUseNode, ExportedMember } from './analysedFile.ts';
import { ClientHolders } from './clientHolders.ts';
import { ClientUses } from './clientUse.ts';
import { typeNamesOf } from './declarations.ts';
import { type ExportModel, exportModel } from './exportModel.ts';
import type { TextSpan } from './facts.ts';
import { typingInsertions } from './insertions.ts';
import { VirtualText } from './virtualText.ts';

export interface AdapterContext {
  surface: Surface;
  contract: Contract;
  /** Parameters of each function of the contract. */
  arity: ReadonlyMap<string, number>;
}

export function adapterContext(surface: Surface, contract: Contract): AdapterContext {
  const arity = new Map(contract.exports.map(({ name, signature }) => [name, parameterCount(signature)]));
  return { surface, contract, arity };
}

function parameterCount(signature: string): number {
  const [statement] = ts.createSourceFile(
    'signature.ts',
    `type F = ${signature};`,
    ts.ScriptTarget.ES2023,
  ).statements;
  const isFunction =
    statement !== undefined && ts.isTypeAliasDeclaration(statement) && ts.isFunctionTypeNode(statement.type);
  return isFunction ? statement.type.parameters.length : 0;
}

/** Levels of the tree. More would overflow the stack of the type checker, for every file of the project. */
const DEEPEST = 500;

/** The author's text parsed alone, and what is inserted into it. */
export interface AdapterText {
  /** The text is nested too deeply to be analysed; an empty one stands in for it. */
  tooDeep: boolean;
  real: ts.SourceFile;
  model: ExportModel;
  virtual: VirtualText;
}

export function adapterText(file: string, text: string, context: AdapterContext): AdapterText {
  const real = parse(file, text);
  if (real === null) return { ...adapterText(file, '', context), tooDeep: true };
  const model = exportModel(real, context.arity);
  const insertions = typingInsertions(
    real,
    model,
    new ClientHolders(real, model.follower, context.surface.client).parameters,
    typeNamesOf(context.surface, context.contract),
    new Set(context.arity.keys()),
  );
  return { real, model, virtual: new VirtualText(text, insertions), tooDeep: false };
}

/** null: it is nested too deeply. */
function parse(file: string, text: string): ts.SourceFile | null {
  try {
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
    return isTooDeep(tree) ? null : tree;
  } catch (error) {
    // The parser's own stack overflowed.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Level by level, since a walk down would overflow as well. */
function isTooDeep(tree: ts.Node): boolean {
  let level: ts.Node[] = [tree];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    const next: ts.Node[] = [];
    for (const node of level) ts.forEachChild(node, (child) => void next.push(child));
    level = next;
  }
  return false;
}

/** The tree of one adapter's virtual text in a program, with what was found in it. */
export class AnalysedAdapter implements AnalysedFile {
  readonly exports: readonly ExportedMember[];
  readonly model: ExportModel;
  readonly #uses: ClientUses;

  constructor(
    readonly file: string,
    readonly sourceFile: ts.SourceFile,
    readonly checker: ts.TypeChecker,
    readonly virtual: VirtualText,
    readonly context: AdapterContext,
  ) {
    this.model = exportModel(sourceFile, context.arity);
    this.exports = this.model.members.filter((member) => context.arity.has(member.name));
    this.#uses = new ClientUses(sourceFile, checker, this.model.follower, context.surface);
  }

  get clientUses(): readonly ClientUseNode[] {
    return this.#uses.all();
  }

  operationOf(call: ts.Node): string | null {
    return this.#uses.operationOf(call);
  }

  isClient(expression: ts.Expression): boolean {
    return this.#uses.isClient(expression);
  }

  declarationOf(name: ts.Identifier): ts.Node | null {
    return this.model.scopes.declarationOf(name);
  }

  toReal(node: ts.Node): TextSpan | null {
    return this.virtual.realSpan(node.getStart(this.sourceFile), node.getEnd());
  }
}
