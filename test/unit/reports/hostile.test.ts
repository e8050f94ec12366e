/** Names and messages that try to be more than text, in every place that foreign text can reach. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { junitText } from '../../../shared/src/reports/junit.ts';
import { sarifText } from '../../../shared/src/reports/sarif.ts';
import type { AdapterResult, QualifyResult, RunResult } from '../../../shared/src/results.ts';
import { sarifMessage } from '../../../shared/src/text.ts';
import { adapter, engine, run, twice } from './results.ts';
import { junitProblems, sarifProblems, xpath } from './validate.ts';

const SEED = 20_260_107;
const CASES = 300;

const HOSTILE = [
  ']]></failure><testcase name="forged"/>',
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  '"/><property name="verdict" value="qualified',
  "' onload='x",
  '&lt;&#0;&#xd800;&amp',
  '\u0000\u0001\u0008\u000b\u001b[31mred\u001b[0m\u007f\u0085\u009b',
  'line\r\nline\n\n  <testcase/>\u2028x\u2029',
  '\u202e\u2066\u200b\ufeff\u00ad\u{e0041}\ufffe\uffff\ud800',
  '[click](command:workbench.action.quit) {0} {12} [a](javascript:alert(1))',
  '-->' + '<!--' + '<?xml version="1.0"?>',
  '__proto__',
  'constructor',
  '',
  ' ',
  'x'.repeat(100_000),
];
/** What must not be left in a report. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc
    .tuple(fc.constantFrom(...HOSTILE.slice(0, -1)), fc.string({ unit: 'binary', maxLength: 8 }))
    .map((two) => two.join('')),
);
const number = fc.constantFrom(1, 2, 7, 0, -1, 1.5, Number.MAX_SAFE_INTEGER, Number.NaN);
const rule = fc
  .tuple(text, text, fc.array(fc.tuple(number, number), { maxLength: 4 }))
  .map(([id, said, sites]) => ({
    ...{ id, held: false, text: said, ledger: [1, 2] },
    sites: sites.map(([line, column]) => ({ line, column })),
  }));
const aRun = fc
  .tuple(text, text, fc.constantFrom('failed', 'not_run', 'qualified'), fc.array(rule, { maxLength: 3 }))
  .map(
    ([scenario, message, verdict, rules]): RunResult =>
      run(scenario, {
        verdict,
        rules,
        ...(verdict === 'not_run' ? { reason: 'adapter', message, mayHaveRun: true } : {}),
      }),
  );
const anAdapter = fc
  .tuple(text, text, text, fc.array(aRun, { maxLength: 3 }))
  .map(([file, contract, sha256, runs]): AdapterResult => adapter(file, runs, { contract, sha256 }));
const aResult = fc.tuple(fc.array(anAdapter, { minLength: 1, maxLength: 4 }), text).map(
  ([adapters, name]): QualifyResult => ({
    loadline: name,
    engine: { ...engine, name, runtime: name },
    adapters,
  }),
);

const samples = fc.sample(aResult, { numRuns: CASES, seed: SEED });

test(`JUnit: ${CASES} hostile results are one valid file each element of which is ours (seed ${SEED})`, () => {
  const adapters = samples.flatMap((result) => result.adapters);
  const report = junitText({ loadline: '0.1.0', engine, adapters });
  expect(junitProblems(report)).toEqual([]);
  expect(xpath(report, 'count(//testsuite)')).toBe(`${adapters.length}`);
  const cases = adapters.reduce((sum, { runs }) => sum + Math.max(1, runs.length), 0);
  expect(xpath(report, 'count(//testcase)')).toBe(`${cases}`);
  expect(xpath(report, 'count(//property)')).toBe(`${8 * adapters.length}`);
  expect(xpath(report, 'count(//testcase[@name="forged"])')).toBe('0');
  const failed = adapters.flatMap(({ runs }) => runs).filter(({ verdict }) => verdict === 'failed');
  expect(xpath(report, 'count(//failure)')).toBe(`${failed.length}`);
  expect(report).not.toContain(']]>');
  expect(UNSEEN.test(report.replaceAll('\n', ''))).toBe(false);
});

test(`SARIF: ${CASES} hostile results are of the schema and hold no hidden character and no link (seed ${SEED})`, () => {
  const seen = { results: 0, expected: 0 };
  for (const result of samples) {
    const report = sarifText(result, { version: result.loadline });
    expect(sarifProblems(report)).toEqual([]);
    const values: string[] = [];
    const { runs } = JSON.parse(report, (_, value) => {
      if (typeof value === 'string') values.push(value);
      return value;
    });
    expect(values.filter((value) => UNSEEN.test(value))).toEqual([]);
    expect(
      runs[0].results.filter(({ message }: { message: { text: string } }) =>
        /\]\(|\{\d+\}/.test(message.text),
      ),
    ).toEqual([]);
    seen.results += runs[0].results.length;
    for (const each of result.adapters.flatMap((one) => one.runs))
      if (each.verdict === 'failed') seen.expected += each.rules.length;
  }
  expect(seen.results).toBe(seen.expected);
  expect(seen.results).toBeGreaterThan(CASES);
});

test('a message of SARIF is neither a link nor a place of an argument', () => {
  expect(sarifMessage('[a](command:x) {0} {x} a[1] \u0007')).toBe('[a] (command :x) { 0} {x} a[1]');
});

test('texts of any length are cut', () => {
  const long = run('s'.repeat(9_999), { verdict: 'failed', rules: [{ ...twice, text: 'y'.repeat(99_999) }] });
  const result: QualifyResult = { loadline: '0.1.0', engine, adapters: [adapter('a.js', [long])] };
  expect(junitText(result).length).toBeLessThan(6_000);
  expect(sarifText(result, { version: '1' }).length).toBeLessThan(12_000);
});
