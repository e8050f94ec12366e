/** Whether a value is a plan of this contract, and the plan that its scenario and seed give. */
import { sameJson } from '../../sameJson.ts';
import { faultShape } from '../evidenceShape.ts';
import {
  between,
  type Check,
  list,
  literal,
  nullable,
  object,
  oneOf,
  requireShape,
  text,
  truth,
  Unjudgeable,
  whole,
} from '../shape.ts';
import { planOf } from './plan.ts';
import { scenarioById } from './scenarios.ts';
import { type CommandEnd, type FleetPlan, type StepKind, TRIAL } from './types.ts';

const target = object({ x: whole, y: whole });

const plan = object({
  seed: whole,
  scenario: text,
  world: object({
    resources: list(
      object({ id: text, status: literal('idle'), fields: object({ battery: whole, pose: target }) }),
    ),
  }),
  faults: list(faultShape),
  commands: list(object({ id: text, robot: text, target, cancel: truth })),
  ends: list(
    object({
      command: text,
      state: oneOf<CommandEnd['state']>({ done: true, failed: true, cancelled: true, refused: true }),
      mayBeUnresolved: truth,
    }),
  ),
  steps: list(
    object({
      index: whole,
      kind: oneOf<StepKind>({ inventory: true, dispatch: true, cancel: true, wait: true }),
    }),
  ),
});
/** What a step of each kind has beside index and kind. */
const STEP_SHAPES: Record<StepKind, Check> = {
  inventory: object({}),
  dispatch: object({ command: text, times: between(1, 2) }),
  cancel: object({ command: text, mission: between(0, 1) }),
  wait: object({ command: text, mission: between(0, 1), maxPolls: nullable(whole) }),
};

/**
 * Throws Unjudgeable where `value` (JSON) is no fleet plan, or not the one that its scenario and seed give. A trial's
 * faults are its own, so of a trial only the form is checked.
 */
export function requirePlan(value: unknown): asserts value is FleetPlan {
  requireShape(plan, value, 'evidence.plan');
  const checked = value as unknown as FleetPlan;
  if (checked.scenario === TRIAL) requireTrial(checked);
  else if (scenarioById(checked.scenario) === undefined)
    throw new Unjudgeable('The plan is of a scenario that the fleet contract does not have.');
  else if (!sameJson(checked, planOf(checked.scenario, checked.seed)))
    throw new Unjudgeable('The plan is not the one that its scenario and seed give.');
}

function requireTrial({ commands, ends, steps }: FleetPlan): void {
  for (const [index, step] of steps.entries()) {
    const place = `evidence.plan.steps[${index}]`;
    if (step.index !== index) throw new Unjudgeable(`${place}.index has to be ${index}.`);
    requireShape(STEP_SHAPES[step.kind], step, place);
  }
  const ids = commands.map((command) => command.id);
  const ended = ends.map((end) => end.command);
  if (new Set(ids).size !== ids.length) throw new Unjudgeable('The plan names two commands alike.');
  if (!sameJson(ids, ended))
    throw new Unjudgeable('The plan has not one expected end for each command, in their order.');
}
