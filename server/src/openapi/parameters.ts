/** Parameters of an operation: its own and its path's, against the path template. */
import { didYouMean } from '../../../shared/src/nearest.ts';
import type { SourceRange } from '../../../shared/src/surface/surface.ts';
import type { ReadContext } from './context.ts';
import type { ParameterSource } from './model.ts';
import { readStyle } from './parameterStyle.ts';
import { parametersOf } from './template.ts';
import { isArray, isObject, isTrue, type ObjectNode, stringAt, stringOf, type TreeNode } from './tree.ts';

export interface ReadParameters {
  /** Path parameters first, in the order of the template, then query, header and cookie parameters. */
  list: ParameterSource[];
  /** Swagger 2.0: `body` and `formData` parameters. */
  bodyParameters: ObjectNode[];
  unusable?: string;
}

export interface ParameterPlace {
  path: string;
  own: TreeNode | undefined;
  shared: readonly (TreeNode | undefined)[];
  /** Where the operation stands. */
  where: SourceRange;
}

type Location = ParameterSource['in'];
const LOCATIONS: readonly string[] = ['path', 'query', 'header', 'cookie'];

/** Headers that are no parameters: OpenAPI says to ignore them, and they are the client's and the broker's. */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);

export function readParameters(context: ReadContext, place: ParameterPlace): ReadParameters {
  const reading = new Reading(context, place);
  // The operation's own parameters replace its path's of the same name and place.
  reading.readList(place.own);
  for (const shared of place.shared) reading.readList(shared);
  return reading.finish();
}

class Reading {
  readonly #context: ReadContext;
  readonly #place: ParameterPlace;
  readonly #template: string[];
  readonly #found = new Map<string, ParameterSource>();
  readonly #bodyParameters: ObjectNode[] = [];
  #unusable: string | undefined;

  constructor(context: ReadContext, place: ParameterPlace) {
    this.#context = context;
    this.#place = place;
    this.#template = parametersOf(place.path);
  }

  readList(list: TreeNode | undefined): void {
    if (list === undefined) return;
    if (!isArray(list)) {
      this.#context.findings.add('document-parameter', 'error', list.range, 'Parameters have to be a list.');
      return;
    }
    const seen = new Set<string>();
    for (const item of list.items) this.#readItem(item, seen);
  }

