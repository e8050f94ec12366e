import { beforeAll, describe, expect, it } from 'vitest';
import type { FlowFinding } from '../../../server/src/analysis/flow/flowFacts.ts';
import type { LintFinding } from '../../../server/src/lint/finding.ts';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import { applied, at, type Fleet, factsOf, fleetProject, inputOf, use } from './support.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await fleetProject();
});

function adapter(call: string, head = 'async dispatch(robotId, target, commandId)'): string {
  return `module.exports = {\n  ${head} {\n    return withRetry(() => ${call});\n  },\n};\n`;
}

function lint(text: string, call: string, finding: Partial<FlowFinding> = {}): LintFinding[] {
  const whole = at(text, call);
  const facts = factsOf();
  facts.uses.push(use('call', 'createMission', at(text, 'createMission'), whole));
  for (const fact of facts.exports) {
    if (fact.name === 'dispatch')
      fact.function = { start: text.indexOf('async'), end: text.lastIndexOf(',') };
  }
  const flow: FlowFinding = {
    rule: 'retry-without-identity',
    operation: 'createMission',
    span: whole,
    reason: 'command_id is not passed',
    related: [{ message: 'it is repeated here', span: at(text, 'withRetry') }],
    ...finding,
  };
  return lintAdapter(inputOf(fleet, text, { facts, flow: { findings: [flow], unfinished: [] } }));
}

function fixed(text: string, call: string): string[] {
  return lint(text, call).flatMap(({ fixes }) =>
    fixes.filter(({ preferred }) => preferred).map((fix) => applied(fix, 'adapter.js', text)),
  );
}

describe('findings on failing calls', () => {
  const call = 'fleet.createMission(robotId, { target })';

  it.each([
    [
      'retry-without-identity',
      'createMission is sent again without naming the order it repeats, so a lost answer becomes a second order: command_id is not passed.',
    ],
    [
      'refusal-from-doubt',
      "'refused' may be untrue of createMission here, so say 'unresolved' unless error.outcome is \"refused\": command_id is not passed.",
    ],
    [
      'unbounded-poll',
      'createMission may be read more often than maxPolls allows: command_id is not passed.',
    ],
    ['swallowed-error', 'A failure of createMission is lost here: command_id is not passed.'],
  ] as const)('%s', (rule, message) => {
    const text = adapter(call);
    const [finding] = lint(text, call, { rule });
    expect([finding?.code, finding?.severity, finding?.message, finding?.related]).toEqual([
      rule,
      'warning',
      message,
      [{ message: 'it is repeated here', span: at(text, 'withRetry') }],
    ]);
  });

  it.each([
    [
      'fleet.createMission(robotId, { target })',
      'fleet.createMission(robotId, { target, command_id: commandId })',
    ],
    [
      'fleet.createMission(robotId, { target, })',
      'fleet.createMission(robotId, { target, command_id: commandId })',
    ],
    ['fleet.createMission(robotId, {})', 'fleet.createMission(robotId, { command_id: commandId})'],
    [
      'fleet.createMission(robotId, {\n      target,\n    })',
      'fleet.createMission(robotId, {\n      target, command_id: commandId\n    })',
    ],
  ])('names the order in %j', (before, after) => {
    expect(fixed(adapter(before), before)).toEqual([adapter(after)]);
  });

  it.each([
    ['fleet.createMission(robotId, body)', undefined],
    ['fleet.createMission(robotId, { target, command_id: id() })', undefined],
    [call, 'async dispatch(robotId, target, id)'],
    [call, 'async dispatch({ commandId })'],
  ])('does not guess in %s of %s', (before, head) => {
    expect(fixed(adapter(before, head), before)).toEqual([]);
  });

  it('says nothing of calls whose walk was given up', () => {
    const text = adapter(call);
    const flow = { findings: [], unfinished: [at(text, call)] };
    expect(lintAdapter(inputOf(fleet, text, { flow }))).toEqual([]);
    expect(lintAdapter(inputOf(fleet, text, { flow: null }))).toEqual([]);
  });
});
