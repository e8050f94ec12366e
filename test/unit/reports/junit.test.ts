import { expect, test } from 'vitest';
import { junitText } from '../../../shared/src/reports/junit.ts';
import { everything } from './results.ts';
import { junitProblems } from './validate.ts';

test('a suite for each adapter, a case for each scenario; broken rules are failures, what did not run errors', () => {
  const text = junitText(everything);
  expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="loadline" tests="4" failures="1" errors="2" time="1.500">
  <testsuite name="adapters/v1.js" tests="3" failures="1" errors="1" time="1.500">
    <properties>
      <property name="contract" value="fleet/1"/>
      <property name="seed" value="7"/>
      <property name="verdict" value="failed"/>
      <property name="sha256" value="${'ab'.repeat(32)}"/>
      <property name="loadline" value="0.1.0"/>
      <property name="engine" value="Docker 20.10.24"/>
      <property name="runtime" value="runc"/>
      <property name="tier" value="container"/>
    </properties>
    <testcase name="nominal" classname="adapters/v1.js" time="0.250"/>
    <testcase name="lost_answer" classname="adapters/v1.js" time="1.250">
      <failure type="one_order_per_command report_is_true" message="one_order_per_command: Command c1 has 2 orders. report_is_true: It reported m-1, the ledger has m-2.">
      one_order_per_command: Command c1 has 2 orders.
        ledger rows 6, 9
        at adapters/v1.js:31:24
        at adapters/v1.js:40:3
        at adapters/v1.js:52:7
      report_is_true: It reported m-1, the ledger has m-2.
      </failure>
    </testcase>
    <testcase name="slow" classname="adapters/v1.js" time="0.000">
      <error type="not_run.engine" message="The engine was lost. Adapter code may have run."/>
    </testcase>
  </testsuite>
  <testsuite name="C:\\work\\v2.js" tests="1" failures="0" errors="1" time="0.000">
    <properties>
      <property name="contract" value="fleet/1"/>
      <property name="seed" value="7"/>
      <property name="verdict" value="not_run"/>
      <property name="sha256" value=""/>
      <property name="loadline" value="0.1.0"/>
      <property name="engine" value="Docker 20.10.24"/>
      <property name="runtime" value="runc"/>
      <property name="tier" value="container"/>
    </properties>
    <testcase name="qualification" classname="C:\\work\\v2.js" time="0.000">
      <error type="not_run" message="No scenario of this adapter was run."/>
    </testcase>
  </testsuite>
</testsuites>
`);
  expect(junitProblems(text)).toEqual([]);
});

test('without an engine or an adapter it is valid and claims nothing', () => {
  const text = junitText({ loadline: '0.1.0', engine: null, adapters: [] });
  expect(text).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="loadline" tests="0" failures="0" errors="0" time="0.000">\n</testsuites>\n',
  );
  expect(junitProblems(text)).toEqual([]);
});

test('the validator sees what is wrong', () => {
  expect(junitProblems('<testsuites><other/></testsuites>')[0]).toContain('This element is not expected');
  expect(junitProblems('<testsuites>')[0]).toContain('parser error');
});