  finish(): ReadParameters {
    const path = this.#template.map((name) => this.#found.get(`path ${name}`) ?? this.#undeclared(name));
    const others = LOCATIONS.slice(1).flatMap((location) =>
      [...this.#found.values()].filter((parameter) => parameter.in === location),
    );
    const list = [...path, ...others];
    const unusable = this.#unusable;
    return { list, bodyParameters: this.#bodyParameters, ...(unusable !== undefined && { unusable }) };
  }

  #readItem(item: TreeNode, seen: Set<string>): void {
    const node = this.#target(item);
    if (node === undefined) return;
    const name = stringAt(node, 'name');
    const where = stringAt(node, 'in');
    if (this.#context.dialect === '2.0' && (where === 'body' || where === 'formData')) {
      this.#addBodyParameter(node);
      return;
    }
    const location = this.#location(node, name, where);
    if (name === undefined || location === undefined) {
      if (name === undefined)
        this.#warn('document-parameter', node.range, 'A parameter needs a name; this one is left out.');
      return;
    }
    const key = `${location} ${name}`;
    if (seen.has(key))
      this.#warn('document-parameter', node.range, `The ${location} parameter "${name}" stands here twice.`);
    seen.add(key);
    if (!this.#found.has(key)) this.#add(key, node, name, location);
  }

  #target(item: TreeNode): ObjectNode | undefined {
    if (!isObject(item)) {
      this.#warn('document-parameter', item.range, 'A parameter has to be an object; this one is left out.');
      return undefined;
    }
    const reference = item.get('$ref');
    if (reference === undefined) return item;
    const target = this.#context.references.resolve(item, 'object');
    if (!target.ok) {
      this.#context.findings.add(target.code, 'error', reference.range, target.message);
      this.#unusable ??= 'One of its parameters could not be read.';
      return undefined;
    }
    return isObject(target.node) ? target.node : undefined;
  }

  #addBodyParameter(node: ObjectNode): void {
    const name = stringAt(node, 'name');
    const known = this.#bodyParameters.some(
      (other) => stringAt(other, 'name') === name && name !== undefined,
    );
    if (!known) this.#bodyParameters.push(node);
  }

  #location(node: ObjectNode, name: string | undefined, where: string | undefined): Location | undefined {
    if (where !== undefined && isLocation(where)) return where;
    const at = node.get('in');
    const stated = stringOf(at);
    if (stated === 'querystring') {
      const message =
        'A parameter that is the whole query string cannot be sent by the client; it is left out.';
      this.#warn('document-parameter-in', at?.range ?? node.range, message);
      if (isTrue(node.get('required'))) this.#unusable ??= message;
      return undefined;
    }
    const what =
      stated === undefined ? 'A parameter needs an "in".' : `A parameter cannot be in "${stated}".`;
    const message = `${what} It is one of path, query, header and cookie.${didYouMean(stated ?? '', LOCATIONS)}`;
    this.#context.findings.add('document-parameter-in', 'error', at?.range ?? node.range, message);
    return name !== undefined && this.#template.includes(name) ? 'path' : undefined;
  }

  #add(key: string, node: ObjectNode, name: string, location: Location): void {
    if (location === 'header' && NOT_PARAMETERS.has(name.toLowerCase())) return;
    if (location === 'path' && !this.#pathParameter(node, name)) return;
    if (location === 'cookie' && !this.#cookie(node, name)) return;
    const required = location === 'path' || isTrue(node.get('required'));
    const schema = this.#schemaOf(node, name, required);
    if (schema === null) return;
    const style = readStyle(this.#context, node, location);
    if (location === 'path') this.#pathStyle(node, name, style.style);
    const description = stringAt(node, 'description');
    this.#found.set(key, {
      name,
      in: location,
      required,
      ...style,
      ...(description !== undefined && { description }),
      deprecated: isTrue(node.get('deprecated')),
      ...(schema && { schema }),
      source: node.range,
    });
  }

  #pathParameter(node: ObjectNode, name: string): boolean {
    if (!this.#template.includes(name)) {
      const message = `The path has no "{${name}}"; this parameter is left out.`;
      this.#warn('document-unused-parameter', node.keyRange('name'), message);
      return false;
    }
    if (!isTrue(node.get('required'))) {
      const message = `The path parameter "${name}" lacks "required: true"; it is read as required.`;
      this.#warn('document-optional-path-parameter', node.get('name')?.range ?? node.range, message);
    }
    return true;
  }

  /** The client writes values into the path as they are, without a leading dot or `;name=`. */
  #pathStyle(node: ObjectNode, name: string, style: string): void {
    if (style === 'simple') return;
    const message = `The path parameter "${name}" has the style "${style}", which the client does not write.`;
    this.#warn('document-parameter-style', node.get('style')?.range ?? node.range, message);
    this.#unusable ??= message;
  }

  /** Always false: the client sends no cookies. */
  #cookie(node: ObjectNode, name: string): boolean {
    const required = isTrue(node.get('required'));
    const message = `The client sends no cookies, so "${name}" cannot be passed.`;
    this.#warn('document-cookie-parameter', node.range, message);
    if (required) this.#unusable ??= message;
    return false;
  }

  /** `null`: the parameter cannot be sent. Swagger 2.0 writes the schema's keywords into the parameter itself. */
  #schemaOf(node: ObjectNode, name: string, required: boolean): TreeNode | undefined | null {
    if (this.#context.dialect === '2.0') return node;
    if (!node.has('content')) return node.get('schema');
    const message = `The parameter "${name}" is written as a media type, which the client does not do; it is left out.`;
    this.#warn('document-parameter-content', node.keyRange('content'), message);
    if (required) this.#unusable ??= message;
    return null;
  }

  #undeclared(name: string): ParameterSource {
    const message = `The path parameter "${name}" is declared nowhere; it is read as a required text.`;
    this.#warn('document-undeclared-parameter', this.#place.where, message);
    const { where } = this.#place;
    return {
      name,
      in: 'path',
      required: true,
      style: 'simple',
      explode: false,
      deprecated: false,
      source: where,
    };
  }

  #warn(code: string, range: SourceRange, message: string): void {
    this.#context.findings.add(code, 'warning', range, message);
  }
}

function isLocation(text: string): text is Location {
  return LOCATIONS.includes(text);
}
