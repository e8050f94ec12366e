/** Path templates: `/robots/{id}`. */

/** Names of a template's parameters, in order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
}

/** The path with `*` for each parameter: how a grant writes it. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '*');
}

/** Why a template is no path that the broker can match, or nothing. */
export function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return `The path "${path}" has to start with "/".`;
  if (/[?#\\]/.test(path)) return 'A path with "?", "#" or a backslash in it cannot be called.';
  const segments = path.slice(1).split('/');
  // One empty segment at the end is a trailing slash.
  if (segments.slice(0, -1).includes('')) return 'A path with an empty segment cannot be called.';
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    return 'A path with a dot segment cannot be called.';
  }
  if (/[{}]/.test(path.replace(/\{[^{}]+\}/g, '')))
    return 'The braces of this path do not pair up around a name.';
  if (/\}\{/.test(path)) return 'Two parameters of this path stand together with nothing between them.';
  const names = parametersOf(path);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `The parameter "${twice}" stands twice in this path.`;
}
