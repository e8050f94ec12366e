/** The fragments on the page of vendor documents, each put into a whole document at its level. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { buildSurface } from '../../../server/src/surface/build.ts';
import { ConfinedFiles } from '../../../server/src/workspace/files.ts';
import { type Example, sectionsOf } from './pages.ts';

type Level = 'whole' | 'root' | 'paths' | 'path' | 'operation' | 'parameter' | 'media' | 'schema';

const LEVELS = new Map<string, Level>([
  ['document-syntax', 'root'],
  ['document-not-openapi', 'whole'],
  ['document-unsupported-version', 'whole'],
  ['document-duplicate-key', 'path'],
  ['document-unknown-key', 'operation'],
  ['document-path', 'root'],
  ['document-same-path', 'paths'],
  ['document-operation', 'path'],
  ['document-missing-operation-id', 'path'],
  ['document-name-clash', 'path'],
  ['document-reserved-name', 'operation'],
  ['document-parameter', 'operation'],
  ['document-parameter-in', 'parameter'],
  ['document-parameter-style', 'parameter'],
  ['document-undeclared-parameter', 'paths'],
  ['document-optional-path-parameter', 'parameter'],
  ['document-body', 'operation'],
  ['document-no-answers', 'path'],
  ['document-status', 'operation'],
  ['document-schema', 'media'],
  ['document-type', 'schema'],
  ['document-required', 'schema'],
  ['document-enum', 'schema'],
  ['document-nullable', 'schema'],
  ['document-pattern', 'schema'],
  ['document-dangling-ref', 'schema'],
  ['document-outside-ref', 'schema'],
  ['document-url-ref', 'schema'],
]);

const HEAD = "openapi: 3.1.0\ninfo: {title: Fleet, version: '1'}\n";
const SCHEMAS = 'components:\n  schemas:\n    Robot: {type: object}\n';

function indented(text: string, by: number): string {
  return text.trimEnd().replace(/^/gm, ' '.repeat(by));
}

function whole(level: Level | undefined, text: string): string {
  const operation = (fields: string): string =>
    `${HEAD}paths:\n  /robots/{id}:\n    get:\n${indented(fields, 6)}\n${SCHEMAS}`;
  const media = (fields: string): string =>
    operation(
      `operationId: getRobot\nresponses:\n  '200':\n    description: one\n    content:\n      application/json:\n${indented(fields, 8)}`,
    );
  switch (level) {
    case 'root':
      return `${HEAD}${text}`;
    case 'paths':
      return `${HEAD}paths:\n${indented(text, 2)}\n`;
    case 'path':
      return `${HEAD}paths:\n  /robots:\n${indented(text, 4)}\n`;
    case 'operation':
      return operation(text);
    case 'parameter':
      return operation(`operationId: getRobot\nparameters:\n  - ${text}`);
    case 'media':
      return media(text);
    case 'schema':
      return media(`schema:\n${indented(text, 2)}`);
    default:
      return text;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-page-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function codesOf(text: string): string[] {
  writeFileSync(join(folder, 'vendor.yaml'), text);
  const { document, diagnostics } = loadDocument(new ConfinedFiles(folder), 'vendor.yaml', { trusted: true });
  const said = document ? buildSurface({ document, grant: 'all', client: 'fleet' }).diagnostics : diagnostics;
  return said.map(({ code }) => code);
}

const examples = sectionsOf('document.md').flatMap((section) => section.examples);

describe('the page of vendor documents', () => {
  it('has fragments of codes whose level is known', () => {
    const codes = examples.map(({ code, side }) => `${code} ${side}`);
    expect(codes).toEqual([...LEVELS.keys()].flatMap((code) => [`${code} wrong`, `${code} right`]));
  });

  it.each(examples.map((example): [string, Example] => [`${example.code}, ${example.side}`, example]))(
    '%s',
    (_, { code, side, text }) => {
      expect(codesOf(whole(LEVELS.get(code), text)).includes(code)).toBe(side === 'wrong');
    },
  );
});
