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
    /** Name of the options' property that bounds the reads. */
    bound: string;
    /** Property of the result that carries the state, and the states that are claims about the vendor. */
    result: string;
    claims: readonly string[];
  } | null;
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
  /** TypeScript declarations of the contract's shapes. */
  typings(surface: Surface): string;
  /** Same scenario and seed give the same plan. */
  plan(scenario: string, seed: number): Plan;
  start(plan: Plan): Turn<State>;
  next(state: State, event: ContractEvent): Turn<State>;
  /** Pure; throws only on evidence that is not of this contract. */
  judge(evidence: Evidence): Judgement;
}
