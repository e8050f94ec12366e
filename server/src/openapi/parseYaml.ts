/** YAML text to a placed tree. Recovers from errors; aliases share nodes and are counted. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { duplicateKey, MAX_DEPTH, type ParsedTree, TOO_DEEP, type TreeProblem } from './problems.ts';
import { ArrayNode, isArray, isObject, ObjectNode, type Scalar, ScalarNode, type TreeNode } from './tree.ts';

/** Nodes that all aliases of a file may stand for together: real documents share a lot, alias bombs share everything. */
const MAX_ALIASED_NODES = 1_000_000;

/**
 * Lexemes of a text that is parsed: the parser takes about 300 bytes for each. The largest real document measured has
 * 640,000, and fewer characters than `SURELY_FEW` never come near.
 */
const MAX_LEXEMES = 3_000_000;
const SURELY_FEW = 1_000_000;

/** Errors this near below another are what the parser stumbled over on its way back. */
const FOLLOW_UP_LINES = 6;

export function parseYaml(source: SourceText): ParsedTree {
  if (isTooMuch(source.text)) return { root: null, problems: [{ ...TOO_MUCH, start: 0, end: 1 }] };
  try {
    const { document, errors } = parseText(source.text);
    const converter = new Converter(source);
    const root = document.contents === null ? null : converter.convert(document.contents, 0).node;
    return { root, problems: [...syntaxProblems(errors, source), ...converter.problems] };
  } catch (error) {
    // The parser is recursive: absurd nesting ends in a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return { root: null, problems: [{ ...TOO_DEEP, start: 0, end: 1 }] };
  }
}

const TOO_MUCH = {
  code: 'document-syntax',
  severity: 'error',
  message: 'This YAML has too many parts to be read; split the document, or give it as JSON.',
} as const;

function isTooMuch(text: string): boolean {
  if (text.length < SURELY_FEW) return false;
  let left = MAX_LEXEMES;
  for (const _ of new Lexer().lex(text)) {
    left -= 1;
    if (left < 0) return true;
  }
  return false;
}

const OPTIONS = {
  version: '1.2',
  strict: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** The document, and the errors of the text as it was written. */
function parseText(text: string): { document: Document.Parsed; errors: YAMLParseError[] } {
  const document = parseDocument(text, OPTIONS);
  const mended = joinQuotedLines(text, document.errors);
  if (mended === undefined) return { document, errors: document.errors };
  const second = parseDocument(mended, OPTIONS);
  if (second.errors.length >= document.errors.length) return { document, errors: document.errors };
  const errors = [...document.errors.filter(isOpenQuote), ...second.errors];
  return { document: second, errors: errors.sort((a, b) => a.pos[0] - b.pos[0]) };
}

/**
 * Vendors publish quoted text that goes on at the indent of its key. Several parsers accept that, `yaml` ends the
 * text at the line's end and loses what follows. So those line ends become blanks, which is what quoted text makes of
 * them anyway; nothing moves. Undefined: nothing to mend.
 */
function joinQuotedLines(text: string, errors: readonly YAMLParseError[]): string | undefined {
  const pieces: string[] = [];
  let done = 0;
  for (const error of errors) {
    const [start] = error.pos;
    if (!isOpenQuote(error) || start < done) continue;
    const end = endOfQuote(text, start, error.message.includes('"') ? '"' : "'");
    if (end === undefined) break;
    pieces.push(text.slice(done, start), text.slice(start, end).replace(/[\r\n]/g, ' '));
    done = end;
  }
  return pieces.length === 0 ? undefined : pieces.join('') + text.slice(done);
}

function endOfQuote(text: string, start: number, quote: string): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] !== quote) continue;
    else if (quote === "'" && text[at + 1] === "'") at += 1;
    else return at;
  }
  return undefined;
}

function isOpenQuote(error: YAMLParseError): boolean {
  return error.code === 'MISSING_CHAR' && error.message.startsWith('Missing closing');
}

/** One problem per place: the follow-up errors of the parser are left out. */
function syntaxProblems(errors: YAMLParseError[], source: SourceText): TreeProblem[] {
  const problems: TreeProblem[] = [];
  let lastLine = Number.NEGATIVE_INFINITY;
  for (const error of errors) {
    const [start, end] = error.pos;
    const { line } = source.position(start);
    const followUp = line - lastLine <= FOLLOW_UP_LINES;
    lastLine = line;
    if (followUp) continue;
    problems.push({
      code: 'document-syntax',
      ...sentence(error, source),
      start,
      end: Math.max(end, start + 1),
    });
  }
  return problems;
}

function sentence(error: YAMLParseError, source: SourceText): Pick<TreeProblem, 'severity' | 'message'> {
  if (error.code === 'TAB_AS_INDENT') {
    return { severity: 'error', message: 'YAML is indented with spaces; replace the tab.' };
  }
  if (error.code === 'MULTIPLE_DOCS') {
    return { severity: 'warning', message: 'Only the first YAML document of a file is read.' };
  }
  if (isOpenQuote(error) && source.text.slice(error.pos[1]).trim() !== '') {
    // Several parsers accept it and vendors publish it, so it is no error; what follows in the text is kept.
    return {
      severity: 'warning',
      message: 'The quoted text goes on at too small an indent; indent it further.',
    };
  }
  return { severity: 'error', message: `This is not YAML: ${firstLine(error.message)}.` };
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/[.:]\s*$/, '');
}

