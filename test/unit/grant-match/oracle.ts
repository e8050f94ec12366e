/**
 * A second, slower reading of the route gate's rules, made in another way: it generates every spelling that a route
 * accepts from what a regular expression binds in the decoded path, and compares whole strings.
 */
import type { Operation } from '../../../shared/src/surface/surface.ts';

export function oracle(operations: readonly Operation[], method: string, target: string): string | null {
  if (!/^\/[!-~]*$/.test(target) || target.includes('#') || target.length > 8192) return null;
  const [path = '', ...rest] = target.split('?');
  const decoded = decodePath(path);
  if (decoded === null) return null;
  const owner = operations
    .filter((operation) => operation.method === method)
    .filter((operation) => pattern(operation.path, 'i').test(decoded))
    .sort((left, right) => specificity(left, right, decoded))[0];
  if (owner?.grant == null) return null;
  const bound = pattern(owner.path, '').exec(decoded)?.slice(1);
  if (bound === undefined) return null;
  if (!accepted(owner.path, bound, path)) return null;
  if (rest.length > 0 && !queryAccepted(rest.join('?'), owner.grant.query)) return null;
  return owner.name;
}

function decodePath(path: string): string | null {
  const segments = path.split('/').slice(1);
  const texts: string[] = [];
  for (const [index, segment] of segments.entries()) {
    let text: string;
    try {
      text = decodeURIComponent(segment);
    } catch {
      return null;
    }
    if (text === '' && index < segments.length - 1) return null;
    if (/[\\/%\p{Cc}\u2028\u2029]|^\.+$/u.test(text)) return null;
    texts.push(text);
  }
  return `/${texts.join('/')}`;
}

function pattern(template: string, flags: string): RegExp {
  const source = template
    .split(/(\{[^{}]+\})/)
    .map((piece) => (piece.startsWith('{') ? '([^/:;]+?)' : piece.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`, flags);
}

/** Ranks per segment, as decimal text: literal 9, partial 5 with its literal's length, parameter 1; a point less for another case. */
function ranks(operation: Operation, decoded: string): number[] {
  const texts = decoded.split('/');
  return operation.path.split('/').map((segment, index) => {
    const fixed = segment.replace(/\{[^{}]+\}/g, '');
    if (fixed === '' && segment !== '') return 0;
    const exact = pattern(segment, '').test(texts[index] ?? '');
    const base = fixed.length === segment.length ? 10_000 : fixed.length * 2;
    return exact ? base + 1 : base;
  });
}

function specificity(left: Operation, right: Operation, decoded: string): number {
  const [lefts, rights] = [ranks(left, decoded), ranks(right, decoded)];
  const at = lefts.findIndex((rank, index) => rank !== rights[index]);
  if (at >= 0) return (rights[at] ?? 0) - (lefts[at] ?? 0);
  return Number(left.grant !== null) - Number(right.grant !== null);
}

function percentEncoded(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const one = String.fromCharCode(byte);
      return /[\w.~!*'()-]/.test(one) ? one : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function accepted(template: string, bound: string[], path: string): boolean {
  let next = 0;
  const spelled = template.replace(/\{[^{}]+\}/g, () => percentEncoded(bound[next++] ?? ''));
  // A comma of a value has two spellings; the literals of these templates hold none.
  return spelled.replaceAll('ü', '%C3%BC') === path.replaceAll(',', '%2C');
}

function queryAccepted(query: string, granted: string[]): boolean {
  return query.split('&').every((pair) => {
    const [key = '', ...values] = pair.split('=');
    if (values.length !== 1 || !granted.includes(key)) return false;
    return (values[0] ?? '').split(',').every((raw) => {
      try {
        const text = decodeURIComponent(raw);
        return !/[\p{Cc}\u2028\u2029]/u.test(text) && percentEncoded(text) === raw;
      } catch {
        return false;
      }
    });
  });
}
