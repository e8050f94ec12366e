import { beforeAll, describe, expect, it } from 'vitest';
import type { AdapterFacts, ExportFact, ThrownFact } from '../../../server/src/analysis/facts.ts';
import type { LintFinding } from '../../../server/src/lint/finding.ts';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import { RealLint, wholeAdapter } from './real.ts';
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
let real: RealLint;
beforeAll(async () => {
  fleet = await fleetProject();
  real = new RealLint(fleet);
});

function lint(text: string, facts: Partial<AdapterFacts>): LintFinding[] {
  return lintAdapter(inputOf(fleet, text, { facts: factsOf(facts) }));
}

function exported(name: string, more: Partial<ExportFact> = {}): ExportFact {
  return { name, span: { start: 0, end: 1 }, function: null, async: 'yes', ...more };
}

describe('contract-missing', () => {
  it('names what is missing at the place where the file exports', () => {
    const text = 'module.exports = { inventory, dispatch };\n';
    const form = { kind: 'commonjs' as const, exports: at(text, 'module.exports = { inventory, dispatch }') };
    const findings = lint(text, { form, exports: [exported('inventory'), exported('dispatch')] });
    expect(findings.map(({ message, span }) => [message, span])).toEqual([
      [
        'The contract fleet/1 needs wait and cancel, and this file does not export them.',
        at(text, 'module.exports'),
      ],
    ]);
  });

  it.each([
    ['module.exports = { dispatch };\n'],
    ['module.exports = {\n  dispatch,\n};\n'],
    ['exports.dispatch = dispatch;\n'],
    ['module.exports = Object.freeze({ dispatch });\n'],
    ['const adapter = { dispatch };\nmodule.exports = adapter;'],
    ['class Adapter {\n  async dispatch() {\n    return "m";\n  }\n}\nmodule.exports = new Adapter();\n'],
  ])('adds functions that check clean to %j', (tail) => {
    const text = tail.startsWith('class') ? tail : `async function dispatch() {\n  return 'm';\n}\n${tail}`;
    expect(real.codes(text)).toEqual(['contract-missing']);
    const fix = fixOf(real.lint(text), 'contract-missing');
    expect([fix.title, fix.preferred]).toEqual(['Add inventory, wait and cancel', true]);
    expect(real.codes(applied(fix, 'adapter.js', text))).toEqual([]);
  });

  it('gives a file without exports functions that check clean', () => {
    const text = '// nothing yet\n';
    expect(real.codes(text)).toEqual(['module-form']);
    expect(real.codes(applied(fixOf(real.lint(text), 'module-form'), 'adapter.js', text))).toEqual([]);
  });

  it('turns an ES module into one that checks clean', () => {
    const text = wholeAdapter('')
      .replace(/^async/gm, 'export async')
      .replace(/\nmodule\.exports.*\n/, '');
    expect(real.codes(text)).toEqual(['module-form']);
    expect(real.codes(applied(fixOf(real.lint(text), 'module-form'), 'adapter.js', text))).toEqual([]);
  });

  it('offers the name that a misspelt one is near to', () => {
    const text = wholeAdapter('').replace(
      '{ inventory, dispatch, wait',
      '{ inventory, dispatch: dispatch, wiat: wait',
    );
    const findings = real.lint(text);
    expect(said(findings)).toEqual([
      'contract-missing: The contract fleet/1 has no function "wiat" and misses "wait". Did you mean that?',
    ]);
    expect(real.codes(applied(fixOf(findings, 'contract-missing'), 'adapter.js', text))).toEqual([]);
  });

  it('renames a shorthand without losing what it names', () => {
    const text = 'module.exports = { inventory, dispach, wait, cancel };\n';
    const facts = {
      exports: [exported('inventory'), exported('wait'), exported('cancel')],
      extras: [{ name: 'dispach', span: at(text, 'dispach') }],
    };
    expect(applied(fixOf(lint(text, facts), 'contract-missing'), 'adapter.js', text)).toBe(
      'module.exports = { inventory, dispatch: dispach, wait, cancel };\n',
    );
  });

  it('lets a file export more than the contract asks for', () => {
    const text = 'module.exports = { inventory, dispatch, wait, cancel, version };\n';
    expect(lintTexts(fleet, text, { extras: [{ name: 'version', span: at(text, 'version') }] })).toEqual([]);
  });

  it('makes a function async', () => {
    const text = wholeAdapter("function cancel(missionId) {\n  console.log('cancelling', missionId);\n}");
    const findings = real.lint(text);
    expect(said(findings)).toEqual([
      "contract-missing: cancel is not async: the contract's function gives a promise.",
    ]);
    const after = applied(fixOf(findings, 'contract-missing'), 'adapter.js', text);
    expect(after).toBe(text.replace('function cancel', 'async function cancel'));
  });

  it('has no fix for a generator or a getter', () => {
    const text = 'get cancel() { return 1; }';
    const exports = [
      ...['inventory', 'dispatch'].map((name) => exported(name)),
      exported('wait', { async: 'generator' }),
      exported('cancel', { async: 'no', function: at(text, text) }),
    ];
    expect(
      lint(text, { exports }).map(({ message, fixes }) => [message, fixes.map(({ title }) => title)]),
    ).toEqual([
      [
        "wait is a generator: the contract's function gives a promise of one result.",
        ['Silence contract-missing on this line'],
      ],
      [
        "cancel is not async: the contract's function gives a promise.",
        ['Silence contract-missing on this line'],
      ],
    ]);
  });
});

