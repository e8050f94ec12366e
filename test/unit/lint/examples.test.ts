/** Every example of the pages, and the example adapters, under the real analysis. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/workspace/config.ts';
import { DIAGNOSTICS } from '../../../shared/src/diagnostics.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { type Example, pageFiles, sectionsOf } from './pages.ts';
import { RealLint, wholeAdapter } from './real.ts';
import { FLEET, fleetProject, GRANT_FILE } from './support.ts';

const examples = pageFiles().flatMap((file) => sectionsOf(file).flatMap((section) => section.examples));

function of(place: string, language: string): Example[] {
  const codes = new Set(DIAGNOSTICS.filter((kind) => kind.place === place).map(({ code }) => code));
  return examples.filter((example) => codes.has(example.code) && example.language === language);
}

let real: RealLint;
beforeAll(async () => {
  real = new RealLint(await fleetProject());
});

describe('the pages of rules on adapters', () => {
  it('have a wrong and a right example each', () => {
    const adapters = DIAGNOSTICS.filter(({ place }) => place === 'adapter').map(({ code }) => code);
    const sides = adapters.map((code) =>
      of('adapter', 'js')
        .filter((example) => example.code === code)
        .map(({ side }) => side)
        .join(' '),
    );
    expect(sides).toEqual(adapters.map(() => 'wrong right'));
  });

  it.each(
    of('adapter', 'js').map((example): [string, Example] => [`${example.code}, ${example.side}`, example]),
  )('%s', (_, { code, side, text }) => {
    expect(real.codes(wholeAdapter(text))).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the pages of rules on runs', () => {
  it.each(
    of('run', 'js')
      .filter(({ code, side }) => code.startsWith('rule/') && side === 'right')
      .map((example): [string, Example] => [example.code, example]),
  )('%s: the right example has nothing to say about it', (_, { text }) => {
    expect(real.codes(wholeAdapter(text))).toEqual([]);
  });
});

describe('the page of grants', () => {
  it.each(
    of('grant', 'grant').map((example): [string, Example] => [`${example.code}, ${example.side}`, example]),
  )('%s', async (_, { code, side, text }) => {
    const { project } = await fleetProject(new Map([[GRANT_FILE, text]]));
    const codes = new Set(project.diagnostics.map((diagnostic) => diagnostic.code));
    expect([...codes]).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the page of loadline.json', () => {
  it.each(
    of('config', 'json').map((example): [string, Example] => [`${example.code}, ${example.side}`, example]),
  )('%s', (_, { code, side, text }) => {
    const { diagnostics } = parseConfig(new SourceText('loadline.json', text));
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the example adapters', () => {
  const read = (file: string): string => readFileSync(resolve(FLEET, file), 'utf8');

  it('say of v1 what it gets wrong, of v2 and v3 nothing', () => {
    const said = ['adapter-v1.js', 'adapter-v2.js', 'adapter-v3.js'].map((file) => real.codes(read(file)));
    expect(said).toEqual([['refusal-from-doubt', 'retry-without-identity'], [], []]);
  });

  it('draw no error but those of what is wrong with them', () => {
    const files = readdirSync(resolve(FLEET, 'broken')).sort();
    const errors = files.flatMap((file) =>
      real
        .lint(read(`broken/${file}`))
        .filter(({ severity }) => severity === 'error')
        .map(({ code }) => `${file} ${code}`),
    );
    expect([...new Set(errors)]).toEqual(['adapter-returns-numbers-as-strings.js contract-shape']);
  });
});
