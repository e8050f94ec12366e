import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parseGrant } from '../../../server/src/grant/parse.ts';
import type { FileContext } from '../../../server/src/language/feature.ts';
import { completeGrant } from '../../../server/src/language/grantCompletion.ts';
import {
  definitionInGrant,
  grantFolds,
  grantLenses,
  grantLinks,
  hoverGrant,
} from '../../../server/src/language/grantFeatures.ts';
import { formattedGrant } from '../../../server/src/language/grantFormat.ts';
import { Workspace } from '../../../server/src/session/workspace.ts';
import { exampleFolder } from '../../support/loadline.ts';

const uri = pathToFileURL(`${exampleFolder}/fleet.grant`).href;

/** The example's grant as an editor holds it, with this text. */
async function context(text: string): Promise<FileContext> {
  const document = TextDocument.create(uri, 'loadline-grant', 1, text);
  const workspace = new Workspace({
    documents: () => [document],
    document: (asked) => (asked === uri ? document : undefined),
    folders: () => [],
    configuration: async () => undefined,
    results: () => ({ scenarios: () => [] }),
  });
  workspace.editor = { ...workspace.editor, markdown: true };
  const found = await workspace.context(uri);
  if (found === null) throw new Error('The grant was not found.');
  return found;
}

async function labels(marked: string): Promise<string[]> {
  const before = marked.slice(0, marked.indexOf('|'));
  const line = before.split('\n').length - 1;
  const character = before.length - (before.lastIndexOf('\n') + 1);
  const items = completeGrant(await context(marked.replace('|', '')), { line, character });
  return [...items]
    .sort((a, b) => (a.sortText ?? '').localeCompare(b.sortText ?? ''))
    .map(({ label }) => label);
}

describe('completion', () => {
  test('a line of its own: routes that are not granted first', async () => {
    expect(await labels('GET /robots\n|')).toEqual([
      'GET /health',
      'GET /robots/*',
      'DELETE /robots/*',
      'POST /robots/*/firmware',
      'POST /robots/*/missions',
      'GET /missions/*',
      'POST /missions/*/cancel',
      '@health',
      '@batch',
      'GET /robots',
    ]);
  });

  test.each([
    ['paths of a method', 'POST |', ['/robots/*/firmware', '/robots/*/missions', '/missions/*/cancel']],
    [
      'options of a route',
      'POST /robots/*/missions |',
      ['key:body:/target', 'key:body:/command_id', 'key:path:id', 'safe', 'max:'],
    ],
    ['not those that stand', 'POST /robots/*/missions key:body:/command_id |', ['safe', 'max:']],
    ['a route for @health', '@health GET |', ['/health', '/robots']],
    ['the word of a batch', '@batch GET /robots |', ['for']],
    ['nothing in a comment', '# GET |', []],
  ])('%s', async (_name, marked, expected) => {
    expect(await labels(marked)).toEqual(expected);
  });
});

test('hover, definition, links and lens', async () => {
  const text = 'GET /robots\nPOST /robots/*/missions key:body:/command_id\n';
  const grant = await context(text);
  const hover = await hoverGrant(grant, { line: 1, character: 3 });
  const shown =
    hover && 'value' in (hover.contents as object) ? (hover.contents as { value: string }).value : '';
  expect(shown.split('\n\n').slice(0, 3)).toEqual([
    '`createMission`',
    '`POST /robots/{id}/missions`',
    '**Granted** by `POST /robots/*/missions`',
  ]);
  expect(shown).toContain('Called by `adapter-v1.js`, `adapter-v2.js`, `adapter-v3.js`');
  expect(
    definitionInGrant(grant, { line: 0, character: 1 }).map((each) => each.uri.split('/').at(-1)),
  ).toEqual(['vendor.openapi.yaml']);
  expect(
    grantLinks(grant).map(
      ({ range, target }) =>
        `${range.start.line}:${range.start.character} ${target?.split('/').at(-1)?.replace(/\d+/, 'N')}`,
    ),
  ).toEqual(['0:4 vendor.openapi.yaml#LN'.replace('#L', '#'), '1:5 vendor.openapi.yaml#N']);
  expect(grantLenses(grant).map(({ command }) => command?.title)).toEqual(['2 of 8 operations']);
});

test('folds of comments and blocks', async () => {
  const grant = await context('# a\n# b\n\nGET /robots\nGET /health\n');
  expect(grantFolds(grant).map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
    [0, 1],
    [3, 4],
  ]);
});

describe('formatting', () => {
  test('columns in each block, comments and line ends kept', () => {
    const text =
      '#  what it may\nGET   /robots ?a\nPOST /robots/*/missions   key:body:/id # one\r\nGET /h\n\n@batch GET /a for GET /a/*\n@health  GET /h';
    expect(formattedGrant(text)).toBe(
      '#  what it may\nGET  /robots            ?a\nPOST /robots/*/missions key:body:/id  # one\r\nGET  /h\n\n@batch  GET /a for GET /a/*\n@health GET /h',
    );
  });

  test('the grant means the same, and formatting again changes nothing', () => {
    const word = fc.constantFrom(
      'GET',
      'POST',
      '/a',
      '/a/*',
      '?q',
      'safe',
      'max:3',
      'key:body:/x',
      '@health',
      '# c',
      '  ',
      '\t',
    );
    const end = fc.constantFrom('\n', '\r\n', '\n\n');
    const grant = fc.array(fc.tuple(fc.array(word, { maxLength: 6 }), end), { maxLength: 12 });
    fc.assert(
      fc.property(grant, (lines) => {
        const text = lines.map(([words, lineEnd]) => words.join(' ') + lineEnd).join('');
        const formatted = formattedGrant(text);
        const meaning = ({ routes, batches, health }: ReturnType<typeof parseGrant>) =>
          JSON.stringify([routes, batches, health], (key, value) =>
            key === 'range' || key === 'source' || key === 'safe' ? value && true : value,
          );
        expect(meaning(parseGrant('a', formatted))).toBe(meaning(parseGrant('a', text)));
        expect(formattedGrant(formatted)).toBe(formatted);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
