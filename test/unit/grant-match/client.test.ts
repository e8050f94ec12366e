/** The injected client and the gate spell requests alike. The script is ours; no adapter code runs here. */
import { Script } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchTarget, routesOf } from '../../../server/src/grant/match.ts';
import { type ClientFactory, type ClientRequest, emitClient } from '../../../shared/src/surface/client.ts';
import { operation, parameter, surface } from './surfaces.ts';

const array = { type: 'array', items: { type: 'string' } };
const names = ['plain', 'list', 'joined', 'spaced', 'piped', 'deep', 'spread', 'od d[]'];
const vendor = surface([
  operation('POST /op', {
    path: '/a b/{x}.json/{y}/{z}:cancel',
    name: 'op',
    query: names,
    parameters: [
      parameter('x', 'path'),
      parameter('y', 'path', { schema: array }),
      parameter('z', 'path'),
      parameter('plain', 'query'),
      parameter('list', 'query', { schema: array }),
      parameter('joined', 'query', { schema: array, explode: false }),
      parameter('spaced', 'query', { schema: array, explode: false, style: 'spaceDelimited' }),
      parameter('piped', 'query', { schema: array, explode: false, style: 'pipeDelimited' }),
      parameter('deep', 'query', { schema: { type: 'object' }, style: 'deepObject' }),
      parameter('spread', 'query', { schema: { type: 'object', properties: { 'p q': {}, r: {} } } }),
      parameter('od d[]', 'query', { schema: array }),
    ],
  }),
]);

let sent: ClientRequest | undefined;
const factory = new Script(emitClient(vendor)).runInThisContext() as ClientFactory;
const client = factory(
  async (request) => {
    sent = request;
  },
  (message) => new Error(message),
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const texts = fc.array(text, { minLength: 1, maxLength: 3 });
const query = fc.record(
  {
    plain: text,
    list: texts,
    joined: texts,
    spaced: texts,
    piped: texts,
    deep: fc.dictionary(text, text, { minKeys: 1, maxKeys: 2 }),
    spread: fc.record({ 'p q': text, r: text }, { requiredKeys: [] }),
    'od d[]': texts,
  },
  { requiredKeys: [] },
);
/** What a value of a path may not hold: a gate that let it through could be read as another path. */
const otherPath = /[/\\%:;\p{Cc}\u2028\u2029]|^\.+$/u;
const control = /[\p{Cc}\u2028\u2029]/u;

test('what the client writes is let through, unless a value holds what no target may hold', async () => {
  let through = 0;
  await fc.assert(
    fc.asyncProperty(text, texts, text, query, async (x, y, z, keys) => {
      sent = undefined;
      await client.op?.(x, y, z, { query: keys }).catch(() => undefined);
      // The client itself refuses what is no text of one segment.
      if (sent === undefined) return;
      const { method, target } = sent as ClientRequest;
      const match = matchTarget(routesOf(vendor), method, target);
      const lists = y.join(',');
      const wrong =
        [x, z].some((one) => otherPath.test(one)) ||
        otherPath.test(lists) ||
        control.test(JSON.stringify(keys, flat));
      expect([target, match.kind]).toEqual([target, wrong ? 'refused' : 'operation']);
      if (match.kind === 'refused') return;
      through += 1;
      expect(match.path).toEqual([
        ['x', x],
        ['y', lists],
        ['z', z],
      ]);
      if (keys.plain !== undefined) expect(match.query).toContainEqual(['plain', keys.plain]);
      if (keys.list !== undefined) {
        expect(match.query.filter(([key]) => key === 'list').map(([, value]) => value)).toEqual(keys.list);
      }
    }),
    { numRuns: 5000, seed: 7 },
  );
  expect(through).toBeGreaterThan(500);
});

/** Keeps control characters as they are in JSON text, where they would be escaped. */
function flat(_: string, value: unknown): unknown {
  if (typeof value === 'string') return control.test(value) ? '\u2028' : value;
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return Object.entries(value);
  return value;
}
