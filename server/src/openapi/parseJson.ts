/** JSON text to a placed tree. Recovers from errors. */
import { type ParseError, printParseErrorCode, visit } from 'jsonc-parser';
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { duplicateKey, MAX_DEPTH, type ParsedTree, TOO_DEEP, type TreeProblem } from './problems.ts';
import { ArrayNode, ObjectNode, type Scalar, ScalarNode, type TreeNode } from './tree.ts';

const SENTENCES = new Map<string, string>([
  ['InvalidSymbol', 'This is not JSON: a word or sign that JSON does not have.'],
  ['InvalidNumberFormat', 'This is not a JSON number.'],
  ['PropertyNameExpected', 'A property name in double quotes has to stand here.'],
  ['ValueExpected', 'A value has to stand here.'],
  ['ColonExpected', 'A colon has to stand here.'],
  ['CommaExpected', 'A comma has to stand here.'],
  ['CloseBraceExpected', 'A closing brace is missing.'],
  ['CloseBracketExpected', 'A closing bracket is missing.'],
  ['EndOfFileExpected', 'The document ended before this; remove what follows.'],
  ['InvalidCommentToken', 'JSON has no comments; remove this one.'],
  ['UnexpectedEndOfComment', 'JSON has no comments; remove this one.'],
  ['UnexpectedEndOfString', 'The closing double quote is missing.'],
  ['UnexpectedEndOfNumber', 'This is not a JSON number.'],
  ['InvalidUnicode', 'This is not a valid \\u escape.'],
  ['InvalidEscapeCharacter', 'JSON does not know this escape.'],
  ['InvalidCharacter', 'A control character has to be written as an escape.'],
]);

interface Open {
  node: ObjectNode | ArrayNode | null;
  key: string | undefined;
  keyStart: number;
  keyEnd: number;
}

export function parseJson(source: SourceText): ParsedTree {
  const builder = new Builder(source);
  try {
    visit(source.text, builder, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The parser is recursive: absurd nesting ends in a RangeError.
    if (!(error instanceof RangeError)) throw error;
    return { root: null, problems: [{ ...TOO_DEEP, start: 0, end: 1 }] };
  }
  return { root: builder.root, problems: builder.problems };
}

class Builder {
  root: TreeNode | null = null;
  readonly problems: TreeProblem[] = [];
  readonly #source: SourceText;
  readonly #stack: Open[] = [];
  #tooDeep = false;

  constructor(source: SourceText) {
    this.#source = source;
  }

  onObjectBegin = (offset: number, length: number): void =>
    this.#open(new ObjectNode(this.#source, offset, offset + length));
  onArrayBegin = (offset: number, length: number): void =>
    this.#open(new ArrayNode(this.#source, offset, offset + length));
  onObjectEnd = (offset: number, length: number): void => this.#close(offset + length);
  onArrayEnd = (offset: number, length: number): void => this.#close(offset + length);

  onObjectProperty = (key: string, offset: number, length: number): void => {
    const top = this.#stack.at(-1);
    if (top === undefined) return;
    top.key = key;
    top.keyStart = offset;
    top.keyEnd = offset + length;
  };

  onLiteralValue = (value: Scalar, offset: number, length: number): void =>
    this.#attach(new ScalarNode(this.#source, offset, offset + length, value));

  onError = (error: ParseError['error'], offset: number, length: number): void => {
    if (this.problems.at(-1)?.start === offset) return;
    this.problems.push({
      code: 'document-syntax',
      severity: 'error',
      message: SENTENCES.get(printParseErrorCode(error)) ?? 'This is not JSON.',
      start: offset,
      end: offset + Math.max(1, length),
    });
  };

  #open(node: ObjectNode | ArrayNode): void {
    if (this.#stack.length >= MAX_DEPTH) {
      if (!this.#tooDeep) this.problems.push({ ...TOO_DEEP, start: node.start, end: node.end });
      this.#tooDeep = true;
      this.#stack.push({ node: null, key: undefined, keyStart: 0, keyEnd: 0 });
      return;
    }
    this.#attach(node);
    this.#stack.push({ node, key: undefined, keyStart: 0, keyEnd: 0 });
  }

  #close(end: number): void {
    const closed = this.#stack.pop();
    if (closed?.node) closed.node.end = end;
  }

  #attach(node: TreeNode): void {
    const top = this.#stack.at(-1);
    if (top === undefined) {
      this.root ??= node;
      return;
    }
    if (top.node instanceof ArrayNode) top.node.items.push(node);
    if (!(top.node instanceof ObjectNode) || top.key === undefined) return;
    if (!top.node.add(top.key, top.keyStart, top.keyEnd, node)) {
      this.problems.push(duplicateKey(top.key, top.keyStart, top.keyEnd));
    }
    top.key = undefined;
  }
}
