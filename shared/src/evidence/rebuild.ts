/** A verdict rebuilt from its evidence: nothing that a line says of its outcome is taken on trust. */
import type { Contract } from '../contracts/contract.ts';
import { contractById, contractByVersion } from '../contracts/index.ts';
import { Unjudgeable } from '../contracts/shape.ts';
import { judge } from '../judge.ts';
import { sameJson } from '../sameJson.ts';
import { runExcess } from './bounds.ts';
import { canonicalDigest } from './digest.ts';
import type { Evidence, Judgement } from './evidence.ts';
import { Refused } from './failures.ts';
import { isNormalised } from './normalise.ts';
import { seedOf } from './seed.ts';
import type { VerdictStatement } from './statement.ts';
import { planFacts } from './statements.ts';

/**
 * Judges again with the rules of the version that the line names.
 * @throws Refused of kind `version`, `form` or `verdict`
 */
export async function requireFollows({ subject, predicate }: VerdictStatement): Promise<void> {
  const { inputs, evidence, outcome } = predicate;
  const contract = rulesOf(inputs.contract);
  const excess = runExcess(evidence);
  if (excess !== null) throw new Refused('form', excess);
  const rebuilt = judgedAgain(evidence, contract);
  if (!(await isNormalised(evidence, contract.words)))
    throw new Refused('form', 'The evidence is not in the form in which it is signed.');
  if (!contract.scenarios.some(({ id }) => id === inputs.scenario))
    throw new Refused('verdict', `The contract ${contract.version} has no such scenario.`);
  const { seed, scenario, faults } = inputs;
  if (!sameJson({ seed, scenario, faults }, planFacts(evidence)))
    throw new Refused('verdict', 'Scenario, seed and faults are not those of the plan in the evidence.');
  if (inputs.plan !== (await canonicalDigest(evidence.plan)))
    throw new Refused('verdict', 'The digest of the plan is not that of the plan in the evidence.');
  if (seed !== (await seedOf(subject[0].digest.sha256, contract.version)))
    throw new Refused('verdict', "The seed does not follow from the adapter's digest and the contract.");
  if (!sameJson(rebuilt, outcome))
    throw new Refused('verdict', 'The outcome is not what the rules say of the evidence.');
}

function rulesOf(version: string): Contract {
  const contract = contractByVersion(version);
  if (contract === undefined)
    throw new Refused(
      'version',
      'This version does not know the rules that the line names, so it cannot rebuild the verdict; verify with the version of Loadline that the line names.',
    );
  return contract;
}

function judgedAgain(evidence: Evidence, contract: Contract): Judgement {
  try {
    const rebuilt = judge(evidence);
    if (contractById(evidence.contract) === contract) return rebuilt;
  } catch (error) {
    if (error instanceof Unjudgeable) throw new Refused('verdict', error.message);
    throw error;
  }
  throw new Refused('verdict', 'The evidence is of another contract than the line names.');
}
