/** Lines that say what became of one run of an adapter in one scenario. */
import { faultShape } from '../contracts/evidenceShape.ts';
import { contractByVersion } from '../contracts/index.ts';
import { list, object, oneOf, text, truth, whole } from '../contracts/shape.ts';
import type { LineRules } from './lineRules.ts';
import { RUN_NOT_ESTABLISHED } from './notEstablished.ts';
import { requireFollows } from './rebuild.ts';
import { clock, digest, exact, key, numbers, runVerdict, tier, time } from './shapeParts.ts';
import type { VerdictStatement } from './statement.ts';
import { sharedFacts, verdictOfLines } from './statements.ts';

const predicate = exact({
  inputs: exact({
    document: digest,
    grant: digest,
    config: digest,
    contract: text,
    client: digest,
    guest: digest,
    base: text,
    plan: digest,
    seed: whole,
    scenario: text,
    faults: list(faultShape),
  }),
  environment: exact({
    engine: exact({ name: text, version: text }),
    runtime: text,
    tier,
    clock,
    limits: numbers,
    cannot: list(text),
    loadline: text,
  }),
  run: exact({ startedAt: time, endedAt: time, nonce: text, jti: text, key }),
  // Rules of the version that the line names say more of evidence and outcome.
  evidence: object({}),
  outcome: exact({
    verdict: oneOf(runVerdict),
    rules: list(
      exact({
        id: text,
        held: truth,
        text,
        ledger: list(whole),
        sites: list(exact({ line: whole, column: whole })),
      }),
    ),
  }),
  notEstablished: list(text),
});

/** Place of the scenario in its contract; -1: not known. */
function placeOf({ predicate: { inputs } }: VerdictStatement): number {
  return contractByVersion(inputs.contract)?.scenarios.findIndex(({ id }) => id === inputs.scenario) ?? -1;
}

export const verdictRules: LineRules<VerdictStatement> = {
  predicate,
  notEstablished: RUN_NOT_ESTABLISHED,
  aboutAdapter: true,
  isKnown: ({ predicate: { inputs } }) => contractByVersion(inputs.contract) !== undefined,
  nameOf: ({ predicate: { inputs } }) => inputs.scenario,
  compare: (a, b) => placeOf(a) - placeOf(b),
  sharedFacts,
  verdictOf: verdictOfLines,
  requireFollows,
};
