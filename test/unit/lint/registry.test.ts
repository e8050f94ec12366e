import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pageUri } from '../../../server/src/lint/pageUri.ts';
import { DIAGNOSTICS, diagnosticKind, severityOf } from '../../../shared/src/diagnostics.ts';
import { PAGES, pageFiles, sectionsOf } from './pages.ts';

const SERVER = resolve(import.meta.dirname, '../../../server/src');
const codes = DIAGNOSTICS.map(({ code }) => code);

/** Words in quotes that are written as codes are. */
const FAMILIES = /'((?:document|config|grant|route|unusable|duplicate|no-repeat)-[a-z-]+)'/g;

function sourcesOf(...folders: string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(resolve(SERVER, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(resolve(SERVER, folder, file), 'utf8')),
    )
    .join('\n');
}

describe('the registry of diagnostics', () => {
  it('has every code once', () => {
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  it('has every code of document, grant and loadline.json, and those alone', () => {
    const source = sourcesOf('openapi', 'grant', 'workspace', 'surface', 'ruleset');
    const written = new Set([...source.matchAll(FAMILIES)].map((match) => match[1] ?? ''));
    const said = [...written].sort();
    const registered = DIAGNOSTICS.filter(
      ({ place, code }) => ['document', 'grant', 'config'].includes(place) && code !== 'unused-grant',
    );
    expect(said).toEqual(registered.map(({ code }) => code).sort());
  });

  it('has every code of the rules on adapters', () => {
    const source = sourcesOf('lint');
    const written = [...source.matchAll(/found\(\s*'([a-z-]+)'/g)].map((match) => match[1] ?? '');
    const flow = ['retry-without-identity', 'refusal-from-doubt', 'unbounded-poll', 'swallowed-error'];
    const registered = DIAGNOSTICS.filter(({ place }) => place === 'adapter').map(({ code }) => code);
    expect([...new Set([...written, ...flow])].sort()).toEqual([...registered, 'unused-grant'].sort());
  });

  it('has the rules of the contract', () => {
    expect(codes.filter((code) => code.startsWith('rule/'))).toEqual([
      'rule/ran_to_the_end',
      'rule/kept_the_contracts_shapes',
      'rule/inventory_is_the_vendors',
      'rule/one_order_per_command',
      'rule/right_robot_and_target',
      'rule/ended_as_it_should',
      'rule/robot_at_the_target',
      'rule/report_is_true',
    ]);
  });

  it('has one page or section for each code, and no page without one', () => {
    const written = pageFiles().flatMap((file) =>
      sectionsOf(file).map(({ code }) => {
        const isOwn = file === `${code}.md`;
        return `${code} ${isOwn ? file : `${file}#${code.replace('/', '')}`}`;
      }),
    );
    expect(written.sort()).toEqual(DIAGNOSTICS.map(({ code, page }) => `${code} ${page}`).sort());
  });

  it('has titles of one line without a full stop', () => {
    expect(DIAGNOSTICS.filter(({ title }) => /[.\n]$/.test(title) || title.length > 80)).toEqual([]);
  });

  it('says what a page says on a page of its own', () => {
    const own = pageFiles().filter((file) => sectionsOf(file).some(({ code }) => file === `${code}.md`));
    const headings = own.map((file) =>
      [...readFileSync(resolve(PAGES, file), 'utf8').matchAll(/^## (.*)$/gm)].map((match) => match[1]),
    );
    const full = ['Why it matters', 'Wrong', 'Right', 'How to silence it'];
    expect(headings.filter((each) => each.join() !== full.join())).toEqual([
      ['Why it matters', 'How to silence it'],
    ]);
  });

  it('gives the address of a page that is there', () => {
    const missing = codes.filter((code) => {
      const uri = pageUri(code, PAGES);
      return uri === undefined || !existsSync(fileURLToPath(uri));
    });
    expect(missing).toEqual([]);
    expect(pageUri('document-body', '/opt/load line/docs')).toBe(
      'file:///opt/load%20line/docs/document.md#document-body',
    );
    expect(pageUri('advice/fan-out', '/d')).toBe('file:///d/advice.md#advicefan-out');
    expect(pageUri('no-such-code', '/d')).toBe(undefined);
  });

  it('takes a weight from the settings by own keys alone', () => {
    const settings = { severity: { 'not-granted': 'warning' as const } };
    expect([
      severityOf('not-granted', 'error', settings),
      severityOf('toString', 'error', settings),
      severityOf('unused-grant', 'hint', { severity: { 'unused-grant': 'off' } }),
    ]).toEqual(['warning', 'error', 'off']);
    expect(diagnosticKind('toString')).toBe(undefined);
  });
});
