/** Every example of the pages, and the example adapters, under the real analysis. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/workspace/config.ts';
import { DIAGNOSTICS } from '../../../shared/src/diagnostics.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { examplesOf, FLOW_CODES, named } from './pages.ts';
import { RealLint, wholeAdapter } from './real.ts';
import { FLEET, fleetProject, GRANT_FILE } from './support.ts';

const adapterExamples = examplesOf('adapter', 'js');

let real: RealLint;
beforeAll(async () => {
  real = new RealLint(await fleetProject());
});

describe('the pages of rules on adapters', () => {
  it('have a wrong and a right example each', () => {
    const codes = DIAGNOSTICS.filter(({ place }) => place === 'adapter').map(({ code }) => code);
    const sides = codes.map((code) =>
      adapterExamples
        .filter((example) => example.code === code)
        .map(({ side }) => side)
        .join(' '),
    );
    expect(sides).toEqual(codes.map(() => 'wrong right'));
  });

  it.each(named(adapterExamples.filter(({ code }) => !FLOW_CODES.includes(code))))(
    '%s',
    (_, { code, side, text }) => {
      expect(real.codes(wholeAdapter(text))).toEqual(side === 'wrong' ? [code] : []);
    },
  );
});

describe('the pages of rules on runs', () => {
  const rules = examplesOf('run', 'js').filter(({ code }) => code.startsWith('rule/'));

  it.each(named(rules.filter(({ side }) => side === 'right')))('%s: nothing is said', (_, { text }) => {
    expect(real.codes(wholeAdapter(text))).toEqual([]);
  });
});

describe('the page of grants', () => {
  it.each(named(examplesOf('grant', 'grant')))('%s', async (_, { code, side, text }) => {
    const { project } = await fleetProject(new Map([[GRANT_FILE, text]]));
    const codes = new Set(project.diagnostics.map((diagnostic) => diagnostic.code));
    expect([...codes]).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the page of loadline.json', () => {
  it.each(named(examplesOf('config', 'json')))('%s', (_, { code, side, text }) => {
    const { diagnostics } = parseConfig(new SourceText('loadline.json', text));
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the example adapters', () => {
  const read = (file: string): string => readFileSync(resolve(FLEET, file), 'utf8');

  it('draw no error but those of what is wrong with them', () => {
    const good = ['adapter-v1.js', 'adapter-v2.js', 'adapter-v3.js'];
    const broken = readdirSync(resolve(FLEET, 'broken')).map((file) => `broken/${file}`);
    const errors = [...good, ...broken].flatMap((file) =>
      real
        .lint(read(file))
        .filter(({ severity }) => severity === 'error')
        .map(({ code }) => `${file} ${code}`),
    );
    expect([...new Set(errors)]).toEqual(['broken/adapter-returns-numbers-as-strings.js contract-shape']);
  });
});
