import { beforeAll, expect, test } from 'vitest';
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { cursor, fleetAnalysis } from './support.ts';

let analysis: Analysis;
beforeAll(async () => {
  analysis = await fleetAnalysis();
});

const OPERATIONS = [
  'health',
  'listRobots',
  'getRobot',
  'decommissionRobot',
  'updateFirmware',
  'createMission',
  'getMission',
  'cancelMission',
];
const CAUGHT = [
  'body',
  'cause',
  'message',
  'name',
  'origin',
  'outcome',
  'retryAfterMs',
  'sent',
  'stack',
  'status',
];

function labels(marked: string): string[] {
  const { text, offset } = cursor(marked);
  analysis.setFile('a.js', text);
  return analysis.complete('a.js', offset).map(({ label }) => label);
}

test.each([
  ['an alias', 'const api = fleet; api.|', OPERATIONS],
  [
    'a member that holds it',
    'class A { constructor(c) { this.api = c; } go() { this.api.| } } new A(fleet);',
    OPERATIONS,
  ],
  ['an option', 'function build({ client }) { client.g| } build({ client: fleet });', OPERATIONS],
  ['brackets', 'fleet["|"]', OPERATIONS],
  ['the middle of a name', 'fleet.get|Robot("r")', OPERATIONS],
  ['a comment', 'fleet.health(); // fleet.|', []],
  ['a text', 'const a = "fleet.|";', []],
  ['nothing at all', '|', []],
])('the client’s operations in %s', (_name, marked, expected) => {
  expect(labels(marked)).toEqual(expected);
});

test.each([
  ['a catch variable', 'fleet.health().then(f); async function f() { try { g(); } catch (e) { e.| } }'],
  ['a handler of a promise', 'fleet.health().catch((e) => e.|);'],
  ['the second handler', 'fleet.health().then(undefined, (e) => e.|);'],
])('the client’s error in %s', (_name, marked) => {
  expect(labels(marked)).toEqual(CAUGHT);
});

test.each([
  ['an empty object', 'module.exports = { | };', ['cancel', 'dispatch', 'inventory', 'wait']],
  ['a name begun', 'module.exports = { async wait() {}, di| };', ['cancel', 'dispatch', 'inventory']],
  [
    'an object with a name',
    'const adapter = { | };\nmodule.exports = adapter;',
    ['cancel', 'dispatch', 'inventory', 'wait'],
  ],
  ['another object', 'const other = { | };\nmodule.exports = {};', []],
])('the contract’s functions in %s', (_name, marked, expected) => {
  expect(labels(marked)).toEqual(expected);
});

test('a pattern in catch has the error’s types', () => {
  const text = "try { f(); } catch ({ sent, origin }) { if (sent === 'x') f(); }";
  analysis.setFile('a.js', text);
  expect(analysis.subject('a.js', text.indexOf("sent === 'x'") + 1)).toBeNull();
  expect(labels('try { f(); } catch ({ | }) { f(); }').sort()).toEqual(CAUGHT);
});

test('what is put in place of what', () => {
  const { text, offset } = cursor('fleet.getM|ission("m");');
  analysis.setFile('a.js', text);
  const item = analysis.complete('a.js', offset).find(({ label }) => label === 'getMission');
  expect(item).toEqual({
    label: 'getMission',
    kind: 'operation',
    insert: 'getMission',
    snippet: false,
    replaces: { start: 6, end: 10 },
    detail: 'GET /missions/{id}',
    operation: 'getMission',
    sortText: '000006',
  });
});
