/** The rules on failing calls under the real analysis: examples of their pages, the example adapters, their fix. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { examplesOf, FLOW_CODES, named } from './pages.ts';
import { RealLint, wholeAdapter } from './real.ts';
import { applied, FLEET, fixOf, fleetProject } from './support.ts';

const examples = examplesOf('adapter', 'js').filter(({ code }) => FLOW_CODES.includes(code));

let real: RealLint;
beforeAll(async () => {
  real = new RealLint(await fleetProject());
});

describe('the pages of rules on failing calls', () => {
  it.each(named(examples))('%s', (_, { code, side, text }) => {
    expect(real.codes(wholeAdapter(text))).toEqual(side === 'wrong' ? [code] : []);
  });
});

describe('the example adapters', () => {
  it('say of v1 what it gets wrong, of v2 and v3 nothing', () => {
    const said = ['adapter-v1.js', 'adapter-v2.js', 'adapter-v3.js'].map((file) =>
      real.codes(readFileSync(resolve(FLEET, file), 'utf8')),
    );
    expect(said).toEqual([['refusal-from-doubt', 'retry-without-identity'], [], []]);
  });

  it('has v1 name its orders by the fix', () => {
    const text = readFileSync(resolve(FLEET, 'adapter-v1.js'), 'utf8');
    const fix = fixOf(real.lint(text), 'retry-without-identity');
    expect(fix.title).toBe('Pass command_id: commandId');
    expect(real.codes(applied(fix, 'adapter.js', text))).toEqual(['refusal-from-doubt']);
  });
});
