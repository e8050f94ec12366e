/**
 * A million generated requests at the route gate, each decided a second time by an independent reading of its rules:
 * nothing that is not granted passes, nothing granted and canonical is refused, and what passes is what is sent.
 */
import { expect, test } from 'vitest';
import { matchTarget, type OperationMatch, routesOf } from '../../server/src/grant/match.ts';
import type { Operation } from '../../shared/src/surface/surface.ts';
import { rig } from '../unit/broker/rig.ts';
import { oracle } from '../unit/grant-match/oracle.ts';
import { operation, surface } from '../unit/grant-match/surfaces.ts';
import { Random } from './random.ts';

const SEED = 20_260_105;
const REQUESTS = 1_000_000;
const WORLDS = 500;
/** Of each world, that also go through a whole broker. */
const SENT = 40;

/** Few words, so that routes and targets meet often. */
const WORDS = ['a', 'b', 'A', 'ab', 'x.y', '@m', '~', 'ü'] as const;
const METHODS = ['GET', 'POST'] as const;
const VALUES = [
  'a',
  'b',
  'A',
  'ab',
  'x.y',
  'a-b',
  'a:b',
  'aa-bb',
  'x.a',
  'ab:ab',
  '@m',
  '~',
  '%C3%BC',
  'c1',
] as const;
/** Spellings that a gate and a vendor might read in two ways. */
const ODD = [
  ...[
    '..',
    '.',
    '...',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2F',
    '%5C',
    '%00',
    '%0a',
    '%61',
    '%c3%bc',
    '%C3',
    '%E2%80%A8',
  ],
  ...[
    'a%3Ab',
    'a%3aa',
    ';',
    'a;b',
    ',',
    '%2C',
    'a,b',
    '%',
    '%2',
    '%25',
    '%252e',
    '',
    'ü',
    '!',
    '%21',
    '%40m',
    '%7E',
  ],
  ...[
    '%20',
    ' ',
    '+',
    '#',
    '\\',
    '\u0000',
    '\t',
    '\n',
    '\u2028',
    '\ud800',
    '*',
    '{p}',
    '//',
    '%ED%A0%80',
    '%c0%ae',
  ],
] as const;
const QUERIES = [
  ...[
    '',
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
    '?K=1',
  ],
  ...[
    '?k=1#x',
    '?k=%00',
    '?k=1&&l=2',
    '?k=1;m=2',
    '?%6b=1',
    '?k=a=b',
    '?k=%C3%BC',
    '?l=',
    '?k=1&m=1',
    '?__proto__=1',
  ],
] as const;

function templateOf(random: Random): string {
  const segment = () => {
    const word = random.pick(WORDS);
    switch (random.below(13)) {
      case 0:
      case 1:
        return `{p}:${word}`;
      case 2:
        return `{p}.${word}`;
      case 3:
        return `${word}{p}-{q}${random.pick(WORDS)}`;
      case 4:
        return '{p}{q}';
      default:
        return random.once(2) ? word : '{p}';
    }
  };
  const segments = Array.from({ length: 1 + random.below(3) }, segment);
  return `/${segments.join('/')}${random.once(4) ? '/' : ''}`;
}

function routesFrom(random: Random): Operation[] {
  return Array.from({ length: 1 + random.below(8) }, (_, index) => {
    const [method, path, granted] = [random.pick(METHODS), templateOf(random), random.once(2)];
    return {
      ...operation(`${method} ${encodeURI(path)}`, { granted, query: ['k', 'l'] }),
      path,
      name: `${index} ${method} ${path} ${granted}`,
    };
  });
}

function valueFrom(random: Random): string {
  const kind = random.below(20);
  if (kind < 13) return random.pick(VALUES);
  if (kind < 17) return random.pick(ODD);
  if (kind === 17) return random.pick(VALUES) + random.pick(ODD);
  if (kind === 18) return random.pick(ODD) + random.pick(VALUES);
  return String.fromCharCode(...random.bytes(1 + random.below(4)));
}

/** Two of three are meant for a route of the world; a tenth of those then lose or change a character. */
function requestFrom(random: Random, all: readonly Operation[]): [method: string, target: string] {
  const query = random.pick(QUERIES);
  if (random.once(3)) {
    const values = Array.from({ length: 1 + random.below(4) }, () => valueFrom(random));
    return [random.pick(METHODS), `/${values.join('/')}${query}`];
  }
  const { path, method } = random.pick(all);
  const plain = random.once(2);
  const filled = path
    .replace(/\{[^{}]+\}/g, () => (plain ? random.pick(VALUES) : valueFrom(random)))
    .replaceAll('ü', '%C3%BC');
  const target = filled + query;
  return [random.once(5) ? random.pick(METHODS) : method, random.once(10) ? dented(random, target) : target];
}

function dented(random: Random, target: string): string {
  const at = random.below(target.length);
  const instead = random.once(3) ? '' : String.fromCharCode(random.below(0x80));
  return target.slice(0, at) + instead + target.slice(at + random.below(2));
}

/** The target once more, from what the gate says that it holds. A bare comma and its escape are the same value. */
function respelled({ operation: { path }, path: bound, query }: OperationMatch): string {
  const values = bound.map(([, value]) => value);
  const spelledPath = path
    .replace(/\{[^{}]+\}/g, () => encodeURIComponent(values.shift() ?? ''))
    .replaceAll('ü', '%C3%BC');
  const pairs = query.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? spelledPath : `${spelledPath}?${pairs.join('&')}`;
}

/** What a vendor behind a broker gets of these requests, in order. */
async function sentOf(all: Operation[], requests: readonly [method: string, target: string][]) {
  const world = rig(undefined, { surface: surface(all) });
  for (const [method, target] of requests) await world.ask({ method, target });
  return world.requests.map(({ request }) => [request.method, request.target]);
}

test(`${REQUESTS} requests are decided as an independent reading decides them (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const count = { attempts: 0, passed: 0, sent: 0 };
  const refused = { form: 0, unknown: 0, spelling: 0, 'not-granted': 0, query: 0, header: 0 };
  for (let world = 0; world < WORLDS; world += 1) {
    const all = routesFrom(random);
    const table = routesOf(surface(all));
    const passed: [string, string][] = [];
    for (let request = 0; request < REQUESTS / WORLDS; request += 1) {
      const [method, target] = requestFrom(random, all);
      const where = () =>
        `seed ${SEED}, world ${world}, request ${request}: ${method} ${JSON.stringify(target)}`;
      const match = matchTarget(table, method, target);
      const decision = match.kind === 'operation' ? match.operation.name : null;
      const expected = oracle(all, method, target);
      if (decision !== expected) expect.fail(`${where()}: ${decision}, not ${expected}`);
      count.attempts += 1;
      if (match.kind === 'refused') {
        refused[match.reason] += 1;
        continue;
      }
      count.passed += 1;
      if (match.grant !== match.operation.grant || match.operation.method !== method)
        expect.fail(`${where()} passed on another grant`);
      const again = respelled(match);
      if (again !== target.replaceAll(',', '%2C')) expect.fail(`${where()} was read as ${again}`);
      if (passed.length < SENT) passed.push([method, target]);
    }
    expect(await sentOf(all, passed), `seed ${SEED}, world ${world}`).toEqual(passed);
    count.sent += passed.length;
  }
  expect({ ...count, refused }).toEqual({
    attempts: REQUESTS,
    passed: 66_193,
    sent: 17_511,
    refused: {
      form: 584_510,
      unknown: 190_895,
      spelling: 16_704,
      'not-granted': 114_684,
      query: 27_014,
      header: 0,
    },
  });
});
