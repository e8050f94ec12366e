/** `loadline.json`: parsed with places, checked by its schema, every problem at its range. */
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { didYouMean } from '../../../shared/src/nearest.ts';
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Diagnostic, SourceRange } from '../../../shared/src/surface/surface.ts';
import { parseJson } from '../openapi/parseJson.ts';
import { isObject, itemsOf, type TreeNode, toJson } from '../openapi/tree.ts';
import { isTakenName } from './clientName.ts';
import { keysAt, schemasAt } from './configSchema.ts';
import schema from './loadline.schema.json';

export const CONFIG_FILE = 'loadline.json';
/** Before the name of a vendor that is one of ours. */
export const SIMULATED = 'simulated:';

export interface ProjectConfig {
  contract: string;
  client: string;
  /** Relative to loadline.json, as `grant` and `adapters` are. */
  openapi: string;
  grant: string;
  /** `simulated:<name>`, a path to a model, or a model and the address of a vendor that listens. */
  vendor: string | { model: string; url: string };
  adapters: string[];
  capability?: { write: string; identity: string[]; projected: string[]; transient?: string[] };
}

export interface ParsedConfig {
  /** `null`: it has errors. */
  config: ProjectConfig | null;
  diagnostics: Diagnostic[];
  /** Range of the value at a path of keys, of the whole where there is none. */
  rangeOf(...path: string[]): SourceRange;
}

let compiled: ValidateFunction<ProjectConfig> | undefined;

function validator(): ValidateFunction<ProjectConfig> {
  compiled ??= new Ajv({ allErrors: true, strict: false }).compile<ProjectConfig>(schema);
  return compiled;
}

export function parseConfig(source: SourceText): ParsedConfig {
  const { root, problems: syntax } = parseJson(source);
  const place = new Places(source, root);
  const diagnostics: Diagnostic[] = syntax.map(({ severity, message, start, end }) => ({
    code: 'config-syntax',
    severity,
    message,
    range: source.range(start, end),
  }));
  const rangeOf = (...path: string[]): SourceRange => place.value(path);
  if (diagnostics.length > 0 || root === null) return { config: null, diagnostics, rangeOf };
  const value = toJson(root);
  const validate = validator();
  if (!validate(value)) {
    return { config: null, diagnostics: problems(validate.errors ?? [], place), rangeOf };
  }
  const further = [
    ...clientProblems(value, place),
    ...vendorProblems(value, place),
    ...pathProblems(value, place),
    ...contractProblems(value, place),
  ];
  if (further.length > 0) return { config: null, diagnostics: further, rangeOf };
  return {
    config: { ...(value as ProjectConfig), adapters: value.adapters ?? ['adapter*.js'] },
    diagnostics: [],
    rangeOf,
  };
}

/** Ranges of values and keys, by the path of keys that leads to them. */
class Places {
  readonly #source: SourceText;
  readonly #root: TreeNode | null;

  constructor(source: SourceText, root: TreeNode | null) {
    this.#source = source;
    this.#root = root;
  }

  value(path: readonly string[]): SourceRange {
    return this.#at(path)?.range ?? this.#source.range(0, 1);
  }

  key(path: readonly string[]): SourceRange {
    const owner = this.#at(path.slice(0, -1));
    return isObject(owner) ? owner.keyRange(path.at(-1) ?? '') : this.value(path);
  }

  #at(path: readonly string[]): TreeNode | undefined {
    let node: TreeNode | undefined = this.#root ?? undefined;
    for (const step of path) node = isObject(node) ? node.get(step) : itemsOf(node)[Number(step)];
    return node;
  }
}

