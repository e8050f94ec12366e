import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { exampleFolder } from '../../support/loadline.ts';
import { example, fleetAnalysis } from './support.ts';

let analysis: Analysis;
beforeAll(async () => {
  analysis = await fleetAnalysis();
});

/** Uses as `kind name place`. */
function uses(text: string): string[] {
  analysis.setFile('a.js', text);
  return analysis
    .facts('a.js')
    .uses.map(({ kind, name, span }) => `${kind} ${name} ${text.slice(span.start, span.end)}`);
}

describe('calls by symbol', () => {
  test.each([
    ['directly', 'fleet.getRobot("r");', 'getRobot'],
    ['in brackets', 'fleet["getRobot"]("r");', '"getRobot"'],
    ['by a constant name', 'const op = "getRobot"; fleet[op]("r");', 'op'],
    ['by an alias', 'const api = fleet; api.getRobot("r");', 'getRobot'],
    ['destructured', 'const { getRobot } = fleet; getRobot("r");', 'getRobot'],
    ['renamed', 'const { getRobot: read } = fleet; read("r");', 'read'],
    ['of the rest', 'const { health, ...others } = fleet; health(); others.getRobot("r");', 'getRobot'],
    ['bound', 'const read = fleet.getRobot.bind(fleet); read("r");', 'read'],
    ['by call', 'fleet.getRobot.call(fleet, "r");', 'getRobot'],
    ['by apply', 'fleet.getRobot.apply(fleet, ["r"]);', 'getRobot'],
    ['in a table', 'const ops = { read: fleet.getRobot }; ops.read("r");', 'read'],
    ['through globalThis', 'globalThis.fleet.getRobot("r");', 'getRobot'],
    ['optionally', 'fleet?.getRobot?.("r");', 'getRobot'],
    ['of a parameter', 'function f(client) { client.getRobot("r"); } f(fleet);', 'getRobot'],
    [
      'of a parameter twice handed on',
      'const g = (c) => c.getRobot("r"); const f = (c) => g(c); f(fleet);',
      'getRobot',
    ],
    [
      'of a member',
      'class A { constructor(c) { this.api = c; } go() { this.api.getRobot("r"); } } new A(fleet);',
      'getRobot',
    ],
    [
      'of an option',
      'function build({ client }) { return () => client.getRobot("r"); } build({ client: fleet });',
      'getRobot',
    ],
    [
      'of an options object',
      'function build(o) { return () => o.client.getRobot("r"); } build({ client: fleet });',
      'getRobot',
    ],
    [
      'of a callback',
      'function withClient(f) { return f(fleet); } withClient((c) => c.getRobot("r"));',
      'getRobot',
    ],
    ['of a default', 'function f(c = fleet) { c.getRobot("r"); } f();', 'getRobot'],
    ['of a field', 'class A { api = fleet; go() { return this.api.getRobot("r"); } }', 'getRobot'],
  ])('%s', (_name, text, place) => {
    expect(uses(text).filter((use) => use.startsWith('call getRobot'))).toEqual([`call getRobot ${place}`]);
    expect(uses(text).filter((use) => /^(dynamic|unknown)/.test(use))).toEqual([]);
  });

  test('one of several by a literal name: each is listed', () => {
    const text = 'const f = (/** @type {"getRobot" | "health"} */ op) => fleet[op]("r");';
    expect(uses(text)).toEqual(['call getRobot op', 'call health op']);
  });
});

test.each([
  ['fleet.decommissionRobot("r");', ['call decommissionRobot decommissionRobot']],
  ['module.exports = { wipe: fleet.decommissionRobot };', ['reference decommissionRobot decommissionRobot']],
  ['const { updateFirmware } = fleet;', ['reference updateFirmware updateFirmware']],
  ['fleet.getRobots();', ['unknown getRobots getRobots']],
  ['const { getRobots } = fleet;', ['unknown getRobots getRobots']],
  ['fleet["getRobots"]();', ['unknown getRobots "getRobots"']],
  ['fleet.toString();', []],
  ['const f = (name) => fleet[name]();', ['dynamic null name']],
  ['for (const name in fleet) name;', ['dynamic null fleet']],
  ['Object.values(fleet);', ['dynamic null fleet']],
  ['Reflect.get(fleet, "getRobot");', ['dynamic null fleet']],
  ['const n = Math.random() + ""; const { [n]: f } = fleet;', ['dynamic null [n]']],
  ['require("x")(fleet);', ['dynamic null fleet']],
  ['const fleet = { getRobot() {} }; fleet.getRobot();', []],
])('%s', (text, expected) => {
  // A module of its own, or `fleet` could not be declared.
  expect(uses(text)).toEqual(expected);
});

