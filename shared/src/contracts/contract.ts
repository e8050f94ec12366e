/** What every contract is: data and a pure state machine. The runner interprets effects and knows no contract. */
import type { Evidence, FaultSchedule, Judgement } from '../evidence/evidence.ts';
import type { InvocationResult } from '../guestProtocol.ts';
import type { Json } from '../json.ts';
import type { Surface } from '../surface/surface.ts';

/** One step: its invocations start in the same turn. */
export interface ContractStep {
  index: number;
  invocations: { export: string; args: Json[]; about: Json }[];
}

export type Effect = { kind: 'callGuest'; step: ContractStep } | { kind: 'done' };

export type ContractEvent = { kind: 'settled'; step: number; results: InvocationResult[] };

export interface Turn<State> {
  state: State;
  effects: Effect[];
}

export interface ContractExport {
  name: string;
  /** The parameters as TypeScript, over the types of the contract's typings. */
  signature: string;
  /** What it must do, in one or two sentences: hovers, documents for agents. */
  obligations: string;
}

export interface Scenario {
  id: string;
  /** One sentence: what the vendor does. */
  title: string;
  /** The export this scenario is about. */
  aimsAt: string;
}

export interface ContractPlan {
  seed: number;
  scenario: string;
  /** What the vendor starts with. */
  world: Json;
  faults: FaultSchedule;
  [key: string]: unknown;
}

/** What static rules need to know of a contract, so that none of them names an operation or an export of its own. */
export interface ContractStatics {
  /** Type of the whole adapter in the contract's typings, e.g. `FleetContract.Adapter`. */
  adapterType: string;
  /** Values of an error's `code` that may cross the border. */
  errorCodes: {
    /** Said when the vendor refused. */
    refused: string;
    /** Said when it cannot be told whether an order was taken. */
    unresolved: string;
  };
  /** Exports whose failure is told by throwing a coded error. */
  mayThrow: readonly string[];
  /** Exports whose result follows from writes, from the create where there is one; of the others reads decide. */
  decidedByWrites: readonly string[];
  /** The export that repeats a status read within a bound of its options. */
  poll: {
    export: string;
    /** The operation that reads the status. */
    read: string;
    /** Name of the options' property that bounds the reads. */
    bound: string;
    /** Property of the result that carries the state, and the states that are claims about the vendor. */
    result: string;
    claims: readonly string[];
  } | null;
}

/** One fault schedule of an exploration. */
export interface Schedule {
  /** What is done to the vendor, in a word or two: findings of one kind are one finding. */
  kind: string;
  /** Kinds that it is made of: what they show alone is no finding of this one. */
  parts: string[];
  /** Operation that meets it first. */
  operation: string;
  /** In words: "the answer of the 2nd createMission in the dispatch of the 1st command is lost". */
  text: string;
  plan: ContractPlan;
}

/**
 * Fault schedules that nobody wrote down. Only fair ones: a right adapter holds every rule under each of them. All
 * evidence is of trials under plans of this exploration.
 */
export interface Exploration {
  /** The nominal run: its calls are where faults can fall. */
  baseline(seed: number): ContractPlan;
  /** One fault at one call. */
  singles(baseline: Evidence): Schedule[];
  /** Something that the world does, with one fault of a create. */
  worlds(baseline: Evidence): Schedule[];
  /** One fault at two to five calls in a row. */
  bursts(baseline: Evidence): Schedule[];
  /** A second fault at calls that followed the first within its step. */
  pairs(first: Schedule, evidence: Evidence): Schedule[];
  /** Several faults at chance; the same number gives the same schedule. */
  random(baseline: Evidence, number: number): Schedule;
  /** Smaller schedules that may show the same, the smallest first. */
  smaller(schedule: Schedule): Schedule[];
}

/** `State` is plain JSON. */
export interface Contract<Plan extends ContractPlan = ContractPlan, State = unknown> {
  /** `fleet/1`. */
  id: string;
  /** Version of contract and rules together: `fleet/1.0`. */
  version: string;
  exports: ContractExport[];
  scenarios: Scenario[];
  /** Rule ids in the order they are shown. */
  rules: { id: string; title: string }[];
  /** Keys, states and codes that rules look for in what an adapter gives. Its other words are signed as digests. */
  words: readonly string[];
  statics: ContractStatics;
  exploration: Exploration;
  /** TypeScript declarations of the contract's shapes. */
  typings(surface: Surface): string;
  /** Same scenario and seed give the same plan. */
  plan(scenario: string, seed: number): Plan;
  start(plan: Plan): Turn<State>;
  next(state: State, event: ContractEvent): Turn<State>;
  /** Pure; throws only on evidence that is not of this contract. */
  judge(evidence: Evidence): Judgement;
}
