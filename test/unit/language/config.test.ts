/** Completion, hover, links and definition in loadline.json. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InsertTextFormat } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { completeConfig } from '../../../server/src/language/configCompletion.ts';
import { configLinks, definitionInConfig, hoverConfig } from '../../../server/src/language/configFeatures.ts';
import { simulatedVendors } from '../../../server/src/vendor/simulated.ts';
import { schemasAt } from '../../../server/src/workspace/configSchema.ts';
import { completionText, hoverText } from '../../support/lspClient.ts';
import { type Asked, FeatureDesk } from './desk.ts';

const GOOD = `{
  // What judges.
  "contract": "fleet/1",
  "client": "fleet",
  "openapi": "vendor.openapi.yaml",
  "grant": "fleet.grant",
  "vendor": "simulated:fleet",
  "adapters": ["adapter*.js", "broken/adapter-*.js", "adapter.js"],
}
`;

let desk: FeatureDesk;
beforeAll(async () => {
  desk = new FeatureDesk();
  mkdirSync(join(desk.folder, 'more'));
  mkdirSync(join(desk.folder, 'other'));
  desk.write('adapter.js', '');
  desk.write('more/api.json', '{"openapi":"3.1.0"}');
  desk.write('more/old.yml', '# old\nswagger: "2.0"\n');
  desk.write('more/notes.yaml', 'openapi is the word\n');
  desk.write('more/vendor.model.yaml', 'resources: []\n');
  desk.write('more/de\u202epot.grant', '');
  desk.write('more/$1.grant', '');
  // Of another project, and of the rest of the disk.
  desk.write('other/loadline.json', '{}');
  desk.write('other/api.yaml', 'openapi: 3.1.0\n');
  symlinkSync('/etc', join(desk.folder, 'etc'));
  symlinkSync('/etc/hostname', join(desk.folder, 'host.grant'));
  // The project is known before somebody types in it.
  await desk.workspace.projectOf(desk.folder);
});
beforeEach(() => desk.documents.clear());
afterAll(() => desk.dispose());

/** `text` has one `|` where the cursor is. */
const ask = (text: string): Promise<Asked> => desk.ask(text, 'loadline.json');

/** `label | detail`, in order. */
async function offered(text: string): Promise<string[]> {
  const { context, position } = await ask(text);
  return completionText(completeConfig(context, position));
}

/** The text with the item of that label in it; where a snippet puts the cursor is `|`. */
async function taken(text: string, label: string): Promise<string> {
  const { context, position } = await ask(text);
  const item = completeConfig(context, position).find((each) => each.label === label);
  if (item?.textEdit === undefined || !('range' in item.textEdit)) return 'not offered';
  const written = TextDocument.applyEdits(context.document, [item.textEdit]);
  return item.insertTextFormat === InsertTextFormat.Snippet ? written.replace('$1', '|') : written;
}

const REQUIRED = ['contract', 'client', 'openapi', 'grant', 'vendor'].map((key) => `${key} | required`);

