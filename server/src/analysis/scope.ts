/** Which declaration a name means, by the nesting of the text alone: no types, no program, any half-typed file. */
import ts from 'typescript';

type Names = Map<string, ts.Node>;

/** Declarations of one source file by the block, function or file that they are visible in. */
export class Scopes {
  readonly #byScope = new Map<ts.Node, Names>();

  constructor(sourceFile: ts.SourceFile) {
    this.#collect(sourceFile);
  }

  /**
   * The declaration that the identifier refers to, or null where this file has none. A variable, parameter or binding
   * element gives its own node; functions, classes and imports theirs.
   */
  declarationOf(name: ts.Identifier): ts.Node | null {
    for (let node: ts.Node = name; node !== undefined; node = node.parent) {
      const found = this.#byScope.get(node)?.get(name.text);
      if (found !== undefined && !isOutside(name, node)) return found;
    }
    return null;
  }

  #declare(scope: ts.Node, name: ts.Node | undefined, declaration: ts.Node): void {
    if (name === undefined) return;
    if (ts.isIdentifier(name)) {
      const names = this.#byScope.get(scope) ?? new Map<string, ts.Node>();
      // A parameter and a `var` of the same name: the first is where its value comes from.
      if (!names.has(name.text)) names.set(name.text, declaration);
      this.#byScope.set(scope, names);
    } else if (ts.isObjectBindingPattern(name) || ts.isArrayBindingPattern(name)) {
      for (const element of name.elements) {
        if (ts.isBindingElement(element)) this.#declare(scope, element.name, element);
      }
    }
  }

  #collect(node: ts.Node): void {
    if (ts.isVariableDeclaration(node)) {
      this.#declare(variableScope(node), node.name, node);
    } else if (ts.isParameter(node)) {
      this.#declare(node.parent, node.name, node);
    } else if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
      this.#declare(blockScope(node.parent), node.name, node);
    } else if (ts.isFunctionExpression(node) || ts.isClassExpression(node)) {
      this.#declare(node, node.name, node);
    } else if (ts.isImportClause(node) || ts.isImportSpecifier(node) || ts.isNamespaceImport(node)) {
      this.#declare(node.getSourceFile(), node.name, node);
    }
    ts.forEachChild(node, (child) => this.#collect(child));
  }
}

/** A parameter's name is not visible in decorators or the computed name of its own method. */
function isOutside(name: ts.Node, scope: ts.Node): boolean {
  return ts.isMethodDeclaration(scope) && name.pos >= scope.name.pos && name.end <= scope.name.end;
}

function variableScope(declaration: ts.VariableDeclaration): ts.Node {
  const { parent } = declaration;
  if (ts.isCatchClause(parent)) return parent;
  const isVar = (parent.flags & ts.NodeFlags.BlockScoped) === 0;
  if (!isVar) return blockScope(parent);
  return functionScope(parent);
}

function blockScope(node: ts.Node): ts.Node {
  for (let at = node; at !== undefined; at = at.parent) {
    if (
      ts.isBlock(at) ||
      ts.isSourceFile(at) ||
      ts.isCaseBlock(at) ||
      ts.isForStatement(at) ||
      ts.isForInStatement(at) ||
      ts.isForOfStatement(at) ||
      ts.isFunctionLike(at)
    ) {
      return at;
    }
  }
  return node;
}

function functionScope(node: ts.Node): ts.Node {
  for (let at = node; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isSourceFile(at) || ts.isClassStaticBlockDeclaration(at)) return at;
  }
  return node;
}
