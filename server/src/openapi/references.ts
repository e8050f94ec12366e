/**
 * `$ref` over the placed trees: lazily, one at a time, never the whole document. Files come from the confined
 * resolver; an address with a scheme is never followed.
 */
import { posix } from 'node:path';
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Diagnostic } from '../../../shared/src/surface/surface.ts';
import { FileRefused, type FileSource } from './files.ts';
import { parseTree } from './parse.ts';
import type { ParsedTree } from './problems.ts';
import { isArray, isObject, type ObjectNode, stringAt, stringOf, type TreeNode } from './tree.ts';

/** A place that a reference passed: file and JSON Pointer (already decoded tokens). */
export interface Place {
  file: string;
  tokens: string[];
}

export type Resolution =
  /** `trail`: every place on the way, the last one is the node's. */
  { ok: true; node: TreeNode; trail: Place[] } | { ok: false; code: string; message: string };

export class References {
  #files: FileSource;
  readonly #trees = new Map<string, ParsedTree & { source: SourceText }>();
  readonly #refused = new Set<string>();
  #opened = new Set<string>();
  readonly #anchors = new Map<TreeNode, Map<string, TreeNode>>();
  /** References that a pointer is just leading through: one that leads through itself ends there. */
  readonly #passing = new Set<TreeNode>();
  /** `$self` of the main document (3.2): references that start with it stay inside. */
  #self: { uri: string; file: string } | undefined;

  constructor(files: FileSource) {
    this.#files = files;
  }

  /** @throws FileRefused */
  open(file: string): TreeNode | null {
    this.#opened.add(file);
    const known = this.#trees.get(file);
    if (known) return known.root;
    const source = this.#read(file);
    const tree = parseTree(source);
    this.#trees.set(file, { ...tree, source });
    return tree.root;
  }

  /** Names the main document's own address. */
  setSelf(uri: string, file: string): void {
    this.#self = { uri: uri.split('#')[0] ?? uri, file };
  }

  /** Files opened since the last call of `restart`, in the order of their first use. */
  opened(): string[] {
    return [...this.#opened];
  }

  /** Every file opened so far and still held. */
  held(): string[] {
    return [...this.#trees.keys()];
  }

  /** Whether every file that was asked for could be read. */
  complete(): boolean {
    return this.#refused.size === 0;
  }

  /**
   * Counts opened files anew, from those of `files` on; from now on files are read from `source`, where it is given.
   * The trees are kept: the caller answers for it that the files held are the same there.
   */
  restart(files: readonly string[], source?: FileSource): void {
    this.#opened = new Set(files);
    if (source) this.#files = source;
  }

  /** What is wrong with the texts of these files. */
  syntax(files: Iterable<string>): Diagnostic[] {
    return [...files].flatMap((file) => {
      const tree = this.#trees.get(file);
      if (!tree) return [];
      return tree.problems.map(({ start, end, ...problem }) => ({
        ...problem,
        range: tree.source.range(start, end),
      }));
    });
  }

  /**
   * Follows `node`'s `$ref` (or `$dynamicRef`) and those it leads to. A schema on the way that has keywords beside its
   * reference is where a schema's way ends; objects other than schemas have no such siblings.
   */
  resolve(node: ObjectNode, kind: 'schema' | 'object'): Resolution {
    return this.#resolve(node, kind, []);
  }

  /** Like `resolve`, from the text of a reference to a schema in `file`. */
  follow(reference: string, file: string): Resolution {
    const first = this.locate(reference, file);
    if (!first.ok || !isPlainReference(first.node)) return first;
    return this.#resolve(first.node, 'schema', first.trail);
  }

  #resolve(node: ObjectNode, kind: 'schema' | 'object', before: readonly Place[]): Resolution {
    const trail = [...before];
    const seen = new Set<TreeNode>();
    let current = node;
    for (;;) {
      if (seen.has(current)) {
        return refusal('document-cyclic-ref', 'This reference leads back to itself; let it name a schema.');
      }
      seen.add(current);
      const step = this.#step(current);
      if (!step.ok) return step;
      trail.push(...step.trail);
      const ends = kind === 'schema' ? !isPlainReference(step.node) : referenceOf(step.node) === undefined;
      if (ends || !isObject(step.node)) return { ok: true, node: step.node, trail };
      current = step.node;
    }
  }

  /** Where a reference text leads, seen from a file. One step. */
  locate(reference: string, from: string): Resolution {
    const target = this.#split(reference, from);
    if (!('file' in target)) return target;
    const root = this.#root(target.file);
    if (root !== null && 'ok' in root) return root;
    if (root === null)
      return refusal('document-dangling-ref', `The file "${target.file}" has nothing in it.`);
    const found = this.#find(root, target.fragment);
    if (!found) {
      const where = target.file === from ? 'This document' : `The file "${target.file}"`;
      return refusal('document-dangling-ref', `${where} has nothing at "#${target.fragment}".`);
    }
    return { ok: true, node: found.node, trail: [{ file: target.file, tokens: found.tokens }] };
  }

  #step(node: ObjectNode): Resolution {
    const reference = referenceOf(node);
    if (reference === undefined) {
      return refusal('document-dangling-ref', 'A reference has to be a text.');
    }
    return this.locate(reference, node.source.file);
  }

