/**
 * The `.grant` language: one route or directive a line.
 *
 *     POST /robots ?dry_run header:X-Trace key:body:/command_id safe max:40   # comment
 *     @health GET /health
 *     @batch  GET /robots for GET /robots/*
 *
 * A line with an error grants nothing: half-read it could allow more than was meant.
 */

import { didYouMean } from '../../../shared/src/nearest.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import type { Diagnostic, HttpMethod, SourceRange } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { Grant, GrantKey, GrantRoute, GrantWord, RouteReference } from './grant.ts';
import { headerProblem, pathProblem, pointerProblem } from './words.ts';

const METHODS: readonly HttpMethod[] = [
  'GET',
  'PUT',
  'POST',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'QUERY',
];
const DIRECTIVES = ['@health', '@batch'];
const OPTION_WORDS = ['safe', 'max:', 'key:body:', 'key:header:', 'key:path:', 'header:'];

/** Words of one line, comment left out. */
export function wordsOf(source: SourceText, start: number, line: string): GrantWord[] {
  const words: GrantWord[] = [];
  for (const match of line.matchAll(/[^ \t]+/g)) {
    if (match[0].startsWith('#')) break;
    const from = start + match.index;
    words.push({ text: match[0], range: source.range(from, from + match[0].length) });
  }
  return words;
}

/** @param file relative to the project folder, with `/` */
export function parseGrant(file: string, text: string): Grant {
  const source = new SourceText(file, text);
  const parser = new Parser(file);
  for (const match of text.matchAll(/[^\r\n]+/g)) {
    const words = wordsOf(source, match.index, match[0]);
    if (words.length > 0) parser.line(words);
  }
  return parser.grant;
}

class Parser {
  readonly grant: Grant;
  readonly #routes = new Map<string, GrantRoute>();

  constructor(file: string) {
    this.grant = { file, routes: [], batches: [], diagnostics: [] };
  }

  line(words: readonly GrantWord[]): void {
    const before = this.grant.diagnostics.length;
    const [first, ...rest] = words;
    if (first === undefined) return;
    if (first.text === '@health') this.#health(first, rest);
    else if (first.text === '@batch') this.#batch(first, rest);
    else if (first.text.startsWith('@')) {
      this.#error(first.range, `"${first.text}" is no directive.${didYouMean(first.text, DIRECTIVES)}`);
    } else this.#route(first, rest, before);
  }

