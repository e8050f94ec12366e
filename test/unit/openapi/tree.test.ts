import { describe, expect, it } from 'vitest';
import { parseTree } from '../../../server/src/openapi/parse.ts';
import { ObjectNode, toJson } from '../../../server/src/openapi/tree.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';

function parse(text: string, file = 'a.yaml') {
  const source = new SourceText(file, text);
  const { root, problems } = parseTree(source);
  return {
    root,
    json: root === null ? undefined : toJson(root),
    problems: problems.map(({ code, severity, start }) => {
      const { line, character } = source.position(start);
      return `${severity} ${code} ${line + 1}:${character + 1}`;
    }),
  };
}

function object(text: string, file?: string): ObjectNode {
  const { root } = parse(text, file);
  if (!(root instanceof ObjectNode)) throw new Error('no object');
  return root;
}

describe('reading YAML and JSON into one tree', () => {
  it('gives the same values for both', () => {
    const expected = { a: 1, b: ['x', null, true], c: { d: -0.5 } };
    expect(parse('a: 1\nb: [x, null, true]\nc:\n  d: -0.5\n').json).toEqual(expected);
    expect(parse('{"a": 1, "b": ["x", null, true], "c": {"d": -0.5}}', 'a.json').json).toEqual(expected);
  });

  it('places keys and values, in YAML and in JSON', () => {
    for (const [text, file] of [
      ['first: 1\nsecond:  two\n', 'a.yaml'],
      ['{"first": 1,\n"second":  "two"}', 'a.json'],
    ] as const) {
      const root = object(text, file);
      const start = { line: 1, character: 0 };
      const quotes = file === 'a.json' ? 2 : 0;
      expect(root.keyRange('second')).toEqual({ file, start, end: { line: 1, character: 6 + quotes } });
      expect(root.get('second')?.range).toEqual({
        file,
        start: { line: 1, character: 9 + quotes },
        end: { line: 1, character: 12 + 2 * quotes },
      });
    }
  });

  it('counts lines that end in CRLF, CR and LF, and columns in UTF-16 units', () => {
    const source = new SourceText('a', 'a\r\nb\rc\n😀d');
    expect(source.position(3)).toEqual({ line: 1, character: 0 });
    expect(source.position(5)).toEqual({ line: 2, character: 0 });
    expect(source.position(9)).toEqual({ line: 3, character: 2 });
    expect(source.position(999)).toEqual({ line: 3, character: 3 });
  });

  it('keeps keys as they are written', () => {
    expect(object('200: a\non: b\n1.0: c\nnull: d\n').keys).toEqual(['200', 'on', '1.0', 'null']);
  });

  it('reads on, off, yes and no as texts', () => {
    expect(parse('[on, off, yes, no, true]').json).toEqual(['on', 'off', 'yes', 'no', true]);
  });

  it('picks the parser by extension and first character', () => {
    expect(parse('{openapi: 3.0.3}', 'a.yaml')).toMatchObject({ json: { openapi: '3.0.3' }, problems: [] });
    expect(parse('{"a": 1}', 'a.yaml')).toMatchObject({ json: { a: 1 }, problems: [] });
    expect(parse('a: 1', 'a.json')).toMatchObject({ json: { a: 1 }, problems: [] });
    expect(parse('{a: 1}', 'a.json').problems).not.toEqual([]);
  });

  it('keeps the first of two equal keys and reports the second', () => {
    const yaml = parse('a: 1\nb: 2\na: 3\n');
    expect(yaml).toMatchObject({ json: { a: 1, b: 2 }, problems: ['error document-duplicate-key 3:1'] });
    const json = parse('{"a": 1,\n "a": 3}', 'a.json');
    expect(json).toMatchObject({ json: { a: 1 }, problems: ['error document-duplicate-key 2:2'] });
  });

  it('looks foreign keys up without a prototype', () => {
    const root = object('{"__proto__": {"polluted": true}, "constructor": 1}', 'a.json');
    expect(root.keys).toEqual(['__proto__', 'constructor']);
    expect(root.get('toString')).toBeUndefined();
    const json = toJson(root);
    expect(Object.getPrototypeOf(json)).toBeNull();
    expect(Object.keys(json as object)).toEqual(['__proto__', 'constructor']);
  });

  it('shares aliased nodes and merges `<<`, own keys first', () => {
    const text = 'base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}\nlist: {<<: [*b, {z: 4, x: 9}]}\nsame: *b\n';
    expect(parse(text)).toMatchObject({
      problems: [],
      json: { base: { x: 1, y: 2 }, more: { x: 1, y: 3 }, list: { x: 1, y: 2, z: 4 }, same: { x: 1, y: 2 } },
    });
  });

  it('reads an alias in its own anchor, and one without an anchor, as null', () => {
    expect(parse('a: &a [1, *a]\nb: *nowhere\n')).toMatchObject({
      json: { a: [1, null], b: null },
      problems: expect.arrayContaining(['error document-alias 1:11', 'error document-alias 2:4']),
    });
  });

  it('stops an alias bomb', () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `a${i}: &a${i} [${Array(9).fill(i === 0 ? 'x' : `*a${i - 1}`)}]`,
    );
    const { problems } = parse(levels.join('\n'));
    expect(problems[0]).toMatch(/^error document-alias /);
  });

  it('names a tab, once, and the line where a key is broken', () => {
    expect(parse('a:\n  b: 1\n\tc: 2\nd: 3\n').problems).toEqual(['error document-syntax 3:1']);
    expect(parse('{"a": 1,, "b": 2}', 'a.json')).toMatchObject({
      json: { a: 1, b: 2 },
      problems: ['error document-syntax 1:9'],
    });
  });

  it('keeps what follows a quoted text that goes on at its key’s indent', () => {
    const text = "a:\n  text: 'one\n  two: it''s\n  three'\n  next: 1\nb: 2\n";
    expect(parse(text)).toMatchObject({
      json: { a: { text: "one   two: it's   three", next: 1 }, b: 2 },
      problems: ['warning document-syntax 2:13'],
    });
  });

  it('calls a quote that never closes an error', () => {
    expect(parse('a: 1\nb: "open\n').problems).toEqual(['error document-syntax 3:1']);
  });

  it('stops at absurd nesting', () => {
    const deep = 100_000;
    expect(parse('['.repeat(deep), 'a.json').problems[0]).toMatch(/^error document-syntax/);
    expect(parse(`${'{"a":'.repeat(250)}1${'}'.repeat(250)}`, 'a.json').problems).toHaveLength(1);
    expect(parse(`a: ${'['.repeat(deep)}`).problems[0]).toMatch(/^error document-syntax/);
    expect(parse(`a: ${'['.repeat(250)}${']'.repeat(250)}`).problems).toHaveLength(1);
  });
});