/** Of a value that may be a text or an object: what is wrong with it as the one that it is. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf').map(({ instancePath }) => instancePath);
  const isOfChoice = ({ instancePath, keyword }: ErrorObject): boolean =>
    keyword === 'type' && choices.includes(instancePath);
  const within = errors.filter((error) => error.keyword !== 'oneOf' && !isOfChoice(error));
  const isExplained = (path: string): boolean =>
    within.some(({ instancePath }) => instancePath.startsWith(path));
  return [
    ...within,
    ...errors.filter(({ keyword, instancePath }) => keyword === 'oneOf' && !isExplained(instancePath)),
  ];
}

function problems(errors: readonly ErrorObject[], place: Places): Diagnostic[] {
  return telling(errors).map((error) => {
    const path = error.instancePath.split('/').slice(1);
    if (error.keyword === 'additionalProperties') {
      const key = String(error.params.additionalProperty);
      const message = `loadline.json has no "${[...path, key].join('.')}".${didYouMean(key, keysAt(path))}`;
      return problem('config-unknown-key', message, place.key([...path, key]));
    }
    if (error.keyword === 'required') {
      const range = path.length === 0 ? place.value([]) : place.value(path);
      const message = `The key "${String(error.params.missingProperty)}" is missing.`;
      return problem('config-missing-key', message, {
        ...range,
        end: { ...range.start, character: range.start.character + 1 },
      });
    }
    return problem('config-value', valueSentence(error, path), place.value(path));
  });
}

function valueSentence(error: ErrorObject, path: readonly string[]): string {
  const name = path.join('.') || 'loadline.json';
  if (error.keyword === 'enum') {
    return `"${name}" is one of ${(error.params.allowedValues as string[]).join(', ')}.`;
  }
  if (name === 'client')
    return '"client" is a plain name of letters, digits, _ and $ that starts with no digit.';
  if (error.keyword === 'oneOf')
    return `"${name}" is a text, or an object of "model" and "url": simulated:fleet, for example.`;
  if (error.keyword === 'type')
    return `"${name}" has to be ${TYPES.get(String(error.params.type)) ?? 'another type'}.`;
  if (error.keyword === 'minLength' || error.keyword === 'minItems') return `"${name}" may not be empty.`;
  if (error.keyword === 'uniqueItems') return `"${name}" names something twice.`;
  if (name === 'vendor.url') return '"vendor.url" has to start with http:// or https://.';
  return `"${name}" ${error.message ?? 'is not valid'}.`;
}

const TYPES = new Map([
  ['string', 'a text'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function clientProblems({ client }: ProjectConfig, place: Places): Diagnostic[] {
  if (!isTakenName(client)) return [];
  const message = `The client cannot be called "${client}": that name has a meaning already. Choose another.`;
  return [problem('config-value', message, place.value(['client']))];
}

/** A name that is none of those that the schema gives. */
function vendorProblems({ vendor }: ProjectConfig, place: Places): Diagnostic[] {
  if (typeof vendor !== 'string' || !vendor.startsWith(SIMULATED)) return [];
  const known = schemasAt(['vendor']).flatMap(({ examples = [] }) => examples);
  if (known.includes(vendor)) return [];
  const message = `There is no vendor "${vendor}" to simulate.${didYouMean(vendor, known) || ` Use ${known.join(' or ')}.`}`;
  return [problem('config-value', message, place.value(['vendor']))];
}

function pathProblems(config: ProjectConfig, place: Places): Diagnostic[] {
  const { vendor } = config;
  const model = typeof vendor === 'string' ? vendor : vendor.model;
  const paths: [string[], string][] = [
    [['openapi'], config.openapi],
    [['grant'], config.grant],
    ...(model.startsWith(SIMULATED)
      ? []
      : [[typeof vendor === 'string' ? ['vendor'] : ['vendor', 'model'], model] as [string[], string]]),
    ...(config.adapters ?? []).map((pattern, index): [string[], string] => [
      ['adapters', String(index)],
      pattern,
    ]),
  ];
  return paths
    .filter(([, path]) => leavesFolder(path))
    .map(([keys, path]) => {
      const message = `"${path}" has to be a path inside this folder, written with "/".`;
      return problem('config-path', message, place.value(keys));
    });
}

function leavesFolder(path: string): boolean {
  const absolute = path.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path);
  return absolute || path.includes('\\') || path.split('/').includes('..');
}

function contractProblems({ contract, capability }: ProjectConfig, place: Places): Diagnostic[] {
  const needed = contract === 'capability-write/1';
  if (needed && capability === undefined) {
    const message =
      'The contract capability-write/1 needs "capability": the write and the parts of its target.';
    return [problem('config-missing-key', message, place.value(['contract']))];
  }
  if (needed || capability === undefined) return [];
  const message = `The contract ${contract} has no "capability".`;
  return [problem('config-unknown-key', message, place.key(['capability']))];
}

function problem(code: string, message: string, range: SourceRange): Diagnostic {
  return { code, severity: 'error', message, range };
}
