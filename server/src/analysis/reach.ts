/** Which exports reach which code of the file. An over-estimate: every mention of a function counts as a call. */
import ts from 'typescript';
import type { AnalysedFile, ExportedMember } from './analysedFile.ts';
import { eachNode, isFunctionNode, memberOf, propertyName } from './syntax.ts';

export class Reach {
  /** Functions by the name of the member that they are. */
  readonly #byMember = new Map<string, ts.Node[]>();
  readonly #reached = new Map<string, Set<ts.Node>>();

  constructor(readonly file: AnalysedFile) {
    eachNode(file.sourceFile, (node) => this.#collect(node));
    for (const member of file.exports) this.#reached.set(member.name, this.#from(member));
  }

  /** Names of the exports that reach the node, in the order in which they are exported. */
  reachedFrom(node: ts.Node): string[] {
    return this.file.exports
      .filter(({ name }) => {
        const reached = this.#reached.get(name);
        for (let at = node; reached !== undefined && at !== undefined; at = at.parent) {
          if (reached.has(at)) return true;
        }
        return false;
      })
      .map(({ name }) => name);
  }

  #collect(node: ts.Node): void {
    if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) this.#add(propertyName(node.name), node);
    if (
      (ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) &&
      isFunctionNode(node.initializer)
    ) {
      this.#add(propertyName(node.name), node.initializer);
    }
    if (ts.isBinaryExpression(node) && isFunctionNode(node.right)) {
      this.#add(memberOf(node.left)?.name ?? null, node.right);
    }
  }

  #add(name: string | null, fn: ts.Node): void {
    if (name === null) return;
    const known = this.#byMember.get(name);
    if (known === undefined) this.#byMember.set(name, [fn]);
    else known.push(fn);
  }

  #from(member: ExportedMember): Set<ts.Node> {
    const reached = new Set<ts.Node>();
    const waiting: ts.Node[] = [member.function ?? member.nameNode.parent];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (reached.has(node)) continue;
      reached.add(node);
      eachNode(node, (inner) => {
        if (ts.isIdentifier(inner)) waiting.push(...this.#meant(inner));
      });
    }
    return reached;
  }

  #meant(name: ts.Identifier): ts.Node[] {
    const { parent } = name;
    if (ts.isPropertyAccessExpression(parent) && parent.name === name)
      return this.#byMember.get(name.text) ?? [];
    const declaration = this.file.declarationOf(name);
    if (declaration === null || ts.isParameter(declaration)) return [];
    // `const { get } = table`: the whole declaration tells where it comes from.
    const whole = ts.findAncestor(declaration, (at) => ts.isVariableDeclaration(at) || ts.isStatement(at));
    return whole === undefined || !ts.isVariableDeclaration(whole) ? [declaration] : [whole];
  }
}