/** A node and how many nodes it stands for with all aliases written out. */
interface Converted {
  node: TreeNode;
  weight: number;
}

class Converter {
  readonly problems: TreeProblem[] = [];
  readonly #source: SourceText;
  /** `null`: the anchor's node is not finished, an alias to it would be a circle. */
  readonly #anchors = new Map<string, Converted | null>();
  #aliasedNodes = 0;
  #tooDeep = false;

  constructor(source: SourceText) {
    this.#source = source;
  }

  convert(node: unknown, depth: number): Converted {
    if (isAlias(node)) return this.#alias(node.source, node.range?.[0] ?? 0, node.range?.[1] ?? 0);
    const [start, end] = rangeOf(node);
    if (depth > MAX_DEPTH) return this.#deep(start, end);
    const anchor = anchorOf(node);
    if (anchor !== undefined) this.#anchors.set(anchor, null);
    const converted = this.#plain(node, start, end, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, converted);
    return converted;
  }

  #plain(node: unknown, start: number, end: number, depth: number): Converted {
    if (isMap(node)) return this.#map(node, start, end, depth);
    if (isSeq(node)) {
      const array = new ArrayNode(this.#source, start, end);
      let weight = 1;
      for (const item of node.items) {
        const converted = this.convert(item, depth + 1);
        array.items.push(converted.node);
        weight += converted.weight;
      }
      return { node: array, weight };
    }
    const value = isScalar(node) ? jsonScalar(node.value) : null;
    return { node: new ScalarNode(this.#source, start, end, value), weight: 1 };
  }

  #map(map: YAMLMap, start: number, end: number, depth: number): Converted {
    const object = new ObjectNode(this.#source, start, end);
    const merged: TreeNode[] = [];
    let weight = 1;
    for (const pair of map.items) {
      const key = keyOf(pair, this.#source);
      const [keyStart, keyEnd] = rangeOf(pair.key);
      const value = this.convert(pair.value ?? emptyAt(keyEnd), depth + 1);
      weight += value.weight;
      if (key === undefined) this.#complexKey(keyStart, keyEnd);
      else if (isMergeKey(pair)) merged.push(...(isArray(value.node) ? value.node.items : [value.node]));
      else if (!object.add(key, keyStart, keyEnd, value.node)) {
        this.problems.push(duplicateKey(key, keyStart, keyEnd));
      }
    }
    for (const node of merged) mergeInto(object, node);
    return { node: object, weight };
  }

  #alias(anchor: string, start: number, end: number): Converted {
    const target = this.#anchors.get(anchor);
    if (target === undefined || target === null) {
      const what = target === null ? 'stands inside its own anchor' : 'has no anchor';
      return this.#nothing(start, end, `The alias *${anchor} ${what}; it is read as null.`);
    }
    this.#aliasedNodes += target.weight;
    if (this.#aliasedNodes <= MAX_ALIASED_NODES) return target;
    return this.#nothing(
      start,
      end,
      'The aliases of this document stand for too many nodes; this one is read as null.',
    );
  }

  #deep(start: number, end: number): Converted {
    if (!this.#tooDeep) this.problems.push({ ...TOO_DEEP, start, end });
    this.#tooDeep = true;
    return { node: new ScalarNode(this.#source, start, end, null), weight: 1 };
  }

  #complexKey(start: number, end: number): void {
    const message = 'A key has to be a plain text; this entry is not read.';
    this.problems.push({ code: 'document-syntax', severity: 'warning', message, start, end });
  }

  #nothing(start: number, end: number, message: string): Converted {
    this.problems.push({ code: 'document-alias', severity: 'error', message, start, end });
    return { node: new ScalarNode(this.#source, start, end, null), weight: 1 };
  }
}

function mergeInto(object: ObjectNode, node: TreeNode): void {
  if (!isObject(node)) return;
  // Its own keys win, and the earlier of two merged ones: `add` keeps what is there.
  for (const [key, value] of node.entries()) object.add(key, value.start, value.start, value);
}

function rangeOf(node: unknown): [number, number] {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
    return [0, 0];
  return [Number(node.range[0]), Number(node.range[1])];
}

function anchorOf(node: unknown): string | undefined {
  return (isMap(node) || isSeq(node) || isScalar(node)) && node.anchor ? node.anchor : undefined;
}

/** What stands for a value that is not there, placed behind its key. */
function emptyAt(offset: number): { range: [number, number, number] } {
  return { range: [offset, offset, offset] };
}

/** Keys as written: `200`, `on` and `1.0` stay what the author typed. */
function keyOf(pair: Pair, source: SourceText): string | undefined {
  if (!isScalar(pair.key)) return undefined;
  if (typeof pair.key.value === 'string') return pair.key.value;
  const [start, end] = rangeOf(pair.key);
  return pair.key.source ?? source.text.slice(start, end);
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.value === '<<';
}

function jsonScalar(value: unknown): Scalar {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
