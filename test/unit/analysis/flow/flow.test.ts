/** The rules on failing calls over whole adapters, right, wrong and broken in one known way. They are parsed, never run. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../../server/src/analysis/analysis.ts';
import { example, fleetAnalysis } from '../support.ts';

const ADAPTERS = resolve(import.meta.dirname, '../../../fixtures/adapters');
const BROKEN = resolve(import.meta.dirname, '../../../../examples/fleet/broken');

function files(folder: string): [name: string, text: string][] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return names.sort().map((name) => [basename(name, '.js'), readFileSync(join(folder, name), 'utf8')]);
}

let analysis: Analysis;
beforeAll(async () => {
  analysis = await fleetAnalysis();
});

function rulesIn(text: string): string[] {
  analysis.setFile('adapter.js', text);
  return [...new Set(analysis.flow('adapter.js').findings.map(({ rule }) => rule))].sort();
}

describe('adapters written for it', () => {
  it.each(files(join(ADAPTERS, 'right')))('says nothing of %s', (_, text) => {
    expect(rulesIn(text)).toEqual([]);
  });

  it.each(files(join(ADAPTERS, 'wrong')))('says of %s what its first line names', (_, text) => {
    expect(rulesIn(text)).toEqual([/^\/\/ expected: (\S+)/.exec(text)?.[1]]);
  });
});

describe('the example adapters', () => {
  it('are said to be what they are', () => {
    expect(rulesIn(example('adapter-v1.js'))).toEqual(['refusal-from-doubt', 'retry-without-identity']);
    expect(rulesIn(example('adapter-v2.js'))).toEqual([]);
    expect(rulesIn(example('adapter-v3.js'))).toEqual([]);
  });

  it('that are broken on purpose are found where a failing call shows it', () => {
    const found = files(BROKEN).flatMap(([name, text]) => rulesIn(text).map((rule) => `${name} ${rule}`));
    expect(found).toEqual([
      'adapter-fresh-name-each-time retry-without-identity',
      'adapter-polls-for-ever unbounded-poll',
      'adapter-says-refused-when-silent refusal-from-doubt',
      'adapter-uncounted-reads unbounded-poll',
    ]);
  });

  it('places a finding on the call or on the value, and says why', () => {
    const text = example('adapter-v1.js');
    analysis.setFile('adapter.js', text);
    const said = analysis
      .flow('adapter.js')
      .findings.map(({ span, reason }) => [text.slice(span.start, span.end), reason]);
    expect(said).toEqual([
      ['fleet.createMission(robotId, { target })', 'the repeat carries no command_id'],
      ["'refused'", 'a lost answer (502) ends here'],
    ]);
  });
});

/**
 * Silence on a right adapter must not be blindness: each is broken in one known way. `silent`: adapters that the change
 * leaves right.
 */
const MUTATIONS: { name: string; rule: string; from: RegExp; to: string; silent: string[] }[] = [
  { name: 'no key', rule: 'retry-without-identity', from: /,? ?command_id: commandId/, to: '', silent: [] },
  {
    name: 'a fresh key',
    rule: 'retry-without-identity',
    from: /command_id: commandId/,
    to: 'command_id: crypto.randomUUID()',
    // Their body is made once, before the attempts.
    silent: ['generator', 'v2'],
  },
  {
    name: 'doubt called a refusal',
    rule: 'refusal-from-doubt',
    from: /'unresolved'/g,
    to: "'refused'",
    silent: [],
  },
  {
    name: 'no bound',
    rule: 'unbounded-poll',
    from: /polls <=? maxPolls|n < max\b/,
    to: 'true',
    silent: [],
  },
  {
    name: 'a swallowed cancel',
    rule: 'swallowed-error',
    from: /fleet\.cancelMission\(missionId\)/,
    to: 'fleet.cancelMission(missionId).catch(() => {})',
    silent: [],
  },
];

describe('right adapters that are broken in one way', () => {
  it.each(MUTATIONS)('$name', ({ rule, from, to, silent }) => {
    const right = [
      ...files(join(ADAPTERS, 'right')),
      ['v2', example('adapter-v2.js')] as const,
      ['v3', example('adapter-v3.js')] as const,
    ];
    // A key matters only to those that repeat an order.
    const repeating = new Set(['class', 'curried-backoff', 'generator', 'promise-chain', 'v2', 'v3']);
    const broken = right
      .filter(([name]) => rule !== 'retry-without-identity' || repeating.has(name))
      .map(([name, text]) => [name, text, text.replace(from, to)] as const)
      .filter(([, text, changed]) => text !== changed);
    expect(broken.length).toBeGreaterThan(4);
    const quiet = broken.filter(([, , text]) => !rulesIn(text).includes(rule));
    expect(quiet.map(([name]) => name)).toEqual(silent);
  });
});

describe('text that is no adapter yet', () => {
  it('is walked to an end wherever it is cut off', () => {
    for (const [, text] of files(join(ADAPTERS, 'right'))) {
      for (let end = 7; end < text.length; end += 97) rulesIn(text.slice(0, end));
    }
    expect(rulesIn('module.exports = {')).toEqual([]);
  });

  it('is walked to an end whatever line is missing', () => {
    for (const [, text] of files(join(ADAPTERS, 'wrong'))) {
      const lines = text.split('\n');
      for (let line = 0; line < lines.length; line += 3) rulesIn(lines.toSpliced(line, 1).join('\n'));
    }
    expect(rulesIn('')).toEqual([]);
  });

  it.each([
    ['a function that calls itself', 'const f = () => f(); module.exports = { async cancel(id) { f(); } };'],
    ['an endless loop', 'module.exports = { async cancel(id) { for (;;) {} } };'],
    [
      'functions that double themselves',
      'const d = (f) => (x) => f(f(x)); const g = d(d(d(d(d(d))))); module.exports = { cancel: g(g(g)) };',
    ],
    [
      'an object in itself',
      'const o = {}; o.o = o; module.exports = { async cancel(id) { return o === id; } };',
    ],
    [
      'a timer that starts itself',
      'const t = () => setTimeout(t); module.exports = { async cancel(id) { t(); await new Promise(() => {}); } };',
    ],
    [
      'a list that grows as it is walked',
      'const l = [1]; for (const x of l) l.push(x); module.exports = {};',
    ],
    ['a getter of itself', 'module.exports = { get cancel() { return this.cancel; } };'],
    ['a class of itself', 'class A extends A {} module.exports = new A();'],
    [
      'deep nesting',
      `module.exports = { async cancel(id) { return ${'['.repeat(900)}${']'.repeat(900)}; } };`,
    ],
  ])('ends on %s', (_, text) => {
    expect(rulesIn(text)).toEqual([]);
  });
});
