/** loadline.json as an editor meets it: what stands at a place, read with comments and errors in it. */
import { findNodeAtLocation, getNodePath, type Node, parseTree, visit } from 'jsonc-parser';
import type { FileContext } from './feature.ts';

export type ConfigPath = (string | number)[];

export interface ConfigNode {
  node: Node;
  /** Of the value, or of the value that the key names. */
  path: ConfigPath;
  isKey: boolean;
}

/** A text that is a value. */
export interface ConfigString {
  path: ConfigPath;
  value: string;
  node: Node;
}

export function configTree({ document }: FileContext): Node | undefined {
  return parseTree(document.getText(), [], { allowTrailingComma: true });
}

/** The key or the plain value that the offset is in or at an end of. */
export function configNodeAt(context: FileContext, offset: number): ConfigNode | null {
  const root = configTree(context);
  const node = root && leafAt(root, offset);
  if (node === undefined) return null;
  const isKey = node.parent?.type === 'property' && node.parent.children?.[0] === node;
  return { node, path: getNodePath(node), isKey };
}

/** Texts of the file that are values, in order. */
export function configStrings(context: FileContext): ConfigString[] {
  const root = configTree(context);
  return root ? stringsIn(root) : [];
}

/** Keys of the object at a path. */
export function keysOf(context: FileContext, path: ConfigPath): string[] {
  const root = configTree(context);
  const owner = root && findNodeAtLocation(root, path);
  return owner?.children?.map(({ children }) => String(children?.[0]?.value)) ?? [];
}

export function isInComment({ document }: FileContext, offset: number): boolean {
  const text = document.getText();
  let found = false;
  visit(text, {
    onComment: (start, length) => {
      const isLine = text[start + 1] === '/';
      found ||= start < offset && offset < start + length + (isLine ? 1 : 0);
    },
  });
  return found;
}

function leafAt(node: Node, offset: number): Node | undefined {
  if (offset < node.offset || offset > node.offset + node.length) return undefined;
  if (node.children === undefined) return node;
  for (const child of node.children) {
    const found = leafAt(child, offset);
    if (found) return found;
  }
  return undefined;
}

function stringsIn(node: Node): ConfigString[] {
  if (node.type === 'property') return node.children?.slice(1).flatMap(stringsIn) ?? [];
  if (node.children) return node.children.flatMap(stringsIn);
  return typeof node.value === 'string' ? [{ path: getNodePath(node), value: node.value, node }] : [];
}
