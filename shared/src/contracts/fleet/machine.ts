/** The steps of a run as a pure state machine: the platform's side of the fleet contract. */
import type { InvocationResult } from '../../guestProtocol.ts';
import type { Json } from '../../json.ts';
import type { ContractEvent, ContractStep, Effect, Turn } from '../contract.ts';
import type { About, FleetPlan, PlannedStep } from './types.ts';
import { missionIdOf } from './values.ts';

/** Plain JSON. */
export interface FleetState {
  plan: FleetPlan;
  /** Position in `plan.steps` of the step under way; their number when all are over. */
  at: number;
  /** Different mission ids that each command's dispatch gave, in their order; by the command's place in the plan. */
  missions: string[][];
}

export function start(plan: FleetPlan): Turn<FleetState> {
  return goOn({ plan, at: -1, missions: plan.commands.map(() => []) });
}

/** Throws an Error where the event is not of the step under way. */
export function next(state: FleetState, event: ContractEvent): Turn<FleetState> {
  const step = state.plan.steps[state.at];
  if (step === undefined || step.index !== event.step)
    throw new Error(`Step ${event.step} settled, but it was not under way.`);
  if (step.kind !== 'dispatch') return goOn(state);
  const given = [...new Set(event.results.map(missionGiven).filter((id) => id !== null))];
  const missions = state.missions.map((known, index) =>
    state.plan.commands[index]?.id === step.command ? given : known,
  );
  return goOn({ ...state, missions });
}

function goOn(state: FleetState): Turn<FleetState> {
  for (let at = state.at + 1; at < state.plan.steps.length; at += 1) {
    const planned = state.plan.steps[at];
    const step = planned === undefined ? null : stepOf(planned, state);
    if (step !== null) return turn({ ...state, at }, { kind: 'callGuest', step });
  }
  return turn({ ...state, at: state.plan.steps.length }, { kind: 'done' });
}

function turn(state: FleetState, effect: Effect): Turn<FleetState> {
  return { state, effects: [effect] };
}

/** The step as the guest gets it, or null where it is not called. */
function stepOf(planned: PlannedStep, state: FleetState): ContractStep | null {
  if (planned.kind === 'inventory') return step(planned, [], { kind: 'inventory' });
  const { kind } = planned;
  const place = state.plan.commands.findIndex((command) => command.id === planned.command);
  const command = state.plan.commands[place];
  if (command === undefined) return null;
  const about: About = { kind, command: command.id };
  if (planned.kind === 'dispatch') {
    const { x, y } = command.target;
    return step(planned, [command.robot, { x, y }, command.id], about, planned.times);
  }
  const mission = state.missions[place]?.[planned.mission];
  if (mission === undefined) return null;
  if (planned.kind === 'cancel') return step(planned, [mission], about);
  return step(planned, [mission, planned.maxPolls === null ? {} : { maxPolls: planned.maxPolls }], about);
}

function step({ index, kind }: PlannedStep, args: Json[], about: About, times = 1): ContractStep {
  return { index, invocations: Array.from({ length: times }, () => ({ export: kind, args, about })) };
}

function missionGiven(result: InvocationResult): string | null {
  return result.kind === 'returned' ? missionIdOf(result.value) : null;
}
