/** Aliases that are made of themselves without an object or array between: TypeScript refuses them. */
import type { TypeNode } from './typeNode.ts';

/** Names of the types that have to be cut (written as `unknown`) so that no alias is made of itself. */
export function immediateCycles(nodes: ReadonlyMap<string, TypeNode>): Set<string> {
  const cut = new Set<string>();
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name) || cut.has(name)) return;
    if (open.has(name)) {
      cut.add(name);
      return;
    }
    open.add(name);
    const node = nodes.get(name);
    // An interface may refer to itself.
    if (node !== undefined && node.kind !== 'object') for (const next of immediate(node)) visit(next);
    open.delete(name);
    done.add(name);
  };
  for (const name of nodes.keys()) visit(name);
  return cut;
}

function immediate(node: TypeNode): string[] {
  switch (node.kind) {
    case 'named':
      return [node.name];
    case 'union':
    case 'intersection':
      return node.members.flatMap(immediate);
    default:
      return [];
  }
}
