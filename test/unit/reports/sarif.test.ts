import { expect, test } from 'vitest';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import { sarifText } from '../../../shared/src/reports/sarif.ts';
import { adapter, engine, everything, held, run, SHA, twice } from './results.ts';
import { sarifProblems } from './validate.ts';

const v1 = { uri: 'adapters/v1.js', uriBaseId: '%SRCROOT%' };
const v2 = { uri: 'file:///C:/work/v2.js' };
const reportOf = (result = everything) => JSON.parse(sarifText(result, { version: '0.1.0' }));

test('a result for each broken rule at its first place, with the further ones and the ledger rows', () => {
  const { results } = reportOf().runs[0];
  expect(results).toEqual([
    {
      ruleId: 'fleet/1/one_order_per_command',
      ruleIndex: 3,
      level: 'error',
      message: { text: 'lost_answer: Command c1 has 2 orders.' },
      locations: [{ physicalLocation: { artifactLocation: v1, region: { startLine: 31, startColumn: 24 } } }],
      relatedLocations: [
        {
          id: 1,
          physicalLocation: { artifactLocation: v1, region: { startLine: 40, startColumn: 3 } },
          message: { text: 'A further call behind this.' },
        },
        {
          id: 2,
          physicalLocation: { artifactLocation: v1, region: { startLine: 52, startColumn: 7 } },
          message: { text: 'A further call behind this.' },
        },
      ],
      partialFingerprints: { 'scenarioAndRule/v1': 'fleet/1/lost_answer/one_order_per_command' },
      properties: {
        scenario: 'lost_answer',
        ledger: [
          { seq: 6, at: 40, kind: 'order', by: 'client', operation: 'createMission', status: 201 },
          { seq: 9 },
        ],
      },
    },
    {
      ruleId: 'fleet/1/report_is_true',
      ruleIndex: 7,
      level: 'error',
      message: { text: 'lost_answer: It reported m-1, the ledger has m-2.' },
      locations: [{ physicalLocation: { artifactLocation: v1 } }],
      partialFingerprints: { 'scenarioAndRule/v1': 'fleet/1/lost_answer/report_is_true' },
      properties: { scenario: 'lost_answer', ledger: [] },
    },
  ]);
});

test('what did not run is said and makes the invocation unsuccessful', () => {
  const { invocations } = reportOf().runs[0];
  expect(invocations).toEqual([
    {
      executionSuccessful: false,
      toolExecutionNotifications: [
        {
          descriptor: { id: 'not_run/engine' },
          level: 'error',
          message: { text: 'slow: The engine was lost. Adapter code may have run.' },
          locations: [{ physicalLocation: { artifactLocation: v1 } }],
        },
        {
          descriptor: { id: 'not_run' },
          level: 'error',
          message: { text: 'No scenario of this adapter was run.' },
          locations: [{ physicalLocation: { artifactLocation: v2 } }],
        },
      ],
    },
  ]);
});

test('an invocation is successful when all ran, whatever they broke, and never without an adapter', () => {
  const broken = run('nominal', { verdict: 'failed', rules: [held, twice] });
  const all = { loadline: '0.1.0', engine, adapters: [adapter('a.js', [broken])] };
  expect(reportOf(all).runs[0].invocations).toEqual([{ executionSuccessful: true }]);
  expect(reportOf({ ...all, adapters: [] }).runs[0].invocations).toEqual([{ executionSuccessful: false }]);
});

test("the contract's rules are the descriptors, in its order, with help", () => {
  const { driver } = reportOf().runs[0].tool;
  expect([driver.name, driver.version]).toEqual(['Loadline', '0.1.0']);
  expect(driver.rules.map((rule: { id: string }) => rule.id)).toEqual(
    fleet.rules.map((rule) => `fleet/1/${rule.id}`),
  );
  expect(driver.rules[3]).toEqual({
    id: 'fleet/1/one_order_per_command',
    name: 'one_order_per_command',
    shortDescription: { text: 'One order for each command' },
    help: {
      text: "One order for each command. It is judged from the vendor's own ledger, the vendor's record after the run and the values that came back; ledger rows are listed with each result. A place in the adapter is where the call behind it was made, as the adapter claims.",
    },
    defaultConfiguration: { level: 'error' },
  });
});

test('a rule that its contract does not know has a descriptor of its own', () => {
  const other = run('x', { verdict: 'failed', rules: [{ ...twice, id: 'other' }] });
  const report = reportOf({
    loadline: '0.1.0',
    engine,
    adapters: [adapter('a.js', [other], { contract: 'other/1' })],
  });
  expect(report.runs[0].tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual(['other/1/other']);
  expect(report.runs[0].results[0].ruleIndex).toBe(0);
});

test('the artifacts are the adapters with their digests', () => {
  expect(reportOf().runs[0].artifacts).toEqual([
    {
      location: v1,
      roles: ['analysisTarget'],
      sourceLanguage: 'javascript',
      hashes: { 'sha-256': SHA },
    },
    { location: v2, roles: ['analysisTarget'], sourceLanguage: 'javascript' },
  ]);
});

test.each([
  ['a b/ü#?.js', { uri: 'a%20b/%C3%BC%23%3F.js', uriBaseId: '%SRCROOT%' }],
  ['/home/u/a.js', { uri: 'file:///home/u/a.js' }],
  ['c:x.js', { uri: 'c%3Ax.js', uriBaseId: '%SRCROOT%' }],
  ['\ud800.js', { uri: '%EF%BF%BD.js', uriBaseId: '%SRCROOT%' }],
  ['\u202ea.js', { uri: '%E2%80%AEa.js', uriBaseId: '%SRCROOT%' }],
])('the file %j is the address %j', (file, location) => {
  const report = reportOf({ loadline: '0.1.0', engine, adapters: [adapter(file, [])] });
  expect(report.runs[0].artifacts[0].location).toEqual(location);
});

test('places that are none are left out', () => {
  const sites = [0, -1, 1.5, Number.NaN, 2 ** 60].map((line) => ({ line, column: 1 }));
  const odd = run('x', {
    verdict: 'failed',
    rules: [{ ...twice, sites: [...sites, { line: 2, column: 1 }] }],
  });
  const { results } = reportOf({ loadline: '0.1.0', engine, adapters: [adapter('a.js', [odd])] }).runs[0];
  expect(results[0].locations[0].physicalLocation.region).toEqual({ startLine: 2, startColumn: 1 });
  expect(results[0].relatedLocations).toBe(undefined);
});

test('it is of the schema', () => {
  expect(sarifProblems(sarifText(everything, { version: '0.1.0' }))).toEqual([]);
  expect(
    sarifProblems(sarifText({ loadline: '0.1.0', engine: null, adapters: [] }, { version: '0.1.0' })),
  ).toEqual([]);
});

test('the validator sees what is wrong', () => {
  expect(sarifProblems('{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}')).toEqual([
    "/runs/0/tool/driver must have required property 'name'",
  ]);
});
