/** The vendors that Loadline ships as models: `simulated:<name>` in loadline.json. */
import type { ContractPlan } from '../../../shared/src/contracts/contract.ts';
import type { ResourceState } from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';
import { OrderEngine } from './engine.ts';
import type { VendorModel } from './model.ts';
import { fleet } from './models/fleet.ts';
import { isObject } from './pointer.ts';
import type { LedgerVendor, TokenVerifier } from './vendor.ts';

const prefix = 'simulated:';
const models: ReadonlyMap<string, VendorModel> = new Map([[fleet.name, fleet]]);

/** As loadline.json names them, in the order in which they are offered. */
export const simulatedVendors: readonly string[] = [...models.keys()].map((name) => `${prefix}${name}`);

/** What a vendor gets for one run. */
export interface SimulatedRun {
  /** Its `world` is `{resources: [{id, status, running, fields}]}`. */
  plan: Pick<ContractPlan, 'world' | 'faults'>;
  /** Order ids are made from it. */
  idSeed: string;
  /** Milliseconds since 1970 at time 0 of the run. */
  epoch: number;
  verifier: TokenVerifier;
}

/** Whether `vendor` (`simulated:<name>`) is one that we ship. */
export function isSimulated(vendor: string): boolean {
  return simulatedVendors.includes(vendor);
}

/** The model behind `simulated:<name>`; throws an Error with a sentence for people where there is none. */
export function simulatedModel(vendor: string): VendorModel {
  const model = vendor.startsWith(prefix) ? models.get(vendor.slice(prefix.length)) : undefined;
  if (model === undefined) {
    throw new Error(`There is no vendor "${vendor}" to simulate. Use ${simulatedVendors.join(' or ')}.`);
  }
  return model;
}

/** A fresh vendor for one run; throws an Error with a sentence for people where vendor or plan cannot be simulated. */
export function simulatedVendor(vendor: string, run: SimulatedRun): LedgerVendor {
  const { plan, idSeed, epoch, verifier } = run;
  const world = { resources: resourcesOf(plan.world) };
  return new OrderEngine({
    model: simulatedModel(vendor),
    world,
    faults: plan.faults,
    idSeed,
    epoch,
    verifier,
  });
}

function resourcesOf(world: Json): ResourceState[] {
  const resources = isObject(world) ? world.resources : undefined;
  if (!Array.isArray(resources)) throw new Error('The plan gives the vendor no list of resources.');
  return resources.map((resource) => {
    if (!isObject(resource)) throw new Error('A resource of the plan is not an object.');
    const { id, status, running, fields } = resource;
    if (typeof id !== 'string' || typeof status !== 'string' || running !== null || !isObject(fields)) {
      throw new Error('A resource of the plan needs an id, a status, running: null and fields.');
    }
    return { id, status, running, fields };
  });
}
