/** Names of schemas that are referred to: unique over all files, the same however the grant is ordered where they can be. */
import { posix } from 'node:path';
import type { Place } from './references.ts';
import type { TreeNode } from './tree.ts';

/** Steps of a pointer that say nothing about what is named. */
const EMPTY_STEPS = new Set([
  'components',
  'definitions',
  'schemas',
  'properties',
  '$defs',
  'content',
  'schema',
  'paths',
]);

export class SchemaNames {
  readonly #names = new Map<TreeNode, string>();
  readonly #owners = new Map<string, TreeNode>();
  /** Names of the main document's components, claimed or not. */
  readonly #reserved: Set<string>;
  readonly #file: string;

  /** `own`: the component names of the main document; nothing from another file takes one of them. */
  constructor(file: string, own: Iterable<string>) {
    this.#file = file;
    this.#reserved = new Set([...own].map(withoutPointerSigns));
  }

  known(node: TreeNode): string | undefined {
    return this.#names.get(node);
  }

  /** The name of the schema that a reference led to, by the places it passed. */
  claim(node: TreeNode, trail: readonly Place[]): string {
    const known = this.#names.get(node);
    if (known !== undefined) return known;
    const component = trail.find((place) => place.file === this.#file && isComponent(place));
    const own = component && withoutPointerSigns(component.tokens.at(-1) ?? '');
    // Two components can come to one name: `a/b` and `a_b`.
    const name = own !== undefined && !this.#owners.has(own) ? own : this.#free(trail.at(-1));
    this.#owners.set(name, node);
    this.#names.set(node, name);
    return name;
  }

  #isTaken(name: string): boolean {
    return this.#reserved.has(name) || this.#owners.has(name);
  }

  #free(place: Place | undefined): string {
    const wanted = place ? nameOf(place) : 'Schema';
    if (!this.#isTaken(wanted)) return wanted;
    const fromFile = `${wanted}_${stem(place?.file ?? '')}`;
    if (!this.#isTaken(fromFile)) return fromFile;
    let number = 2;
    while (this.#isTaken(`${fromFile}_${number}`)) number += 1;
    return `${fromFile}_${number}`;
  }
}

/** `#/components/schemas/X` or `#/definitions/X`. */
function isComponent({ tokens }: Place): boolean {
  return (
    (tokens.length === 3 && tokens[0] === 'components' && tokens[1] === 'schemas') ||
    (tokens.length === 2 && tokens[0] === 'definitions')
  );
}

function nameOf(place: Place): string {
  if (isComponent(place)) return withoutPointerSigns(place.tokens.at(-1) ?? '');
  const telling = place.tokens.filter((token) => !EMPTY_STEPS.has(token));
  const text = telling.length === 0 ? stem(place.file) : telling.join('_');
  return text.replace(/[^\p{L}\p{N}_.-]+/gu, '_').replace(/^_+|_+$/g, '') || 'Schema';
}

function stem(file: string): string {
  return posix.basename(file).replace(/\.[^.]+$/, '');
}

/** `#/schemas/<Name>` is read as text and as a JSON Pointer: both have to give the same. */
function withoutPointerSigns(name: string): string {
  return name.replace(/[~/%#]/g, '_');
}