describe('contract-shape', () => {
  it('puts the checker’s words into a sentence', () => {
    const text = "return { state: 'don' };";
    const message = 'Type \'"don"\' is not assignable to type \'"done"\'';
    const span = at(text, 'state');
    const types = ['wait', null].map((name) => ({ about: 'shape' as const, name, message, span }));
    expect(lintTexts(fleet, text, { types })).toEqual([
      `contract-shape: This result of wait does not have the contract's shape: ${message}.`,
      `contract-shape: This result does not have the contract's shape: ${message}.`,
    ]);
  });
});

describe('contract-code', () => {
  const none: ThrownFact['code'] = { kind: 'none' };

  it('is said once of a place that leaves several functions', () => {
    const text = "throw new Error('lost');";
    const span = at(text, text);
    const thrown = ['dispatch', 'wait'].map((name) => ({ export: name, span, code: none }));
    expect(lintTexts(fleet, text, { thrown })).toEqual([
      "contract-code: This error leaves dispatch without a code: say 'refused' where the vendor refused, 'unresolved' where it cannot be told.",
    ]);
  });

  it.each([
    ["throw new Error('lost');", "throw new Error('lost');"],
    ["throw new Error('lost');", "new Error('lost')"],
  ])('gives the error of %s a code, placed at %s', (text, place) => {
    const findings = lint(text, { thrown: [{ export: 'dispatch', span: at(text, place), code: none }] });
    const [first, second] = findings[0]?.fixes ?? [];
    expect([first?.preferred, second?.preferred]).toEqual([true, false]);
    expect([first, second].map((fix) => fix && applied(fix, 'adapter.js', text))).toEqual([
      "throw Object.assign(new Error('lost'), { code: 'unresolved' });",
      "throw Object.assign(new Error('lost'), { code: 'refused' });",
    ]);
  });

  it('knows the contract’s codes, and what another may have meant', () => {
    const text = "Object.assign(e, { code: 'refuse' })";
    const code = (value: string): ThrownFact['code'] => ({
      kind: 'literal',
      value,
      span: at(text, "'refuse'"),
    });
    const thrown = (value: string): ThrownFact[] => [
      { export: 'dispatch', span: at(text, text), code: code(value) },
    ];
    expect(lintTexts(fleet, text, { thrown: [...thrown('refused'), ...thrown('unresolved')] })).toEqual([]);
    const findings = lint(text, { thrown: thrown('refuse') });
    expect(said(findings)).toEqual([
      "contract-code: This error leaves dispatch with the code \"refuse\": the contract knows 'refused' and 'unresolved'.",
    ]);
    expect(applied(fixOf(findings, 'contract-code'), 'adapter.js', text)).toBe(
      "Object.assign(e, { code: 'refused' })",
    );
    expect(
      lintTexts(fleet, text, {
        thrown: [{ export: 'dispatch', span: at(text, text), code: { kind: 'unknown' } }],
      }),
    ).toEqual([]);
  });
});