describe('completion', () => {
  test.each([
    ['every key', '{ | }', [...REQUIRED, 'adapters', 'capability']],
    ['a key in quotes', '{ "con|" }', [...REQUIRED, 'adapters', 'capability']],
    ['keys that do not stand yet', GOOD.replace('"client"', '"|"'), ['client | required', 'capability']],
    [
      'keys after a trailing comma',
      '{ "contract": "fleet/1", "grant": "", | }',
      ['client | required', 'openapi | required', 'vendor | required', 'adapters', 'capability'],
    ],
    ['keys of the vendor', '{ "vendor": { "url": "", | } }', ['model | required']],
    [
      'keys of the capability',
      '{ "capability": { | } }',
      ['write | required', 'identity | required', 'projected | required', 'transient'],
    ],
    ['contracts that this version knows', '{ "contract": "|" }', ['fleet/1 | 16 scenarios, 8 rules']],
    [
      'documents by their first words',
      '{ "openapi": "|" }',
      [
        'more/api.json | OpenAPI document',
        'more/old.yml | OpenAPI document',
        'vendor.openapi.yaml | OpenAPI document',
      ],
    ],
    [
      'documents where nothing is typed yet',
      '{ "openapi": | }',
      [
        'more/api.json | OpenAPI document',
        'more/old.yml | OpenAPI document',
        'vendor.openapi.yaml | OpenAPI document',
      ],
    ],
    ['grants of the folder', '{ "grant": "fl|" }', ['fleet.grant', 'more/$1.grant', 'more/depot.grant']],
    ['vendors', '{ "vendor": "|" }', ['simulated:fleet', 'more/vendor.model.yaml']],
    [
      'a vendor that listens',
      '{ "vendor": | }',
      ['simulated:fleet', 'more/vendor.model.yaml', '{ model, url }'],
    ],
    ['models', '{ "vendor": { "model": "|" } }', ['more/vendor.model.yaml']],
    ['patterns and scripts', '{ "adapters": ["|"] }', ['adapter*.js', '**/adapter*.js', 'adapter.js']],
    [
      'patterns that do not stand yet',
      '{ "adapters": ["adapter*.js", "|"] }',
      ['**/adapter*.js', 'adapter.js'],
    ],
    ['all of it where nothing stands', '|', ['{ contract, client, openapi, grant, vendor }']],
    ['nothing that is free', '{ "client": "|" }', []],
    ['nothing in a line comment', '{ "contract": "", // |\n }', []],
    ['nothing in a block comment', '{ /* | */ }', []],
    ['nothing behind a value', '{ "contract": "fleet/1" | }', []],
    ['nothing before a value', '{ "contract":| "fleet/1" }', []],
    ['nothing under a key that there is not', '{ "__proto__": { "|": 1 } }', []],
    ['nothing in a text of a text', '{ "contract": { "|" } }', []],
  ])('%s', async (_name, text, expected) => {
    expect(await offered(text)).toEqual(expected);
  });

  test.each([
    ['{ | }', 'adapters', '{ "adapters": ["|"] }'],
    ['{ con| }', 'contract', '{ "contract": "|" }'],
    ['{ "con|": "fleet/1" }', 'contract', '{ "contract": "fleet/1" }'],
    ['{ | "grant": "" }', 'client', '{ "client": "|", "grant": "" }'],
    ['{ | }', 'capability', '{ "capability": { "write": "|", "identity": "", "projected": "" } }'],
    ['{ "vendor": | }', '{ model, url }', '{ "vendor": { "model": "|", "url": "" } }'],
    ['{ "openapi": "ven|dor.yaml" }', 'vendor.openapi.yaml', '{ "openapi": "vendor.openapi.yaml" }'],
    ['{ "openapi": ven| }', 'vendor.openapi.yaml', '{ "openapi": "vendor.openapi.yaml" }'],
    ['{ "openapi": "|', 'more/api.json', '{ "openapi": "more/api.json"'],
    // Letters that cannot be seen are written so that they can be.
    ['{ "grant": "|" }', 'more/depot.grant', '{ "grant": "more/de\\u202epot.grant" }'],
    ['{ "grant": "|" }', 'more/$1.grant', '{ "grant": "more/$1.grant" }'],
  ])('%s with %s', async (text, label, expected) => {
    expect(await taken(text, label)).toBe(expected);
  });

  test('in an editor without snippets writes plain text', async () => {
    const { context, position } = await ask('{ | }');
    const plain = { ...context, editor: { ...context.editor, snippets: false } };
    const [first] = completeConfig(plain, position);
    expect([first?.textEdit?.newText, first?.insertTextFormat]).toEqual([
      '"contract": ""',
      InsertTextFormat.PlainText,
    ]);
  });

  test('writes of the document and properties of their bodies', async () => {
    const text = (write: string, identity: string) =>
      GOOD.replace('// What judges.', '')
        .replace('fleet/1', 'capability-write/1')
        .replace(
          '"],\n}',
          `"],\n  "capability": {"write": "${write}", "identity": ["${identity}"], "projected": ["target"]}\n}`,
        );
    expect(await offered(text('|', 'a'))).toEqual([
      'decommissionRobot | DELETE /robots/{id}',
      'updateFirmware | POST /robots/{id}/firmware',
      'createMission | POST /robots/{id}/missions',
      'cancelMission | POST /missions/{id}/cancel',
    ]);
    expect(await offered(text('createMission', '|'))).toEqual(['target', 'command_id']);
    const { context, position } = await ask(text('createM|ission', 'a'));
    expect(definitionInConfig(context, position).map(({ uri }) => uri.split('/').at(-1))).toEqual([
      'vendor.openapi.yaml',
    ]);
  });
});

