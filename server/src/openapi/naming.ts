/** Names of the client's methods: from the operationId, else from method and path; never from the position. */
import { isReservedName } from '../../../shared/src/surface/reservedNames.ts';
import type { HttpMethod } from '../../../shared/src/surface/surface.ts';

/**
 * An operationId in camelCase: `post-payments` -> `postPayments`, `repos/get` -> `reposGet`; one that is camelCase
 * stays as it is. Empty where the id has no letter or digit.
 */
export function camelCase(id: string): string {
  if (isReservedName(id)) return id;
  const words = id
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
  const [first, ...rest] = words;
  if (first === undefined) return '';
  return identifier(lowerFirst(first) + rest.map(upperFirst).join(''));
}

/** `getMissionsById` of `GET /missions/{id}`. */
export function nameFromRoute(method: HttpMethod, path: string): string {
  const words = path
    .split('/')
    .flatMap((segment) =>
      segment
        .split(/(\{[^{}]*\})/)
        .map((part) => (part.startsWith('{') ? `By${pascalCase(part)}` : pascalCase(part))),
    );
  return method.toLowerCase() + (words.join('') || 'Root');
}

function pascalCase(text: string): string {
  return upperFirst(camelCase(text).replace(/^_(?=\p{N})/u, ''));
}

function upperFirst(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('');
}

/** `API` -> `api`, `APIService` -> `apiService`, `Get` -> `get`. */
function lowerFirst(word: string): string {
  return word.replace(/^\p{Lu}+(?![\p{Ll}\p{M}])|^\p{Lu}/u, (run) => run.toLowerCase());
}

function identifier(name: string): string {
  return /^\p{ID_Start}/u.test(name) ? name : `_${name}`;
}