  #split(reference: string, from: string): { file: string; fragment: string } | (Resolution & { ok: false }) {
    const hash = reference.indexOf('#');
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = decode(hash === -1 ? '' : reference.slice(hash + 1));
    if (fragment === undefined)
      return refusal('document-dangling-ref', 'This reference has a broken % escape.');
    if (address === '') return { file: from, fragment };
    if (this.#self !== undefined && address === this.#self.uri) return { file: this.#self.file, fragment };
    if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) {
      return refusal(
        'document-url-ref',
        'References to addresses are not followed; save the file in the project folder.',
      );
    }
    const path = decode(address);
    if (path === undefined) return refusal('document-dangling-ref', 'This reference has a broken % escape.');
    if (path.startsWith('/') || path.includes('\\')) {
      return refusal('document-outside-ref', 'A reference names a file relative to its own, with "/".');
    }
    const file = posix.normalize(posix.join(posix.dirname(from), path));
    if (file === '..' || file.startsWith('../')) {
      return refusal('document-outside-ref', 'This file lies outside the project folder and is not read.');
    }
    return { file, fragment };
  }

  #read(file: string): SourceText {
    try {
      return this.#files.read(file);
    } catch (error) {
      this.#opened.delete(file);
      this.#refused.add(file);
      throw error;
    }
  }

  #root(file: string): TreeNode | null | (Resolution & { ok: false }) {
    try {
      return this.open(file);
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      return refusal(REFUSAL_CODES[error.reason], error.message);
    }
  }

  #find(root: TreeNode, fragment: string): { node: TreeNode; tokens: string[] } | undefined {
    if (fragment !== '' && !fragment.startsWith('/')) {
      const node = this.#anchorsOf(root).get(fragment);
      return node && { node, tokens: [fragment] };
    }
    const tokens = fragment.split('/').slice(1).map(unescapeToken);
    let node: TreeNode | undefined = root;
    for (const [index, token] of tokens.entries()) {
      node = child(node, token);
      if (node === undefined) return undefined;
      if (isPlainReference(node) && index < tokens.length - 1) node = this.#through(node);
    }
    return { node, tokens };
  }

  /** Pointers that lead through a reference are common in split documents. */
  #through(node: ObjectNode): TreeNode {
    if (this.#passing.has(node)) return node;
    this.#passing.add(node);
    const target = this.resolve(node, 'schema');
    this.#passing.delete(node);
    return target.ok ? target.node : node;
  }

  #anchorsOf(root: TreeNode): Map<string, TreeNode> {
    const known = this.#anchors.get(root);
    if (known) return known;
    const anchors = new Map<string, TreeNode>();
    collectAnchors(root, anchors);
    this.#anchors.set(root, anchors);
    return anchors;
  }
}

const REFUSAL_CODES = {
  outside: 'document-outside-ref',
  limit: 'document-limit',
  unreadable: 'document-dangling-ref',
} as const;

function refusal(code: string, message: string): Resolution & { ok: false } {
  return { ok: false, code, message };
}

/** The text of `$ref` or `$dynamicRef`, or nothing. In a map of `properties` the caller must not ask. */
export function referenceOf(node: TreeNode): string | undefined {
  return stringAt(node, '$ref') ?? stringAt(node, '$dynamicRef');
}

/** Nothing but a reference: no keyword beside it. */
function isPlainReference(node: TreeNode): node is ObjectNode {
  return isObject(node) && node.keys.length === 1 && referenceOf(node) !== undefined;
}

function child(node: TreeNode, token: string): TreeNode | undefined {
  if (isObject(node)) return node.get(token);
  if (isArray(node) && /^(0|[1-9]\d{0,8})$/.test(token)) return node.items[Number(token)];
  return undefined;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function collectAnchors(node: TreeNode, anchors: Map<string, TreeNode>): void {
  if (isArray(node)) for (const item of node.items) collectAnchors(item, anchors);
  if (!isObject(node)) return;
  for (const key of ['$anchor', '$dynamicAnchor']) {
    const name = stringOf(node.get(key));
    if (name !== undefined && !anchors.has(name)) anchors.set(name, node);
  }
  for (const value of node.values) collectAnchors(value, anchors);
}
