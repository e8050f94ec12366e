/** The line that grants an operation, and where in a grant it goes. */
import type { Operation } from '../../../shared/src/surface/surface.ts';
import type { TextSpan } from '../analysis/facts.ts';
import { parseGrant } from '../grant/parse.ts';
import { shapeOf } from '../openapi/template.ts';
import { documentedKey } from '../surface/keys.ts';
import type { Edit, TextFile } from './finding.ts';

/**
 * Method and path, what the operation cannot be called without, and the header by which it names a repeat; null where
 * the document's words are none that a grant can hold (blanks, line ends): they must not become lines of their own.
 */
export function routeLine(operation: Operation, methodWidth = 0): string | null {
  const key = operation.method === 'POST' ? documentedKey(operation) : undefined;
  const needed = operation.parameters.filter(({ required }) => required);
  const words = needed.flatMap(({ name, in: place }) => {
    if (place === 'query') return [`?${name}`];
    return place === 'header' && name !== key?.name ? [`header:${name}`] : [];
  });
  if (key !== undefined) words.push(`key:header:${key.name}`);
  const path = shapeOf(operation.path);
  const line = [`${operation.method.padEnd(methodWidth)} ${path}`, ...words].join(' ');
  const { routes, diagnostics } = parseGrant('', line);
  const isOneRoute = routes.length === 1 && routes[0]?.path === path && diagnostics.length === 0;
  return isOneRoute && words.every((word) => /^\S+$/.test(word)) ? line : null;
}

/** Puts the route after the last one, in its columns; into a grant without routes at the end. null: it has none. */
export function grantRouteEdit({ file, text }: TextFile, operation: Operation): Edit | null {
  const last = parseGrant(file, text).routes.at(-1);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  if (last === undefined) {
    const route = routeLine(operation);
    const before = text === '' || /[\r\n]$/.test(text) ? '' : lineEnd;
    return route === null ? null : insertion(file, text.length, `${before}${route}${lineEnd}`);
  }
  const line = lineSpan(text, last.source.start.line);
  const column = /^\s*\S+ +/.exec(text.slice(line.start, line.end))?.[0].length ?? 0;
  const route = routeLine(operation, column - 1);
  return route === null ? null : insertion(file, line.end, `${lineEnd}${route}`);
}

/** The text of a line, without its end. Lines end as LSP counts them. */
export function lineSpan(text: string, line: number): TextSpan {
  let start = 0;
  for (const { index, 0: lineEnd } of [...text.matchAll(/\r\n|\r|\n/g)].slice(0, line)) {
    start = index + lineEnd.length;
  }
  const length = text.slice(start).search(/[\r\n]/);
  return { start, end: length < 0 ? text.length : start + length };
}

function insertion(file: string, at: number, newText: string): Edit {
  return { file, span: { start: at, end: at }, newText };
}
