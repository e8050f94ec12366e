/**
 * A qualification as JUnit XML: a test suite for each adapter, a test case for each scenario. A broken rule is a
 * failure, a run without a verdict an error.
 */
import type { RuleOutcome } from '../evidence/evidence.ts';
import type { AdapterResult, EngineFacts, QualifyResult, RunResult } from '../results.ts';
import { xmlText } from '../text.ts';
import { brokenRules, NOTHING_RAN, placesOf, whyNotRun } from './broken.ts';

interface Counts {
  tests: number;
  failures: number;
  errors: number;
  ms: number;
}

/** The whole file, one LF at its end. Its texts are inert XML on one line each. */
export function junitText(result: QualifyResult): string {
  const counts = result.adapters.map(countsOf);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'loadline', ...totals(sumOf(counts)) })}>`,
    ...result.adapters.flatMap((adapter, index) =>
      suiteOf(adapter, counts[index] ?? countsOf(adapter), result).map((line) => `  ${line}`),
    ),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function countsOf({ runs }: AdapterResult): Counts {
  // An adapter without any run has one test case, which says so.
  if (runs.length === 0) return { tests: 1, failures: 0, errors: 1, ms: 0 };
  return {
    tests: runs.length,
    failures: runs.filter((run) => run.verdict === 'failed').length,
    errors: runs.filter((run) => run.verdict === 'not_run').length,
    ms: runs.reduce((sum, run) => sum + run.durationMs, 0),
  };
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = { tests: 0, failures: 0, errors: 0, ms: 0 };
  for (const { tests, failures, errors, ms } of counts) {
    sum.tests += tests;
    sum.failures += failures;
    sum.errors += errors;
    sum.ms += ms;
  }
  return sum;
}

function totals({ tests, failures, errors, ms }: Counts): Record<string, string> {
  return { ...{ tests: `${tests}`, failures: `${failures}`, errors: `${errors}` }, time: seconds(ms) };
}

function suiteOf(adapter: AdapterResult, counts: Counts, result: QualifyResult): string[] {
  const cases =
    adapter.runs.length === 0
      ? caseOf(adapter, 'qualification', 0, errorOf('not_run', NOTHING_RAN))
      : adapter.runs.flatMap((run) => caseOf(adapter, run.scenario, run.durationMs, outcomeOf(adapter, run)));
  return [
    `<testsuite${attributes({ name: adapter.file, ...totals(counts) })}>`,
    '  <properties>',
    ...Object.entries(propertiesOf(adapter, result)).map(
      ([name, value]) => `    <property${attributes({ name, value })}/>`,
    ),
    '  </properties>',
    ...cases.map((line) => `  ${line}`),
    '</testsuite>',
  ];
}

function propertiesOf(adapter: AdapterResult, { engine, loadline }: QualifyResult): Record<string, string> {
  const { contract, seed, verdict, sha256 } = adapter;
  return {
    ...{ contract, seed: `${seed}`, verdict, sha256, loadline },
    engine: engine === null ? 'none' : `${engine.name} ${engine.version}`,
    ...(engine === null ? {} : { runtime: engine.runtime }),
    tier: tierOf(adapter, engine),
  };
}

function tierOf({ runs }: AdapterResult, engine: EngineFacts | null): string {
  return runs.find((run) => run.tier !== null)?.tier ?? engine?.tier ?? 'none';
}

function caseOf(adapter: AdapterResult, name: string, ms: number, content: string[]): string[] {
  const start = `<testcase${attributes({ name, classname: adapter.file, time: seconds(ms) })}`;
  if (content.length === 0) return [`${start}/>`];
  return [`${start}>`, ...content.map((line) => `  ${line}`), '</testcase>'];
}

function outcomeOf(adapter: AdapterResult, run: RunResult): string[] {
  if (run.verdict === 'not_run')
    return errorOf(run.reason === undefined ? 'not_run' : `not_run.${run.reason}`, whyNotRun(run));
  return run.verdict === 'failed' ? failureOf(adapter, brokenRules(run)) : [];
}

function errorOf(type: string, message: string): string[] {
  return [`<error${attributes({ type, message })}/>`];
}

/** One element for all broken rules: many readers of JUnit files show the first one alone. */
function failureOf(adapter: AdapterResult, rules: readonly RuleOutcome[]): string[] {
  const type = rules.map((rule) => rule.id).join(' ');
  const message = rules.map((rule) => `${rule.id}: ${rule.text}`).join(' ');
  const body = rules.flatMap((rule) => ruleLines(adapter, rule));
  return [`<failure${attributes({ type, message })}>`, ...body, '</failure>'];
}

function ruleLines(adapter: AdapterResult, rule: RuleOutcome): string[] {
  const places = placesOf(rule.sites).map(
    ({ line, column }) => `  at ${xmlText(adapter.file)}:${line}:${column}`,
  );
  const rows = rule.ledger.length === 0 ? [] : [`  ledger rows ${xmlText(rule.ledger.join(', '))}`];
  return [`${xmlText(rule.id)}: ${xmlText(rule.text)}`, ...rows, ...places];
}

function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xmlText(value)}"`)
    .join('');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
