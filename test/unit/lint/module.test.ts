import { createContext, runInContext } from 'node:vm';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonJsEdits } from '../../../server/src/analysis/commonJs.ts';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import { SANDBOX_NAMES } from '../../../server/src/lint/sandboxNames.ts';
import {
  applied,
  at,
  type Fleet,
  factsOf,
  fixOf,
  fleetProject,
  inputOf,
  lintTexts,
  said,
} from './support.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await fleetProject();
});

describe('adapter-syntax', () => {
  it('says the first three, and nothing that needs the whole file', () => {
    const span = { start: 0, end: 1 };
    const syntaxErrors = ["';' expected.", 'Expression expected.', "'}' expected", 'One more.'].map(
      (message) => ({
        message,
        span,
      }),
    );
    expect(lintTexts(fleet, 'x', { syntaxErrors, exports: [] })).toEqual([
      "adapter-syntax: This is not JavaScript: ';' expected.",
      'adapter-syntax: This is not JavaScript: Expression expected.',
      "adapter-syntax: This is not JavaScript: '}' expected.",
    ]);
  });
});

describe('module-form', () => {
  it('says of an ES module one sentence and nothing of the contract', () => {
    const text = 'export async function inventory() {}\n';
    const form = { kind: 'esm' as const, exports: at(text, 'export') };
    expect(lintTexts(fleet, text, { form, exports: [] })).toEqual([
      'module-form: The sandbox loads CommonJS modules alone: use module.exports instead of export, and no import.',
    ]);
  });

  it.each([
    [
      'export async function inventory() {}\nexport const wait = async () => {};\n',
      'async function inventory() {}\nconst wait = async () => {};\n\nmodule.exports = { inventory, wait };\n',
    ],
    ['export default {\n  async inventory() {},\n};\n', 'module.exports = {\n  async inventory() {},\n};\n'],
    [
      'async function list() {}\nexport { list as inventory };',
      'async function list() {}\n\n\nmodule.exports = { inventory: list };\n',
    ],
  ])('turns %j into CommonJS', (before, after) => {
    const commonJs = commonJsEdits(parsed(before));
    if (commonJs === undefined) throw new Error('no edits');
    const form = { kind: 'esm' as const, exports: at(before, 'export'), commonJs };
    const findings = lintAdapter(inputOf(fleet, before, { facts: factsOf({ form, exports: [] }) }));
    expect(applied(fixOf(findings, 'module-form'), 'adapter.js', before)).toBe(after);
  });

  it.each([
    "import fs from 'node:fs';\nexport const wait = 1;\n",
    "export * from './other.js';\n",
    'export const { wait } = functions;\n',
    'export default function () {}\nexport const wait = 1;\n',
    'const a = 1;\nexport { a as default };\n',
  ])('leaves %j alone', (text) => {
    expect(commonJsEdits(parsed(text))).toBe(undefined);
  });

  it('says of TypeScript that it does not run', () => {
    const text = 'const ms: number = 250;\n';
    const form = { kind: 'typescript' as const, exports: at(text, ': number') };
    expect(lintTexts(fleet, text, { form, exports: [] })).toEqual([
      'module-form: The sandbox runs JavaScript as it is written: take out the type annotations and other words of TypeScript.',
    ]);
  });

  it('gives a file without exports the functions of the contract', () => {
    const text = 'const pause = 250;\n';
    const facts = factsOf({ form: { kind: 'none' }, exports: [] });
    const findings = lintAdapter(inputOf(fleet, text, { facts }));
    expect(said(findings)).toEqual([
      'module-form: This file exports nothing: the contract fleet/1 needs module.exports with inventory, dispatch, wait and cancel.',
    ]);
    const after = applied(fixOf(findings, 'module-form'), 'adapter.js', text);
    expect(after.split('\n').slice(0, 8)).toEqual([
      'const pause = 250;',
      '',
      'module.exports = {',
      '  async inventory() {',
      "    throw Object.assign(new Error('inventory is not written yet'), { code: 'unresolved' });",
      '  },',
      '',
      '  async dispatch(robotId, target, commandId) {',
    ]);
  });
});

describe('forbidden-global', () => {
  it.each([
    ["require('node:fs')", 'require', 'The sandbox has no require: an adapter is one file, without modules.'],
    [
      'process.env',
      'process',
      'The sandbox has no process: an adapter sees no process, no environment and no file system.',
    ],
    [
      'fetch(url)',
      'fetch',
      'The sandbox has no fetch: there is no network, and the vendor is called through fleet alone.',
    ],
    ['eval(text)', 'eval', 'The sandbox makes no code from text: eval() throws there.'],
    ['new Function(text)', 'Function', 'The sandbox makes no code from text: Function() throws there.'],
    ['slep(250)', 'slep', '"slep" is declared nowhere in this file, and the sandbox has no such global.'],
    [
      'setTimout(f)',
      'setTimout',
      '"setTimout" is declared nowhere in this file, and the sandbox has no such global. Did you mean "setTimeout"?',
    ],
  ])('says of %s', (text, name, message) => {
    const freeNames = [{ name, span: at(text, name), guarded: false }];
    expect(lintTexts(fleet, text, { freeNames })).toEqual([`forbidden-global: ${message}`]);
  });

  it.each([
    ['call instanceof Function', 'Function'],
    ['fleet.getRobot(id)', 'fleet'],
    ['setTimeout(f, 250)', 'setTimeout'],
    ['AbortSignal.timeout(5)', 'AbortSignal'],
    ['module.exports = {}', 'module'],
    ['tries = 1', 'tries'],
  ])('is silent about %s', (text, name) => {
    expect(lintTexts(fleet, text, { freeNames: [{ name, span: at(text, name), guarded: false }] })).toEqual(
      [],
    );
  });

  it('is silent about a name that is only asked for by typeof', () => {
    const text = "typeof process === 'undefined'";
    expect(
      lintTexts(fleet, text, { freeNames: [{ name: 'process', span: at(text, 'process'), guarded: true }] }),
    ).toEqual([]);
  });

  it('knows every global of the language but those that the sandbox takes away', () => {
    const names = runInContext('Object.getOwnPropertyNames(globalThis)', createContext({})) as string[];
    const missing = names.filter((name) => !SANDBOX_NAMES.has(name)).sort();
    expect(missing).toEqual(
      [
        'Atomics',
        'FinalizationRegistry',
        'SharedArrayBuffer',
        'WeakRef',
        'WebAssembly',
        'console',
        'eval',
      ].filter((name) => !SANDBOX_NAMES.has(name)),
    );
  });
});

function parsed(text: string): ts.SourceFile {
  return ts.createSourceFile('adapter.js', text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
}