describe('hover', () => {
  const said = async (text: string) => {
    const { context, position } = await ask(text);
    const hover = hoverConfig(context, position);
    return hover && `${context.document.getText(hover.range)} -> ${hoverText(hover)}`;
  };

  test.each([
    [
      '{ "con|tract": "fleet/1" }',
      '"contract" -> The contract that adapters here are judged by\\.\n\nOne of `fleet/1`, `capability-write/1`',
    ],
    [
      '{ "contract": "fl|eet/1" }',
      '"fleet/1" -> The contract that adapters here are judged by\\.\n\nOne of `fleet/1`, `capability-write/1`\n\n`fleet/1`: 16 scenarios, 8 rules',
    ],
    [
      '{ "adapters": ["a", "b|"] }',
      '"b" -> Which files of this folder are adapters, as patterns with \\*, \\*\\* and ?\\. Default\\: adapter\\*\\.js\\.\n\nFor example `adapter*.js`, `**/adapter*.js`',
    ],
    [
      '{ "vendor": { "mo|del": "" } }',
      '"model" -> The vendor model, relative to this file\\: how its operations are orders\\.',
    ],
    [
      '{ "capability": { "ident|ity": [] } }',
      '"identity" -> Properties of the target that say which one it is\\.',
    ],
    ['{ "gr|nat": 1 }', null],
    ['{ "toStri|ng": 1 }', null],
    ['{| }', null],
  ])('%s', async (text, expected) => {
    expect(await said(text)).toBe(expected);
  });
});

describe('links and definition', () => {
  const relative = (uri: string) => uri.split(`${desk.folder}/`)[1];

  test('lead to files of the folder that are there', async () => {
    const { context } = await ask(`|${GOOD}`);
    expect(
      configLinks(context).map(({ range, target = '' }) => [
        context.document.getText(range),
        relative(target),
      ]),
    ).toEqual([
      ['vendor.openapi.yaml', 'vendor.openapi.yaml'],
      ['fleet.grant', 'fleet.grant'],
      ['adapter.js', 'adapter.js'],
    ]);
  });

  test.each([
    '/etc/hostname',
    '../x.grant',
    'host.grant',
    'etc/hostname',
    'more',
    'file:///etc/hostname',
    'none.grant',
    '',
  ])('never to %j', async (path) => {
    const { context } = await ask(`|{ "grant": ${JSON.stringify(path)} }`);
    expect(configLinks(context)).toEqual([]);
  });

  test('definition is the file', async () => {
    const places = async (text: string) => {
      const { context, position } = await ask(text);
      return definitionInConfig(context, position).map(
        ({ uri, range }) => `${relative(uri)}:${range.start.line}`,
      );
    };
    expect(await places(GOOD.replace('vendor.open', 'vendor.o|pen'))).toEqual(['vendor.openapi.yaml:0']);
    expect(await places('{ "vendor": { "model": "more/vendor.model.yam|l" } }')).toEqual([
      'more/vendor.model.yaml:0',
    ]);
    expect(await places(GOOD.replace('fleet/1', 'fle|et/1'))).toEqual([]);
  });
});

test('the vendors that the schema names are those that can be simulated', () => {
  expect(schemasAt(['vendor']).flatMap(({ examples = [] }) => examples)).toEqual(simulatedVendors);
});