test('which exports reach a use', () => {
  const text = `const read = (id) => fleet.getMission(id);
class Poller { poll(id) { return read(id); } }
const poller = new Poller();
module.exports = {
  async wait(id) { return poller.poll(id); },
  async cancel(id) { await Promise.all([id].map((each) => fleet.cancelMission(each))); },
};
const unused = () => fleet.health();`;
  analysis.setFile('a.js', text);
  expect(analysis.facts('a.js').uses.map(({ name, reachedFrom }) => [name, reachedFrom])).toEqual([
    ['getMission', ['wait']],
    ['cancelMission', ['cancel']],
    ['health', []],
  ]);
});

test('names that the file does not declare', () => {
  const text = `const { a, b: [c] } = x;
label: for (const d of [a]) { if (typeof fetch === 'undefined') continue label; function e(f, ...g) { return arguments.length + f + g; } e(d); }
try { c(); } catch ({ h }) { h.i = { j: k, l, m() {} }; }
class N extends O { p = q; static { r(); } }
const lazy = () => import('s'), t = function u() { return u; };
process.env.x = eval('1') + new Function('v') + t + lazy + N;`;
  analysis.setFile('a.js', text);
  expect(
    analysis.facts('a.js').freeNames.map(({ name, guarded }) => (guarded ? `typeof ${name}` : name)),
  ).toEqual(['x', 'typeof fetch', 'k', 'l', 'O', 'q', 'r', 'import', 'process', 'eval', 'Function']);
});

test('comments that silence, and what only looks like one', () => {
  const text = `// loadline-disable-next-line unbounded-poll, swallowed-error: the vendor asked for it
a();
  // loadline-disable-next-line unbounded-poll
const s = '// loadline-disable-next-line x: y';
const t = \`
// loadline-disable-next-line x: y
\${1 /* loadline-disable-next-line x: y */}\`;
b(); // loadline-disable-next-line: all`;
  analysis.setFile('a.js', text);
  expect(analysis.facts('a.js').silences.map(({ codes, reason, line }) => ({ codes, reason, line }))).toEqual(
    [
      { codes: ['unbounded-poll', 'swallowed-error'], reason: 'the vendor asked for it', line: 1 },
      { codes: ['unbounded-poll'], reason: '', line: 3 },
      { codes: [], reason: 'all', line: 8 },
    ],
  );
});

describe('the examples', () => {
  const broken = readdirSync(join(exampleFolder, 'broken')).map((file) => `broken/${file}`);
  /** Broken in shape on purpose: what is reported there is the point. */
  const shaped = 'broken/adapter-returns-numbers-as-strings.js';
  const files = ['adapter-v1.js', 'adapter-v2.js', 'adapter-v3.js', ...broken];

  test.each(files.filter((file) => file !== shaped))(
    '%s draws no type finding and uses what it is granted',
    (file) => {
      analysis.setFile(file, example(file));
      const { types, syntaxErrors, form, exports, extras, uses: found } = analysis.facts(file);
      expect([types, syntaxErrors, form.kind, extras]).toEqual([[], [], 'commonjs', []]);
      expect(exports.map(({ name, async }) => [name, async])).toEqual(
        ['inventory', 'dispatch', 'wait', 'cancel'].map((name) => [name, 'yes']),
      );
      expect(found.filter(({ kind }) => kind !== 'call')).toEqual([]);
      expect(found.filter(({ reachedFrom }) => reachedFrom.length === 0)).toEqual([]);
    },
  );

  test('numbers as strings are seen where they have a type', () => {
    const text = example(shaped);
    analysis.setFile(shaped, text);
    expect(
      analysis
        .facts(shaped)
        .types.map(({ about, name, span }) => [about, name, text.slice(span.start, span.end)]),
    ).toEqual([
      ['shape', 'wait', 'polls'],
      ['shape', 'wait', 'polls'],
    ]);
  });
});

test('chains that name each other many times over are followed once', () => {
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
  const chain = (value: (next: string) => string): string =>
    names.map((name, index) => `const ${name} = ${value(names[index + 1] ?? 'last')};`).join('\n');
  const calls = chain((next) => `wrap(${Array(8).fill(next).join(', ')})`);
  analysis.setFile('a.js', `${calls}\nmodule.exports = { dispatch: n0 };`);
  expect(analysis.facts('a.js').exports.map(({ function: fn }) => fn)).toEqual([null]);
  expect(uses(`${chain((next) => `${next} || ${next}`)}\nlet last; last = n0; n0.getRobot("r");`)).toEqual(
    [],
  );
});

test('a test that an earlier one made needless is no mistake', () => {
  const text = `module.exports = { async cancel(id) {
  try { await fleet.cancelMission(id); } catch (e) {
    if (e.sent === 'no') return;
    if (e.sent === 'no' || e.name === 'AbortError') throw e;
    if (e.status === '503') throw e;
  }
} };`;
  analysis.setFile('a.js', text);
  expect(analysis.facts('a.js').types.map(({ span }) => text.slice(span.start, span.end))).toEqual([
    "e.status === '503'",
  ]);
});
