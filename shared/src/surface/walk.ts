/** Going through the schemas of a surface. Only positions that hold schemas are entered: a property may be called `items`. */
import type { Operation, Schema, SchemaObject, Surface } from './surface.ts';

const REFERENCE = '#/schemas/';

/** Name of the schema that a reference points to, or nothing. */
export function refName(schema: Schema | undefined): string | undefined {
  if (typeof schema !== 'object' || typeof schema.$ref !== 'string') return undefined;
  return schema.$ref.startsWith(REFERENCE) ? schema.$ref.slice(REFERENCE.length) : undefined;
}

/** The schemas that stand directly in this one. */
export function childSchemas(schema: SchemaObject): Schema[] {
  const children: Schema[] = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...(schema.prefixItems ?? []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  if (schema.additionalProperties !== undefined) children.push(schema.additionalProperties);
  if (schema.items !== undefined) children.push(schema.items);
  return children;
}

/** The schemas of one operation: parameters, body, answers. */
export function operationSchemas(operation: Operation): Schema[] {
  return [
    ...operation.parameters.map((parameter) => parameter.schema),
    ...(operation.body?.contents ?? []).map((content) => content.schema),
    ...operation.answers.flatMap((answer) => answer.contents.map((content) => content.schema)),
  ];
}

/** Every root: the schemas of granted operations and the named ones. */
export function surfaceSchemas(surface: Pick<Surface, 'schemas' | 'operations'>): Schema[] {
  const granted = surface.operations.filter((operation) => operation.grant !== null);
  return [...granted.flatMap(operationSchemas), ...Object.values(surface.schemas)];
}