  #route(first: GrantWord, [path, ...options]: readonly GrantWord[], before: number): void {
    const reference = this.#reference(first, path);
    if (reference === undefined || path === undefined) return;
    const source = span(first.range, (options.at(-1) ?? path).range);
    const route: GrantRoute = { ...reference, query: [], headers: [], source };
    for (const option of options) this.#option(route, option);
    if (this.grant.diagnostics.slice(before).some(({ severity }) => severity === 'error')) return;
    const name = `${route.method} ${route.path}`;
    if (this.#routes.has(name)) {
      this.#add(
        'duplicate-route',
        'warning',
        route.range,
        `${name} is granted above; this line is not heeded.`,
      );
      return;
    }
    this.#routes.set(name, route);
    this.grant.routes.push(route);
  }

  #reference(method: GrantWord | undefined, path: GrantWord | undefined): RouteReference | undefined {
    if (method === undefined) return undefined;
    const known = METHODS.find((name) => name === method.text);
    if (known === undefined) {
      const hint = didYouMean(method.text, METHODS);
      this.#error(
        method.range,
        `A route starts with a method in capitals, and "${method.text}" is none.${hint}`,
      );
      return undefined;
    }
    if (path === undefined) {
      this.#error(method.range, `After ${known} comes a path, such as /robots/*.`);
      return undefined;
    }
    const problem = pathProblem(path.text);
    if (problem !== undefined) {
      this.#error(path.range, problem);
      return undefined;
    }
    return { method: known, path: path.text, range: span(method.range, path.range) };
  }

  #option(route: GrantRoute, word: GrantWord): void {
    const { text } = word;
    if (text.startsWith('?')) this.#query(route, word);
    else if (text.startsWith('header:')) this.#header(route, word);
    else if (text.startsWith('key:')) this.#key(route, word);
    else if (text.startsWith('max:')) this.#max(route, word);
    else if (text === 'safe') this.#safe(route, word);
    else {
      const hint = didYouMean(text, OPTION_WORDS);
      this.#error(
        word.range,
        `"${text}" is no option of a route: ?name, header:, key:, safe and max: are.${hint}`,
      );
    }
  }

  #query(route: GrantRoute, word: GrantWord): void {
    const name = word.text.slice(1);
    if (name === '') this.#error(word.range, 'After "?" comes the name of a query key.');
    else if (/[&=?#%]/.test(name))
      this.#error(word.range, 'A query key stands alone: one "?name" for each, without values.');
    else if (route.query.some((other) => other.text === name)) this.#repeated(word);
    else route.query.push({ text: name, range: word.range });
  }

  #header(route: GrantRoute, word: GrantWord): void {
    const name = word.text.slice('header:'.length);
    const problem = headerProblem(name);
    if (problem !== undefined) this.#error(word.range, problem);
    else if (route.headers.some((other) => other.text.toLowerCase() === name.toLowerCase()))
      this.#repeated(word);
    else route.headers.push({ text: name, range: word.range });
  }

  #key(route: GrantRoute, word: GrantWord): void {
    const key = this.#readKey(route, word);
    if (key === undefined) return;
    if (route.key !== undefined)
      this.#error(word.range, 'A route has one key; remove this one or the other.');
    else route.key = key;
  }

  #readKey(route: GrantRoute, word: GrantWord): GrantKey | undefined {
    const { range } = word;
    const [, place = '', value = ''] = /^key:([^:]*):?(.*)$/s.exec(word.text) ?? [];
    if (place === 'body') {
      const problem = pointerProblem(value);
      if (problem === undefined) return { in: 'body', pointer: value, range };
      this.#error(range, problem);
    } else if (place === 'header') {
      const problem = headerProblem(value);
      if (problem === undefined) return { in: 'header', name: value, range };
      this.#error(range, problem);
    } else if (place === 'path') {
      if (value !== '' && route.path.includes('*')) return { in: 'path', name: value, range };
      this.#error(range, 'After "key:path:" comes the name of a parameter of this path.');
    } else {
      const hint = didYouMean(`key:${place}:`, OPTION_WORDS);
      this.#error(
        range,
        `A key is in the body, a header or the path: key:body:/pointer, key:header:Name, key:path:name.${hint}`,
      );
    }
    return undefined;
  }

  #max(route: GrantRoute, word: GrantWord): void {
    const written = word.text.slice('max:'.length);
    if (!/^[1-9]\d{0,8}$/.test(written)) {
      this.#error(word.range, 'After "max:" comes how many calls a run may make, such as max:40.');
    } else if (route.max !== undefined)
      this.#error(word.range, 'A route has one call budget; remove this one or the other.');
    else route.max = { calls: Number(written), range: word.range };
  }

  #safe(route: GrantRoute, word: GrantWord): void {
    if (route.safe !== undefined) this.#repeated(word);
    else if (route.method !== 'POST') {
      this.#add(
        'grant-syntax',
        'warning',
        word.range,
        `"safe" says that a POST only reads; on a ${route.method} it says nothing.`,
      );
    } else route.safe = word.range;
  }

  #health(first: GrantWord, [method, path, ...more]: readonly GrantWord[]): void {
    if (method === undefined) this.#error(first.range, 'After @health comes a route, such as GET /health.');
    const route = this.#reference(method, path);
    if (route === undefined || !this.#ends(more)) return;
    if (route.path.includes('*'))
      this.#error(route.range, 'The broker has no values for a "*": @health names a fixed path.');
    else if (this.grant.health !== undefined)
      this.#add(
        'duplicate-route',
        'warning',
        first.range,
        'The grant has one @health route above; this line is not heeded.',
      );
    else this.grant.health = route;
  }

  #batch(first: GrantWord, [method, path, word, forMethod, forPath, ...more]: readonly GrantWord[]): void {
    const by = this.#reference(method, path);
    if (by !== undefined && word?.text === 'for' && forMethod !== undefined) {
      const served = this.#reference(forMethod, forPath);
      if (served !== undefined && this.#ends(more)) this.grant.batches.push({ by, served });
    } else if (by !== undefined || method === undefined) {
      this.#error(word?.range ?? first.range, 'A batch is written @batch GET /robots for GET /robots/*.');
    }
  }

  #ends([word]: readonly GrantWord[]): boolean {
    if (word !== undefined) this.#error(word.range, `Nothing more may follow here, and "${word.text}" does.`);
    return word === undefined;
  }

  #repeated(word: GrantWord): void {
    this.#add('grant-syntax', 'warning', word.range, `"${word.text}" stands in this line twice.`);
  }

  #error(range: SourceRange, message: string): void {
    this.#add('grant-syntax', 'error', range, message);
  }

  #add(code: string, severity: Diagnostic['severity'], range: SourceRange, message: string): void {
    this.grant.diagnostics.push({ code, severity, range, message: oneLine(message) });
  }
}

function span(from: SourceRange, to: SourceRange): SourceRange {
  return { file: from.file, start: from.start, end: to.end };
}
