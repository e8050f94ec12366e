import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  jsDocText,
  jsString,
  markdownCode,
  markdownText,
  oneLine,
  plainLines,
  terminalText,
  xmlText,
} from '../../../shared/src/text.ts';

/** Bidi overrides, zero widths, tags, fillers, controls: nothing of it may be left. */
const INVISIBLE = [
  '\u0000',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u202a',
  '\u202e',
  '\u2060',
  '\u2066',
  '\u2069',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\ufff9',
  '\ue000',
  '\u{e0041}',
  '\u{e0101}',
  '\uffff',
];

describe('oneLine', () => {
  test.each([
    ['a\r\n  b\tc\u2028d\u0085e', 'a b c d e'],
    ['  x  ', 'x'],
    ['\u202egpj.exe', 'gpj.exe'],
    ['\u001b[31mred\u001b[0m', '[31mred[0m'],
    ['lone \ud800 half', 'lone \ufffd half'],
    [`e${'\u0301'.repeat(50)}`, `e${'\u0301'.repeat(4)}`],
    ['한국어 é 漢字 😀', '한국어 é 漢字 😀'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  test.each(INVISIBLE)('%j goes', (character) => {
    expect(oneLine(`a${character}b`)).toBe('ab');
  });

  test('long text ends at a sentence, else at a word, else anywhere', () => {
    expect(oneLine('One sentence here. Another one that is longer.', 30)).toBe('One sentence here. …');
    expect(oneLine('no sentence but words and words and words', 20)).toBe('no sentence but…');
    expect(oneLine('x'.repeat(50), 20)).toBe(`${'x'.repeat(20)}…`);
    expect(oneLine(`${'x'.repeat(19)}😀`, 20)).toBe(`${'x'.repeat(19)}…`);
    expect(oneLine('Version 2.4.0 of it is what this is about', 20)).toBe('Version 2.4.0 of it…');
    expect(oneLine('short', 20)).toBe('short');
  });

  test('a huge text of blanks is cut too', () => {
    expect(oneLine(`a${' '.repeat(1_000_000)}b`, 20)).toBe('a…');
  });
});

test('plainLines keeps lines, drops blank ends, and says when lines are missing', () => {
  expect(plainLines('\n\na\u001b[2J\r\n\nb\n', 10, 80)).toEqual(['a[2J', '', 'b']);
  expect(plainLines('1\n2\n3\n4', 2, 80)).toEqual(['1', '2', '…']);
});

test('terminalText leaves no way to start an escape sequence', () => {
  expect(terminalText('\u001b]0;title\u0007\u009b31mx')).toBe(']0;title31mx');
});

describe('jsDocText', () => {
  test.each([
    ['*/ alert(1) /*', '* / alert(1) /*'],
    ['**/', '** /'],
    ['*\u200b/', '* /'],
    ['@deprecated no', '(at)deprecated no'],
    ['a\n@deprecated no', 'a @deprecated no'],
    ['see {@link command:x}', 'see { (at)link command :x}'],
    ['![i](https://x/y.png)', '(i)(https://x/y.png)'],
    ['[go](command:rm?%22x%22)', '(go)(command :rm?%22x%22)'],
    ['<img src=x> `code`', "‹img src=x› 'code'"],
  ])('%j', (text, expected) => {
    expect(jsDocText(text)).toBe(expected);
  });
});

describe('markdownText', () => {
  test.each([
    ['![i](https://x/y.png)', '\\!\\[i\\]\\(https\\://x/y\\.png\\)'],
    ['<b>&amp;', '&lt;b\\>&amp;amp;'],
    ['# a | b', '\\# a \\| b'],
    ['[x](command:y)', '\\[x\\]\\(command \\:y\\)'],
    ['`x` *y* _z_ $m$', '\\`x\\` \\*y\\* \\_z\\_ \\$m\\$'],
  ])('%j', (text, expected) => {
    expect(markdownText(text)).toBe(expected);
  });

  test('code has a fence that the text cannot close', () => {
    expect(markdownCode('a')).toBe('`a`');
    expect(markdownCode('a``b')).toBe('```a``b```');
    expect(markdownCode('`')).toBe('`` ` ``');
  });
});

test('xmlText escapes markup and leaves no character that XML forbids', () => {
  expect(xmlText('<a b="c" d=\'e\'>&\u0000\uffff')).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
});

describe('jsString', () => {
  test('the value is kept, what is invisible is written as an escape', () => {
    expect(jsString('a"b\\\u2028\u202e\u200b</script>*/')).toBe(
      '"a\\"b\\\\\\u2028\\u202e\\u200b\\u003c/script>\\u002a/"',
    );
    expect(jsString(`\`$${'{x}'}\``)).toBe('"\\u0060\\u0024{x}\\u0060"');
  });

  test('any text comes back as it was, and none of it is visible trouble', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = jsString(text);
        expect(JSON.parse(written)).toBe(text);
        expect(written).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<`]|\*\/|\$\{/u);
      }),
    );
  });
});

test('no gate lets through what it is there for', () => {
  const pieces = fc.constantFrom(...INVISIBLE, ...'*/<[](!`@{a .\n\\');
  const hostile = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(hostile, (text) => {
      for (const gate of [oneLine, terminalText, jsDocText, markdownText, xmlText, markdownCode]) {
        expect(gate(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }
      expect(jsDocText(text)).not.toMatch(/\*\/|^@|\{\s*@|[[\]<>`]/);
      expect(xmlText(text)).not.toMatch(/[<>"']/);
      expect(markdownText(text).replace(/\\./g, '')).not.toMatch(/[[\]()!`*<]/);
    }),
  );
});
