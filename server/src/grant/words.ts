/** What the words of a grant may hold. Each function says what is wrong in a sentence, or nothing. */

/** Headers that belong to the broker, to the connection or to the body: no grant lets them through. */
const NOT_GRANTABLE = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'host',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'expect',
  'te',
  'trailer',
  'upgrade',
]);

export function headerProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
    return 'Here the name of a header has to stand, such as header:Accept-Language.';
  if (!NOT_GRANTABLE.has(name.toLowerCase())) return undefined;
  return `The header "${name}" is the broker's own; a grant cannot let it through.`;
}

export function pointerProblem(pointer: string): string | undefined {
  if (/^(\/([^~/]|~[01])*)+$/.test(pointer)) return undefined;
  return 'After "key:body:" comes a JSON Pointer to the field of the body, such as key:body:/command_id.';
}

export function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return `A path starts with "/", and "${path}" does not.`;
  if (/[{}]/.test(path)) return 'Write "*" for a parameter, not its name in braces.';
  if (/[?#\\]/.test(path)) return 'A path has no "?", "#" or backslash; query keys stand behind it as ?name.';
  if (path.includes('**')) return 'One "*" stands for one segment, or a part of one; there is no "**".';
  const segments = path.slice(1).split('/');
  if (segments.slice(0, -1).includes('')) return 'A path has no empty segments.';
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'A path has no "." and ".." segments.';
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(path)) {
    return 'A path has no invisible characters.';
  }
  return undefined;
}
