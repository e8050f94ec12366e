/** From evidence to judgement, whatever the contract. Pure. */
import { contractById } from './contracts/index.ts';
import { Unjudgeable } from './contracts/shape.ts';
import type { Evidence, Judgement } from './evidence/evidence.ts';

/**
 * Judges a run by the rules of its contract. Any value at all gives a judgement or throws Unjudgeable, an Error whose
 * message is a sentence that says what is wrong with the evidence: never a verdict that does not follow from it.
 */
export function judge(evidence: Evidence): Judgement {
  const named: unknown = (evidence as Partial<Evidence> | null | undefined)?.contract;
  if (typeof named !== 'string') throw new Unjudgeable('The evidence does not name its contract.');
  const contract = contractById(named);
  if (contract === undefined)
    throw new Unjudgeable('The evidence is of a contract that this version does not know.');
  try {
    return contract.judge(evidence);
  } catch (error) {
    if (error instanceof Unjudgeable) throw error;
    throw new Unjudgeable(`The evidence cannot be judged: ${(error as Error).message}`, { cause: error });
  }
}
