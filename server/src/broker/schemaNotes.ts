/**
 * What a call's body and parameters have against the document's schema. Notes only: the vendor decides. They say
 * which rule of the document is broken and where, in the document's own names, never a value that was sent.
 */
import { createContext, Script } from 'node:vm';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { CallParams } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { Operation, Parameter, Schema, Surface } from '../../../shared/src/surface/surface.ts';
import type { OperationMatch } from '../grant/match.ts';
import { essence, isJson } from './mediaType.ts';
import { declaredNames, safeSchema, schemaKey } from './schemaRules.ts';

const MAX_NOTES = 5;
const MAX_NOTE = 200;
/** Bodies nested deeper than this are checked under a time limit: a recursive choice doubles the work at each level. */
const PLAIN_DEPTH = 6;
const PLAIN_BYTES = 16 * 1024;
const CHECK_LIMIT_MS = 100;

export interface SchemaNotes {
  /** At most five notes; empty where nothing is to be said. */
  of(match: OperationMatch, request: CallParams, bodyBytes: number): string[];
}

const known = new WeakMap<Surface, SchemaNotes>();

/** The checks of a surface, compiled on their first use and kept with it. */
export function schemaNotes(surface: Surface): SchemaNotes {
  const notes = known.get(surface) ?? new SurfaceNotes(surface);
  known.set(surface, notes);
  return notes;
}

class SurfaceNotes implements SchemaNotes {
  readonly #names = new Set<string>();
  readonly #bodies: Checks;
  readonly #texts: Checks;

  constructor(surface: Surface) {
    this.#bodies = new Checks(surface, this.#names, false);
    this.#texts = new Checks(surface, this.#names, true);
  }

  of(match: OperationMatch, request: CallParams, bodyBytes: number): string[] {
    const notes = [
      ...this.#pathNotes(match),
      ...this.#queryNotes(match),
      ...headerNotes(match.operation, request),
      ...this.#bodyNotes(match.operation, request, bodyBytes),
    ];
    return notes
      .slice(0, MAX_NOTES)
      .map((note) => (note.length > MAX_NOTE ? `${note.slice(0, MAX_NOTE - 1)}…` : note));
  }

  #bodyNotes(operation: Operation, request: CallParams, bytes: number): string[] {
    const { body } = operation;
    if (request.body === undefined) return body?.required ? ['body: is required'] : [];
    if (!body) return ['body: the document has none for this operation'];
    const mediaType = essence(request.contentType ?? 'application/json');
    const content = body.contents.find((one) => essence(one.mediaType) === mediaType);
    if (!content) return ['body: not of a media type of the document'];
    // Forms and files are texts here; the schema is about what they stand for.
    if (!isJson(mediaType)) return [];
    const check = this.#bodies.of(content.schema);
    if (check === null) return [];
    const error = firstError(check, request.body, bytes);
    return error === null
      ? []
      : [`body${this.#place(error.instancePath)}: ${error.message ?? 'is not valid'}`];
  }

  #pathNotes(match: OperationMatch): string[] {
    return match.path.flatMap(([name, value]) => {
      const parameter = match.operation.parameters.find((one) => one.in === 'path' && one.name === name);
      return parameter ? this.#parameterNotes(parameter, value) : [];
    });
  }

  #queryNotes(match: OperationMatch): string[] {
    return match.operation.parameters.flatMap((parameter) => {
      if (parameter.in !== 'query' || parameter.style === 'deepObject') return [];
      const values = match.query.flatMap(([key, value]) => (key === parameter.name ? [value] : []));
      const [value] = values;
      if (value === undefined) return parameter.required ? [`query ${parameter.name}: is required`] : [];
      if (!isList(parameter.schema)) return this.#parameterNotes(parameter, value);
      return this.#parameterNotes(parameter, parameter.explode ? values : value.split(','));
    });
  }

  #parameterNotes(parameter: Parameter, value: string | string[]): string[] {
    const check = this.#texts.of(parameter.schema);
    if (check === null) return [];
    const error = firstError(check, { value }, 0);
    return error === null ? [] : [`${parameter.in} ${parameter.name}: ${error.message ?? 'is not valid'}`];
  }

  /** `.target.x`; what the document does not name (a key of the adapter's own, an index) is `*`. */
  #place(pointer: string): string {
    return pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((step) => (this.#names.has(step) ? `.${step}` : '.*'))
      .join('');
  }
}

/** Compiled checks by schema. Null: a schema that cannot be compiled says nothing. */
class Checks {
  readonly #surface: Surface;
  readonly #names: Set<string>;
  readonly #texts: boolean;
  readonly #compiled = new Map<Schema, ValidateFunction | null>();
  #validator: Ajv2020 | undefined;

  /** `texts`: values arrive as `{value: text}` and are read as the schema's type, as a parameter is. */
  constructor(surface: Surface, names: Set<string>, texts: boolean) {
    this.#surface = surface;
    this.#names = names;
    this.#texts = texts;
  }

  of(schema: Schema): ValidateFunction | null {
    const compiled = this.#compiled.get(schema);
    if (compiled !== undefined) return compiled;
    declaredNames(schema, this.#names);
    const check = this.#compile(schema);
    this.#compiled.set(schema, check);
    return check;
  }

  #compile(schema: Schema): ValidateFunction | null {
    const safe = safeSchema(schema);
    try {
      this.#validator ??= this.#makeValidator();
      return this.#validator.compile(this.#texts ? { type: 'object', properties: { value: safe } } : safe);
    } catch {
      return null;
    }
  }

  #makeValidator(): Ajv2020 {
    const validator = new Ajv2020({
      strict: false,
      validateFormats: false,
      validateSchema: false,
      addUsedSchema: false,
      ownProperties: true,
      logger: false,
      coerceTypes: this.#texts,
    });
    for (const [name, schema] of Object.entries(this.#surface.schemas)) {
      declaredNames(schema, this.#names);
      validator.addSchema(safeSchema(schema) as object, schemaKey(name));
    }
    return validator;
  }
}

/** The first thing a check has against a value; null also where the check itself fails or takes too long. */
function firstError(check: ValidateFunction, value: Json, bytes: number): ErrorObject | null {
  try {
    const plain = bytes <= PLAIN_BYTES && !deeperThan(value, PLAIN_DEPTH);
    const valid = plain ? check(value) : limited(() => check(value));
    return valid ? null : (check.errors?.[0] ?? null);
  } catch {
    return null;
  }
}

const limitContext = createContext(Object.create(null));
const limitScript = new Script('action()');

/** Runs an action under a time limit; throws when it takes longer. */
function limited<T>(action: () => T): T {
  limitContext.action = action;
  return limitScript.runInContext(limitContext, { timeout: CHECK_LIMIT_MS }) as T;
}

function deeperThan(value: Json, limit: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return limit === 0 || Object.values(value).some((child) => deeperThan(child, limit - 1));
}

function isList(schema: Schema): boolean {
  return typeof schema === 'object' && (schema.type === 'array' || schema.items !== undefined);
}

function headerNotes(operation: Operation, request: CallParams): string[] {
  return operation.parameters.flatMap((parameter) => {
    const name = parameter.name.toLowerCase();
    // These three are described elsewhere in a document and set by the broker (OpenAPI, Parameter Object).
    if (parameter.in !== 'header' || ['accept', 'content-type', 'authorization'].includes(name)) return [];
    return parameter.required && !Object.hasOwn(request.headers, name) ? [`header ${name}: is required`] : [];
  });
}
