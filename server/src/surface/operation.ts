/** One operation of the surface. Types are read for granted operations only: a document can hold thousands. */
import type {
  Content,
  Operation,
  OperationGrant,
  Parameter,
  Schema,
  SchemaObject,
} from '../../../shared/src/surface/surface.ts';
import type { ContentSource, DocumentOperation, FormField, ParameterSource } from '../openapi/model.ts';
import type { SchemaReader } from '../openapi/schemas.ts';
import { isTrue, stringAt, type TreeNode } from '../openapi/tree.ts';

export class OperationReader {
  readonly #schemas: SchemaReader;

  constructor(schemas: SchemaReader) {
    this.#schemas = schemas;
  }

  /** Without a grant every schema is `true`. */
  read(operation: DocumentOperation, grant: OperationGrant | undefined): Operation {
    const { node, body, operationId, unusable } = operation;
    const summary = stringAt(node, 'summary');
    const description = stringAt(node, 'description');
    const typed = grant !== undefined;
    return {
      name: operation.name,
      ...(operationId !== undefined && { operationId }),
      method: operation.method,
      path: operation.path,
      grant: grant ?? null,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      deprecated: isTrue(node.get('deprecated')),
      parameters: operation.parameters.map((parameter) => this.#parameter(parameter, typed)),
      ...(body && { body: { ...body, contents: this.#contents(body.contents, typed) } }),
      answers: operation.answers.map((answer) => ({
        ...answer,
        contents: this.#contents(answer.contents, typed),
        headers: [...answer.headers],
      })),
      ...(unusable !== undefined && { unusable }),
      source: operation.source,
    };
  }

  #parameter({ deprecated, schema, ...rest }: ParameterSource, typed: boolean): Parameter {
    const type = schema === undefined ? { type: 'string' } : this.#schema(schema, typed);
    return { ...rest, ...(deprecated && { deprecated }), schema: type };
  }

  #contents(contents: readonly ContentSource[], typed: boolean): Content[] {
    return contents.map(({ mediaType, schema, form, encoding }) => ({
      mediaType,
      schema: form ? this.#form(form, typed) : schema ? this.#schema(schema, typed) : true,
      ...(encoding && { encoding }),
    }));
  }

  #form(fields: readonly FormField[], typed: boolean): Schema {
    if (!typed) return true;
    const properties: Record<string, Schema> = Object.create(null);
    for (const { name, schema } of fields) properties[name] = this.#schemas.read(schema);
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const object: SchemaObject = { type: 'object', properties };
    return required.length > 0 ? { ...object, required } : object;
  }

  #schema(node: TreeNode, typed: boolean): Schema {
    return typed ? this.#schemas.read(node) : true;
  }
}
