/** Identifiers for foreign names: schemas, operations, parameters. The same names in the same order give the same identifiers. */

/** Types and keywords that generated text uses inside its namespace, or that no declaration may be called. */
const TAKEN_TYPES = [
  ...[
    'any',
    'bigint',
    'boolean',
    'never',
    'null',
    'number',
    'object',
    'string',
    'symbol',
    'undefined',
    'unknown',
  ],
  ...['void', 'Omit', 'Promise', 'Record', 'AbortSignal', 'VendorCallError', 'Client', 'Answers', 'Errors'],
];

/** Words that cannot be the name of a parameter in strict code. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

function words(name: string): string[] {
  return name
    .normalize('NFKC')
    .split(/[^\p{L}\p{N}_$]+/u)
    .filter((word) => word !== '');
}

/** `simple-user` -> `SimpleUser`, `v1.Pod` -> `V1Pod`; never empty, never starting with a digit. */
export function pascalCase(name: string): string {
  const text = words(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return startable(text);
}

function startable(text: string): string {
  return /^[\p{ID_Start}_$]/u.test(text) && /^[\p{ID_Continue}$]*$/u.test(text) ? text : `_${ascii(text)}`;
}

/** Digits of other scripts and the like are numbers to Unicode, but no part of an identifier. */
function ascii(text: string): string {
  return text.replace(/[^\p{ID_Continue}$]/gu, '_');
}

/** Gives out each identifier once; a second asker gets a number behind it. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  claim(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** Names for everything that stands in the client's namespace. */
export function typeNames(): Names {
  return new Names(TAKEN_TYPES);
}

/** Schema name -> identifier. A schema whose name already is an identifier keeps it whatever others are called. */
export function schemaNames(schemas: Iterable<string>, names: Names): Map<string, string> {
  const all = [...schemas];
  const plain = new Set(all.filter((name) => pascalCase(name) === name));
  const result = new Map<string, string>();
  for (const name of [...plain, ...all.filter((other) => !plain.has(other))]) {
    result.set(name, names.claim(pascalCase(name)));
  }
  return result;
}

/** `robot-id` -> `robotId`: the name of a parameter in a signature. */
export function parameterName(name: string, names: Names): string {
  const pascal = pascalCase(name);
  const camel = /^[A-Z][a-z0-9]/.test(pascal) ? pascal.charAt(0).toLowerCase() + pascal.slice(1) : pascal;
  return names.claim(RESERVED.has(camel) ? `${camel}_` : camel);
}
