/** The words of the fleet contract: commands, planned steps, expected ends, plan. All plain JSON. */
import type { ContractPlan, Scenario } from '../contract.ts';

/** Name of the vendor's operations that faults are placed on and rules look at. */
export const CREATE = 'createMission';
export const READ = 'getMission';

/** `maxPolls` where the platform gives none. */
export const DEFAULT_MAX_POLLS = 50;

/** The floor is `FLOOR` x `FLOOR` units; coordinates are whole numbers from 0. */
export const FLOOR = 9;

/** Scenario name of a plan with a fault schedule of its own: judged like any other, never signed. */
export const TRIAL = 'trial';

// Aliases, not interfaces: only those are JSON values to the compiler.
export type Target = { x: number; y: number };

/** A robot as the vendor starts with it: a `ResourceState`. `battery` in percent. */
export type FleetRobot = {
  id: string;
  status: 'idle';
  running: null;
  fields: { battery: number; pose: Target };
};

export interface FleetCommand {
  /** 8 to 64 of letters, digits, `-`, `_`. */
  id: string;
  robot: string;
  target: Target;
  /** Cancelled as soon as it is placed. */
  cancel: boolean;
}

/**
 * A step as planned. Its index is its own whether it is called or not, so that a fault can name it: `cancel` and `wait`
 * are called only where the command's dispatch gave at least `mission` + 1 different mission ids.
 */
export type PlannedStep =
  | { index: number; kind: 'inventory' }
  /** `times` calls start in the same turn. */
  | { index: number; kind: 'dispatch'; command: string; times: number }
  | { index: number; kind: 'cancel'; command: string; mission: number }
  /** `maxPolls` null: the platform names none, so the default holds. */
  | { index: number; kind: 'wait'; command: string; mission: number; maxPolls: number | null };

export type StepKind = PlannedStep['kind'];

/** `about` of a step record. */
export type About = { kind: 'inventory' } | { kind: 'dispatch' | 'cancel' | 'wait'; command: string };

/** How a command has to end. */
export interface CommandEnd {
  command: string;
  state: 'done' | 'failed' | 'cancelled' | 'refused';
  /** The adapter may also say that it cannot tell; then its order may be in any state. */
  mayBeUnresolved: boolean;
}

export interface FleetPlan extends ContractPlan {
  world: { resources: FleetRobot[] };
  commands: FleetCommand[];
  /** One for each command, in their order. */
  ends: CommandEnd[];
  steps: PlannedStep[];
}

/** Which of the first three commands a scenario may fall on; the seed picks among those. */
export type Choice = 'any' | 'last-on-its-robot' | 'alone-on-its-robot' | 'not-the-first' | 'waited-for-once';

/** A fault of calls, before the plan says which step it falls in. */
export interface CallFaultTemplate {
  /** `dispatch`: the command's dispatch. `wait`: its last wait. */
  during: 'dispatch' | 'wait';
  /** The chosen command, or another one of the first three (by seed, one for the whole plan). */
  of: 'chosen' | 'another';
  operation: string;
  nth: number;
  count?: number | null;
  handled: 'no' | 'yes' | 'late';
  answer: 'status' | 'dropped' | 'slow' | 'other';
  status?: number;
  retryAfterS?: number;
  body?: { error: { code: string; message: string } };
  afterMs?: number;
  forget?: boolean;
}

/** What the world does to the chosen command. */
export type WorldFaultTemplate =
  /** Its robot faults in the middle of the drive. */
  | { during: 'drive' }
  /** A stranger's order is accepted on its robot just before its first create arrives. */
  | { during: 'before-create' };

export type FaultTemplate = CallFaultTemplate | WorldFaultTemplate;

export interface FleetScenario extends Scenario {
  chooses: Choice;
  faults: FaultTemplate[];
  /** The platform dispatches the chosen command twice at once. */
  twin?: boolean;
  /** The chosen command's last wait gets `maxPolls` = distance + faulted reads + this. */
  sparePolls?: number;
  /** What the chosen command has to end as. */
  end: Omit<CommandEnd, 'command'>;
}
