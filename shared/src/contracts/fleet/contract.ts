/** The contract `fleet/1`: an adapter that lists a vendor's robots, sends them to targets, waits and cancels. */
import type { Judgement } from '../../evidence/evidence.ts';
import type { Contract, ContractExport, ContractStatics } from '../contract.ts';
import { requireEvidence } from '../evidenceShape.ts';
import { Unjudgeable } from '../shape.ts';
import { fleetExploration } from './exploration/exploration.ts';
import { factsOf } from './facts.ts';
import { type FleetState, next, start } from './machine.ts';
import { planOf } from './plan.ts';
import { requirePlan } from './planShape.ts';
import { judgeRules, RULES } from './rules/index.ts';
import { SCENARIOS } from './scenarios.ts';
import { type FleetPlan, READ } from './types.ts';
import { TYPINGS } from './typings.ts';
import { FINAL_STATES, ROBOT_STATUSES } from './values.ts';

const ID = 'fleet/1';

const EXPORTS: readonly ContractExport[] = [
  {
    name: 'inventory',
    signature: '() => Promise<FleetContract.InventoryEntry[]>',
    obligations:
      'Gives every robot that the vendor knows, as the vendor has it at that moment. It never throws: a failed call is tried again.',
  },
  {
    name: 'dispatch',
    signature: '(robotId: string, target: FleetContract.Target, commandId: string) => Promise<string>',
    obligations:
      "Orders the mission and gives the vendor's mission id. One command is at most one order, whatever the vendor answers and even when it is dispatched twice at once. A failure that is no refusal is tried again for at least ten seconds, retryAfterMs is honoured. Throws an Error with code 'refused' where the vendor refused, with code 'unresolved' where it cannot be told whether the order was taken.",
  },
  {
    name: 'wait',
    signature: '(missionId: string, opts: FleetContract.WaitOptions) => Promise<FleetContract.WaitResult>',
    obligations:
      "Reads the mission until it has ended or opts.maxPolls (default 50) status reads are used up, failed reads included, and gives its state ('timeout' when they are used up) with the number of reads. A failed read is repeated after a pause within the same budget; a failed mission is reported, never ordered again.",
  },
  {
    name: 'cancel',
    signature: '(missionId: string) => Promise<unknown>',
    obligations: 'Calls the mission off: the robot stops where it is. What it returns is not looked at.',
  },
];

const WORDS: readonly string[] = [
  ...['id', 'status', 'battery', 'pose', 'x', 'y', 'state', 'polls', 'maxPolls'],
  ...[...ROBOT_STATUSES, ...FINAL_STATES, 'queued', 'running', 'refused', 'unresolved'],
];

const STATICS: ContractStatics = {
  adapterType: 'FleetContract.Adapter',
  errorCodes: { refused: 'refused', unresolved: 'unresolved' },
  mayThrow: ['dispatch'],
  decidedByWrites: ['dispatch', 'cancel'],
  poll: {
    export: 'wait',
    read: READ,
    bound: 'maxPolls',
    result: 'state',
    claims: ['done', 'failed', 'cancelled'],
  },
};

export const fleet: Contract<FleetPlan, FleetState> = {
  id: ID,
  version: 'fleet/1.0',
  exports: EXPORTS.map((each) => ({ ...each })),
  scenarios: SCENARIOS.map(({ id, title, aimsAt }) => ({ id, title, aimsAt })),
  rules: RULES.map(({ id, title }) => ({ id, title })),
  words: WORDS,
  statics: STATICS,
  exploration: fleetExploration,
  typings: () => TYPINGS,
  plan: planOf,
  start,
  next,
  judge: judgeFleet,
};

function judgeFleet(evidence: unknown): Judgement {
  requireEvidence(evidence);
  if (evidence.contract !== ID) throw new Unjudgeable(`The evidence is of another contract than ${ID}.`);
  const { plan } = evidence;
  requirePlan(plan);
  const rules = judgeRules(factsOf(evidence, plan));
  return { verdict: rules.every((rule) => rule.held) ? 'qualified' : 'failed', rules };
}
