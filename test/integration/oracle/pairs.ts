/** Which types of ours stand for which types of the oracle, operation by operation. */
import {
  answerBody,
  methods,
  type OperationShape,
  type OptionKey,
  operationShape,
  refusal,
  successes,
} from '../../../shared/src/surface/operationShape.ts';
import type { Answer, Operation, Surface } from '../../../shared/src/surface/surface.ts';
import { typesNamespace } from '../../../shared/src/surface/typings.ts';

/** `id` is `GET /path#part`: path/name, query, headers, body, body?, answer/status, result. */
export interface Pair {
  id: string;
  /** A type over our typings. */
  ours: string;
  /** A type over the oracle's `paths`. */
  theirs: string;
}

export function pairsOf(surface: Surface): Pair[] {
  return methods(surface).flatMap((operation) => {
    if (operation.grant === null || refusal(operation) !== undefined) return [];
    const shape = operationShape(operation, operation.grant);
    return new OperationPairs(surface, operation).all(shape);
  });
}

class OperationPairs {
  readonly #operation: Operation;
  readonly #ours: string;
  readonly #theirs: string;
  readonly #answers: string;

  constructor(surface: Surface, operation: Operation) {
    const namespace = typesNamespace(surface.client);
    const name = JSON.stringify(operation.name);
    this.#operation = operation;
    this.#ours = `Parameters<${namespace}.Client[${name}]>`;
    this.#answers = `${namespace}.Answers[${name}]`;
    this.#theirs = `paths[${JSON.stringify(operation.path)}]["${operation.method.toLowerCase()}"]`;
  }

  all(shape: OperationShape): Pair[] {
    return [
      ...this.#path(shape),
      ...this.#body(shape),
      ...this.#options(shape),
      ...this.#answerPairs(),
      ...this.#result(),
    ];
  }

  #pair(part: string, ours: string, theirs: string): Pair {
    return { id: `${this.#operation.method} ${this.#operation.path}#${part}`, ours, theirs };
  }

  #path(shape: OperationShape): Pair[] {
    return shape.path.flatMap(({ name, parameter }, index) =>
      parameter === undefined
        ? []
        : [
            this.#pair(
              `path/${name}`,
              `${this.#ours}[${index}]`,
              `${this.#theirs}["parameters"]["path"][${JSON.stringify(name)}]`,
            ),
          ],
    );
  }

  #body({ path, body }: OperationShape): Pair[] {
    if (body?.content === undefined) return [];
    const ours = `${this.#ours}[${path.length}]`;
    const theirs = `${this.#theirs}["requestBody"]`;
    const content = `Exclude<${theirs}, undefined>["content"][${JSON.stringify(body.content.mediaType)}]`;
    const optional = (type: string) => `undefined extends ${type} ? "optional" : "required"`;
    return [
      this.#pair('body', `Exclude<${ours}, undefined>`, content),
      this.#pair('body?', JSON.stringify(body.required ? 'required' : 'optional'), optional(theirs)),
    ];
  }

  #options({ path, body, options }: OperationShape): Pair[] {
    if (options === undefined) return [];
    const index = path.length + (body === undefined ? 0 : 1);
    const ours = `NonNullable<${this.#ours}[${index}]>`;
    const group = (part: string, name: string, place: string, keys: OptionKey[]): Pair[] => {
      if (keys.length === 0) return [];
      const names = keys.map((key) => JSON.stringify(key.name)).join(' | ');
      const theirs = `Pick<NonNullable<${this.#theirs}["parameters"]["${place}"]>, ${names}>`;
      return [this.#pair(part, `NonNullable<${ours}["${name}"]>`, theirs)];
    };
    return [
      ...group('query', 'query', 'query', options.query),
      ...group('headers', 'headers', 'header', options.headers),
    ];
  }

  #answerPairs(): Pair[] {
    return this.#operation.answers.flatMap((answer) => {
      const theirs = this.#theirAnswer(answer);
      const ours = `${this.#answers}[${JSON.stringify(answer.status)}]`;
      return theirs === undefined ? [] : [this.#pair(`answer/${answer.status}`, ours, theirs)];
    });
  }

  /** Nothing where the client gives text: the oracle has the schema of what the text means. */
  #theirAnswer(answer: Answer): string | undefined {
    if (this.#operation.method === 'HEAD') return undefined;
    const body = answerBody(this.#operation, answer);
    const content = `${this.#theirs}["responses"][${JSON.stringify(answer.status)}]["content"]`;
    if (body.kind === 'json') return `${content}[${JSON.stringify(body.content?.mediaType)}]`;
    return body.kind === 'none' ? `[${content}] extends [undefined] ? null : "a body"` : undefined;
  }

  /** What a call resolves with is what its successes answer. */
  #result(): Pair[] {
    const statuses = successes(this.#operation).map(({ answer }) => JSON.stringify(answer.status));
    if (statuses.length === 0) return [];
    const client = this.#ours.replace('Parameters<', 'ReturnType<');
    return [this.#pair('result', `Awaited<${client}>`, `${this.#answers}[${statuses.join(' | ')}]`)];
  }
}
