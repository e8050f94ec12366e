import { describe, expect, it } from 'vitest';
import type { ContractStep, Turn } from '../../../shared/src/contracts/contract.ts';
import { type FleetState, next, start } from '../../../shared/src/contracts/fleet/machine.ts';
import { planOf } from '../../../shared/src/contracts/fleet/plan.ts';
import type { FleetPlan } from '../../../shared/src/contracts/fleet/types.ts';
import type { InvocationResult } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';

const returned = (value: Json): InvocationResult => ({ kind: 'returned', value });
const threw: InvocationResult = {
  kind: 'threw',
  error: { isError: true, name: 'Error', message: '', code: 'unresolved' },
};

/** Plays a plan with what `answer` gives for each call; the steps called. */
function play(
  plan: FleetPlan,
  answer: (call: { export: string; args: Json[] }, nth: number) => InvocationResult,
) {
  const steps: ContractStep[] = [];
  let turn: Turn<FleetState> = start(plan);
  for (let effect = turn.effects[0]; effect?.kind === 'callGuest'; effect = turn.effects[0]) {
    const { step } = effect;
    steps.push(step);
    // The state is plain JSON: it may cross a process border at any time.
    const state = JSON.parse(JSON.stringify(turn.state));
    turn = next(state, { kind: 'settled', step: step.index, results: step.invocations.map(answer) });
  }
  expect(turn.effects).toEqual([{ kind: 'done' }]);
  return steps.map(({ index, invocations }) => ({
    index,
    calls: invocations.map(({ export: name, args }) => ({ name, args })),
  }));
}

const missionPerCommand = ({ export: name, args }: { export: string; args: Json[] }) =>
  returned(name === 'dispatch' ? `m-${String(args[2])}` : null);

describe('the steps of a run', () => {
  it('call everything where each dispatch gives a mission', () => {
    const plan = planOf('nominal', 3);
    const steps = play(plan, missionPerCommand);
    expect(steps.map((step) => step.index)).toEqual(plan.steps.map((step) => step.index));
    expect(steps[0]).toEqual({ index: 0, calls: [{ name: 'inventory', args: [] }] });
    const [first] = plan.commands;
    expect(steps[1]?.calls).toEqual([{ name: 'dispatch', args: [first?.robot, first?.target, first?.id] }]);
    const fourth = plan.commands[3];
    const rest = steps.slice(-3).map((step) => step.calls);
    expect(rest).toEqual([
      [{ name: 'cancel', args: [`m-${fourth?.id}`] }],
      [{ name: 'wait', args: [`m-${fourth?.id}`, {}] }],
      [{ name: 'inventory', args: [] }],
    ]);
  });

  it('name the poll budget only where the plan has one', () => {
    const plan = planOf('nominal', 3);
    const options = play(plan, missionPerCommand).flatMap(({ calls }) =>
      calls.flatMap(({ name, args }) => (name === 'wait' ? [args[1]] : [])),
    );
    expect(options.filter((option) => JSON.stringify(option) === '{}')).toHaveLength(4);
    expect(options.filter((option) => JSON.stringify(option) === '{"maxPolls":1}')).toHaveLength(1);
  });

  it.each([
    ['a throw', threw],
    ['a number', returned(12)],
    ['an empty text', returned('')],
    ['an overlong text', returned('m'.repeat(257))],
    ['nothing', returned(null)],
  ])('leave out cancel and wait after %s', (_, result) => {
    const plan = planOf('nominal', 3);
    const steps = play(plan, () => result);
    expect(steps.flatMap(({ calls }) => calls.map((call) => call.name))).toEqual([
      'inventory',
      'dispatch',
      'dispatch',
      'dispatch',
      'dispatch',
      'inventory',
    ]);
    const kinds = steps.map(({ index }) => plan.steps[index]?.kind);
    expect(kinds).toEqual(['inventory', 'dispatch', 'dispatch', 'dispatch', 'dispatch', 'inventory']);
  });

  it.each([
    ['the same mission once', ['m-1', 'm-1'], ['m-1']],
    ['different missions each', ['m-1', 'm-2'], ['m-1', 'm-2']],
    ['the one mission there is', [null, 'm-2'], ['m-2']],
    ['nothing where there is none', [null, null], []],
  ])('wait after a twin dispatch for %s', (_, given, waited) => {
    const plan = planOf('twin_dispatch', 5);
    const twin = plan.steps.find((step) => step.kind === 'dispatch' && step.times === 2);
    const steps = play(plan, (call, nth) =>
      call.export === 'dispatch' && twin?.kind === 'dispatch' && call.args[2] === twin.command
        ? returned(given[nth] ?? null)
        : returned(null),
    );
    const dispatch = steps.find((step) => step.index === twin?.index);
    expect(dispatch?.calls).toHaveLength(2);
    expect(dispatch?.calls[0]).toEqual(dispatch?.calls[1]);
    const waits = steps.flatMap(({ calls }) =>
      calls.flatMap(({ name, args }) => (name === 'wait' ? [args[0]] : [])),
    );
    expect(waits).toEqual(waited);
  });

  it('refuse an event of another step', () => {
    const { state } = start(planOf('nominal', 3));
    expect(() => next(state, { kind: 'settled', step: 4, results: [] })).toThrow(
      'Step 4 settled, but it was not under way.',
    );
  });

  it('leave the state that was given alone', () => {
    const turn = start(planOf('nominal', 3));
    const before = JSON.stringify(turn.state);
    next(turn.state, { kind: 'settled', step: 0, results: [returned([])] });
    expect(JSON.stringify(turn.state)).toBe(before);
  });
});
