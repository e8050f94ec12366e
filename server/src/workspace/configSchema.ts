/** The schema of loadline.json by places: what may stand where. */
import schema from './loadline.schema.json';

/** The keywords of it that are read here. */
export interface ConfigSchema {
  description?: string;
  type?: string;
  enum?: readonly string[];
  examples?: readonly string[];
  properties?: Readonly<Record<string, ConfigSchema>>;
  required?: readonly string[];
  items?: ConfigSchema;
  oneOf?: readonly ConfigSchema[];
  /** `#/definitions/<name>` */
  $ref?: string;
}

const ROOT: ConfigSchema = schema;
const DEFINITIONS: Readonly<Record<string, ConfigSchema>> = schema.definitions;

/** What may stand at a path of keys and indexes; more than one where there is a choice. Empty: nothing may. */
export function schemasAt(path: readonly (string | number)[]): ConfigSchema[] {
  return path.reduce<ConfigSchema[]>(
    (found, step) => found.flatMap((each) => below(each, step)),
    choices(ROOT),
  );
}

/** Keys of the object at a path. */
export function keysAt(path: readonly (string | number)[]): string[] {
  return schemasAt(path).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

function below({ properties, items }: ConfigSchema, step: string | number): ConfigSchema[] {
  if (typeof step === 'number') return items ? choices(items) : [];
  const property = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return property ? choices(property) : [];
}

/** With references followed, and the description of the choice where one of it has none. */
function choices({ $ref, oneOf, ...own }: ConfigSchema): ConfigSchema[] {
  if (oneOf) return oneOf.flatMap((each) => choices({ ...own, ...each }));
  const name = $ref?.split('/').at(-1);
  const target = name !== undefined && Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name] : undefined;
  return [{ ...target, ...own }];
}
