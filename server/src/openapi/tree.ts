/**
 * The tree of a YAML or JSON file with its places: one form over both parsers. Offsets are kept, positions are
 * worked out when asked for. Keys are looked up by scanning or through a Map, never as object properties.
 */
import type { Json } from '../../../shared/src/json.ts';
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { SourceRange } from '../../../shared/src/surface/surface.ts';

export type Scalar = string | number | boolean | null;
export type TreeNode = ObjectNode | ArrayNode | ScalarNode;

/** Objects with more keys than this get a Map at the first look-up. */
const SCAN_KEYS = 12;

abstract class PlacedNode {
  readonly source: SourceText;
  readonly start: number;
  end: number;

  constructor(source: SourceText, start: number, end: number) {
    this.source = source;
    this.start = start;
    this.end = end;
  }

  get range(): SourceRange {
    return this.source.range(this.start, this.end);
  }
}

export class ScalarNode extends PlacedNode {
  readonly value: Scalar;

  constructor(source: SourceText, start: number, end: number, value: Scalar) {
    super(source, start, end);
    this.value = value;
  }

  /** As written: tells `2.0` from `2`. */
  get written(): string {
    return typeof this.value === 'string' ? this.value : this.source.text.slice(this.start, this.end);
  }
}

export class ArrayNode extends PlacedNode {
  readonly items: TreeNode[] = [];
}

export class ObjectNode extends PlacedNode {
  /** In the document's order, each once. */
  readonly keys: string[] = [];
  readonly values: TreeNode[] = [];
  /** Start and end offset of each key, flat. */
  readonly #keyOffsets: number[] = [];
  #index: Map<string, number> | undefined;

  /** False, and nothing added, where the key is there already. */
  add(key: string, keyStart: number, keyEnd: number, value: TreeNode): boolean {
    if (this.#find(key) !== -1) return false;
    this.#index?.set(key, this.keys.length);
    this.keys.push(key);
    this.values.push(value);
    this.#keyOffsets.push(keyStart, keyEnd);
    return true;
  }

  get(key: string): TreeNode | undefined {
    const at = this.#find(key);
    return at === -1 ? undefined : this.values[at];
  }

  has(key: string): boolean {
    return this.#find(key) !== -1;
  }

  /** Range of the key itself; of the whole object where it has no such key. */
  keyRange(key: string): SourceRange {
    const at = this.#find(key);
    if (at === -1) return this.range;
    return this.source.range(
      this.#keyOffsets[at * 2] ?? this.start,
      this.#keyOffsets[at * 2 + 1] ?? this.end,
    );
  }

  *entries(): Generator<[string, TreeNode]> {
    for (let i = 0; i < this.keys.length; i += 1) {
      const value = this.values[i];
      if (value !== undefined) yield [this.keys[i] ?? '', value];
    }
  }

  #find(key: string): number {
    if (this.keys.length <= SCAN_KEYS) return this.keys.indexOf(key);
    this.#index ??= new Map(this.keys.map((known, at) => [known, at]));
    return this.#index.get(key) ?? -1;
  }
}

export function isObject(node: TreeNode | undefined): node is ObjectNode {
  return node instanceof ObjectNode;
}

export function isArray(node: TreeNode | undefined): node is ArrayNode {
  return node instanceof ArrayNode;
}

export function isScalar(node: TreeNode | undefined): node is ScalarNode {
  return node instanceof ScalarNode;
}

/** The string that a node is, or nothing. */
export function stringOf(node: TreeNode | undefined): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** True only for the boolean `true`. */
export function isTrue(node: TreeNode | undefined): boolean {
  return isScalar(node) && node.value === true;
}

export function objectAt(node: TreeNode | undefined, key: string): ObjectNode | undefined {
  const value = isObject(node) ? node.get(key) : undefined;
  return isObject(value) ? value : undefined;
}

export function stringAt(node: TreeNode | undefined, key: string): string | undefined {
  return isObject(node) ? stringOf(node.get(key)) : undefined;
}

/** Items of an array, or none. */
export function itemsOf(node: TreeNode | undefined): readonly TreeNode[] {
  return isArray(node) ? node.items : [];
}

/** Entries of an object, or none. */
export function entriesOf(node: TreeNode | undefined): Iterable<[string, TreeNode]> {
  return isObject(node) ? node.entries() : [];
}

/** Texts of an array, others left out. */
export function stringsOf(node: TreeNode | undefined): string[] {
  return itemsOf(node).flatMap((item) => stringOf(item) ?? []);
}

/** Entries of the object under a key, or none. */
export function entriesAt(node: TreeNode | undefined, key: string): Iterable<[string, TreeNode]> {
  return entriesOf(objectAt(node, key));
}

/** Plain JSON; objects have no prototype. */
export function toJson(node: TreeNode): Json {
  if (isScalar(node)) return node.value;
  if (isArray(node)) return node.items.map(toJson);
  const object: { [key: string]: Json } = Object.create(null);
  for (const [key, value] of node.entries()) object[key] = toJson(value);
  return object;
}
