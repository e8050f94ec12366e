import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchTarget, routesOf } from '../../../server/src/grant/match.ts';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { oracle } from './oracle.ts';
import { operation, surface } from './surfaces.ts';

const CASES = 100_000;

/** Few words, so that routes and targets meet often. */
const word = fc.constantFrom('a', 'b', 'A', 'ab', 'x.y', '@m', '~', 'ü');
const segmentTemplate = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 4, arbitrary: fc.constant('{p}') },
  { weight: 2, arbitrary: word.map((text) => `{p}:${text}`) },
  { weight: 1, arbitrary: word.map((text) => `{p}.${text}`) },
  { weight: 1, arbitrary: fc.tuple(word, word).map(([left, right]) => `${left}{p}-{q}${right}`) },
  { weight: 1, arbitrary: fc.constant('{p}{q}') },
);
const template = fc
  .tuple(fc.array(segmentTemplate, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '', '/'))
  .map(([segments, end]) => `/${segments.join('/')}${end}`);
const routes = fc
  .array(fc.record({ path: template, method: fc.constantFrom('GET', 'POST'), granted: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((all) =>
    all.map(({ path, method, granted }, index) => ({
      ...operation(`${method} ${encodeURI(path)}`, { granted, query: ['k', 'l'] }),
      path,
      name: `${index} ${method} ${path} ${granted}`,
    })),
  );

const value = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'b', 'A', 'ab', 'x.y', 'a-b', 'a:b', 'aa-bb', 'x.a', 'ab:ab'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '%2F',
      '%5C',
      '%00',
      '%61',
      '%C3%BC',
      '%c3%bc',
      'a%3Ab',
      ';',
      ',',
      '%2C',
      '%',
      '%25',
      '',
      'ü',
      '!',
      '%21',
      '%40m',
      '@m',
      '~',
      '%7E',
      '%20',
      ' ',
      '+',
      '#',
      '%E0%A4',
      '\\',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => encodeURIComponent(text)),
  },
);
const query = fc.constantFrom(
  '',
  '',
  '',
  '?k=1',
  '?k=1&l=a,b',
  '?m=1',
  '?',
  '?k',
  '?k=%41',
  '?k=%20',
  '?k=1&k=2',
  '?k=+',
  '?k=1?',
);
const target = fc
  .tuple(fc.array(value, { minLength: 1, maxLength: 4 }), query)
  .map(([values, end]) => `/${values.join('/')}${end}`);

const TARGETS = 10;
/** Routes; targets at random; values for targets that a route is meant for. */
const situation = fc.tuple(
  routes,
  fc.array(target, { minLength: TARGETS, maxLength: TARGETS }),
  fc.array(fc.tuple(fc.nat(7), fc.array(value, { minLength: 6, maxLength: 6 }), query), {
    minLength: TARGETS,
    maxLength: TARGETS,
  }),
);

function fill(path: string, values: string[]): string {
  let next = 0;
  return path.replace(/\{[^{}]+\}/g, () => values[next++] ?? 'a').replaceAll('ü', '%C3%BC');
}

function decide(all: Operation[], method: string, raw: string): string | null {
  const match = matchTarget(routesOf(surface(all)), method, raw);
  return match.kind === 'operation' ? match.operation.name : null;
}

test('the gate lets through exactly what an independent reading of its rules lets through', () => {
  let passed = 0;
  fc.assert(
    fc.property(situation, ([all, random, aimed]) => {
      const meant = aimed.map(
        ([pick, values, end]) => fill(all[pick % all.length]?.path ?? '/', values) + end,
      );
      for (const raw of [...random, ...meant]) {
        for (const method of ['GET', 'POST']) {
          const decision = decide(all, method, raw);
          const expected = oracle(all, method, raw);
          if (decision !== expected) expect.fail(`${method} ${raw}: ${decision}, not ${expected}`);
          if (decision !== null) passed += 1;
        }
      }
    }),
    { numRuns: CASES / (4 * TARGETS), seed: 7 },
  );
  // Not a test of refusals alone.
  expect(passed).toBeGreaterThan(CASES / 50);
});

test('what a route approves names the values it was made from', () => {
  const all = [operation('GET /r/{a}/m/{b}.json')];
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      (a, b) => {
        fc.pre(![a, b].some((text) => /[/\\%:;\p{Cc}\p{Cs}\u2028\u2029]|^\.+$/u.test(text)));
        const match = matchTarget(
          routesOf(surface(all)),
          'GET',
          `/r/${encodeURIComponent(a)}/m/${encodeURIComponent(b)}.json`,
        );
        expect(match).toMatchObject({
          kind: 'operation',
          path: [
            ['a', a],
            ['b', b],
          ],
        });
      },
    ),
    { numRuns: 2000, seed: 7 },
  );
});
