import { beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { cursor, fleetAnalysis } from './support.ts';

let analysis: Analysis;
beforeAll(async () => {
  analysis = await fleetAnalysis();
});

/** `FN` is where the function goes, `|` the cursor in its body, after `target.`. */
const styles: [string, string][] = [
  ['a method', 'module.exports = { async dispatch(r, target, c) { BODY } };'],
  ['an arrow', 'module.exports = { dispatch: async (r, target, c) => { BODY } };'],
  ['exports.name', 'exports.dispatch = async (r, target, c) => { BODY };'],
  ['module.exports.name', 'module.exports.dispatch = async function (r, target, c) { BODY };'],
  [
    'a name for module.exports',
    'const api = module.exports;\napi.dispatch = async (r, target, c) => { BODY };',
  ],
  ['a variable', 'const adapter = { async dispatch(r, target, c) { BODY } };\nmodule.exports = adapter;'],
  ['exports = module.exports', 'exports = module.exports = { async dispatch(r, target, c) { BODY } };'],
  ['a class', 'class A { async dispatch(r, target, c) { BODY } }\nmodule.exports = new A();'],
  ['a class field', 'class A { dispatch = async (r, target, c) => { BODY }; }\nmodule.exports = new A();'],
  [
    'a base class',
    'class B { async dispatch(r, target, c) { BODY } }\nclass A extends B {}\nmodule.exports = new A();',
  ],
  [
    'a prototype',
    'function A() {}\nA.prototype.dispatch = async function (r, target, c) { BODY };\nmodule.exports = new A();',
  ],
  ['a declaration', 'async function dispatch(r, target, c) { BODY }\nmodule.exports = { dispatch };'],
  [
    'a declaration with a comment',
    '/** Mine.\n * @param {number} target */\nasync function dispatch(r, target, c) { BODY }\nmodule.exports = { dispatch };',
  ],
  [
    'a wrapper',
    'const traced = (f) => (...a) => f(...a);\nmodule.exports = { dispatch: traced(async (r, target, c) => { BODY }) };',
  ],
  [
    'bind',
    'const f = { async dispatch(r, target, c) { BODY } };\nmodule.exports = { dispatch: f.dispatch.bind(f) };',
  ],
  ['freeze', 'module.exports = Object.freeze({ async dispatch(r, target, c) { BODY } });'],
  ['a function called at once', 'module.exports = (() => ({ async dispatch(r, target, c) { BODY } }))();'],
  [
    'a factory',
    'const create = (client) => ({ async dispatch(r, target, c) { BODY } });\nmodule.exports = create(fleet);',
  ],
  ['Object.assign', 'Object.assign(module.exports, { async dispatch(r, target, c) { BODY } });'],
  [
    'forwarding',
    'const one = { async dispatch(r, target, c) { BODY } };\nmodule.exports = { dispatch: (...args) => one.dispatch(...args) };',
  ],
  ['a spread', 'const base = { async dispatch(r, target, c) { BODY } };\nmodule.exports = { ...base };'],
];

describe.each(styles)('exported as %s', (_name, style) => {
  test('parameters are the contract’s', () => {
    const { text, offset } = cursor(style.replace('BODY', 'target.|'));
    analysis.setFile('a.js', text);
    expect(analysis.complete('a.js', offset).map(({ label }) => label)).toEqual(['x', 'y']);
  });

  test('a wrong result is reported at its place, a right one is not', () => {
    const wrong = style.replace('BODY', 'return 1;');
    analysis.setFile('a.js', wrong);
    const { types, exports } = analysis.facts('a.js');
    expect(types.map(({ about, name, span }) => [about, name, wrong.slice(span.start, span.end)])).toEqual([
      ['shape', 'dispatch', 'return'],
    ]);
    expect(exports.map(({ name, async }) => [name, async])).toEqual([['dispatch', 'yes']]);
    const whole = exports[0]?.function;
    expect(wrong.slice(whole?.start, whole?.end)).toContain('return 1;');
    analysis.setFile('a.js', style.replace('BODY', 'const o = await fleet.getRobot(r); return o.id;'));
    expect(analysis.facts('a.js').types).toEqual([]);
  });
});

test('a wrapper whose function takes more is followed and not typed', () => {
  const text =
    'const promised = (f) => f;\nmodule.exports = { wait: promised((id, opts, done) => { return 1; }) };';
  analysis.setFile('a.js', text);
  const { exports, types } = analysis.facts('a.js');
  const whole = exports[0]?.function;
  expect(text.slice(whole?.start, whole?.end)).toBe('(id, opts, done) => { return 1; }');
  expect(types).toEqual([]);
});

test.each([
  ['{ inventory() { return []; } }', 'no'],
  ['{ inventory() { return fleet.listRobots(); } }', 'yes'],
  ['{ async *inventory() {} }', 'generator'],
  ['{ inventory: require("x").y }', 'unknown'],
])('whether it gives a promise: %s', (object, expected) => {
  analysis.setFile('a.js', `module.exports = ${object};`);
  expect(analysis.facts('a.js').exports.map(({ async }) => async)).toEqual([expected]);
});

test.each([
  ['const a = 1;', 'none', ''],
  ['const a = 1;\nexport const wait = a;', 'esm', 'export const wait = a;'],
  ["import a from 'a';\nmodule.exports = {};", 'esm', "import a from 'a';"],
  ['module.exports = { async wait(id: string) {} };', 'typescript', 'string'],
  ['interface A {}\nmodule.exports = {};', 'typescript', 'A'],
  ['module.exports = {};', 'commonjs', 'module.exports = {}'],
])('the form of %s', (text, kind, place) => {
  analysis.setFile('a.js', text);
  const { form, syntaxErrors } = analysis.facts('a.js');
  const span = form.kind === 'none' ? { start: 0, end: 0 } : form.exports;
  expect([form.kind, text.slice(span.start, span.end)]).toEqual([kind, place]);
  expect(syntaxErrors).toEqual([]);
});

test('names that the contract does not know', () => {
  const text = 'module.exports = { async invntory() {}, async cancel() {} };\nexports.helper = 1;';
  analysis.setFile('a.js', text);
  const { extras, exports } = analysis.facts('a.js');
  expect(extras.map(({ name, span }) => [name, text.slice(span.start, span.end)])).toEqual([
    ['invntory', 'invntory'],
    ['helper', 'helper'],
  ]);
  expect(exports.map(({ name }) => name)).toEqual(['cancel']);
});

test('a misfit deep in a result gives its reason', () => {
  const text = `module.exports = { async inventory() {
  const { robots } = await fleet.listRobots();
  return robots.map(({ id, battery }) => ({ id, status: 'IDLE', battery }));
} };`;
  analysis.setFile('a.js', text);
  const { types } = analysis.facts('a.js');
  // How the checker ends it, a list or a proposal, depends on what it was asked before.
  expect(types.map(({ message }) => message.replace(/(?<='"IDLE"' is not assignable to ).*/, '…'))).toEqual([
    "Type '{ id: string; status: \"IDLE\"; battery: number; }[]' is not assignable to type 'InventoryEntry[]'. Type '\"IDLE\"' is not assignable to …",
  ]);
  expect(types.map(({ span }) => text.slice(span.start, span.end))).toEqual(['return']);
});

test('what an object keeps for itself is not exported', () => {
  analysis.setFile(
    'a.js',
    'class A { #c; constructor(c) { this.#c = c; } async cancel(id) { await this.#c.cancelMission(id); } }\nmodule.exports = new A(fleet);',
  );
  expect(analysis.facts('a.js').extras).toEqual([]);
});

test('two projects do not know each other, and a file that was not set is refused', async () => {
  const other = await fleetAnalysis();
  const text = 'module.exports = { async cancel(id) { await fleet.cancelMission(1); } };';
  other.setFile('a.js', text);
  expect(other.facts('a.js').types.map(({ about, name }) => [about, name])).toEqual([
    ['call', 'cancelMission'],
  ]);
  expect(() => other.facts('b.js')).toThrow(RangeError);
  other.removeFile('a.js');
  expect(() => other.facts('a.js')).toThrow(RangeError);
  other.dispose();
});
