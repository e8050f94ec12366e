/** Lines that say what a probe of one runtime's sandbox tried, and what came of it. */
import { list, nullable, oneOf, text, truth, Unjudgeable, whole } from '../contracts/shape.ts';
import { PROBE_RULES, type ProbeEvidence, type ProbeJudgement, type ProbeRuleId } from '../probe.ts';
import { judgeProbe, PROBE_VERSION } from '../probeRules.ts';
import { sameJson } from '../sameJson.ts';
import { probeExcess } from './bounds.ts';
import { canonical } from './canonical.ts';
import { sha256 } from './digest.ts';
import { Refused } from './failures.ts';
import type { LineRules } from './lineRules.ts';
import { PROBE_LINE_NOT_ESTABLISHED, PROBE_NOT_ESTABLISHED } from './notEstablished.ts';
import { digest, exact, fileVerdict, key, numbers, tier, time } from './shapeParts.ts';
import type { ProbePredicate, ProbeStatement } from './statement.ts';
import { statementOf } from './statements.ts';

const ruleId = oneOf(
  Object.fromEntries(PROBE_RULES.map(({ id }) => [id, true])) as Record<ProbeRuleId, true>,
);

const predicate = exact({
  inputs: exact({
    document: digest,
    grant: digest,
    config: digest,
    client: digest,
    guest: digest,
    base: text,
    prober: digest,
    helper: nullable(digest),
    rules: text,
  }),
  environment: exact({
    engine: exact({ name: text, version: text }),
    runtime: text,
    tier,
    limits: numbers,
    cannot: list(text),
    loadline: text,
  }),
  run: exact({ startedAt: time, endedAt: time, nonce: text, key }),
  evidence: exact({
    filter: oneOf<ProbeEvidence['filter']>({ ours: true, runtime: true, engine: true }),
    attempts: list(
      exact({
        rule: ruleId,
        id: text,
        outcome: oneOf({ refused: true, inside: true, survived: true }),
        text,
      }),
    ),
    notTried: list(exact({ rule: ruleId, why: text })),
  }),
  outcome: exact({
    verdict: oneOf(fileVerdict),
    rules: list(
      exact({
        id: ruleId,
        held: truth,
        text,
        ...{ attempts: whole, refused: whole, inside: whole },
        ...{ survivors: list(text), notTried: list(text) },
      }),
    ),
  }),
  notEstablished: list(text),
});

const ID = /^[\x20-\x7e]{1,200}$/;
const DIGEST_TEXT = /^sha256:[0-9a-f]{64}$/;

async function kept(foreign: string, fits: RegExp): Promise<string> {
  return foreign === '' || fits.test(foreign) ? foreign : `sha256:${await sha256(foreign)}`;
}

/** What attempts told and why others were not made, as digests. Normalising twice changes nothing. */
async function normalised({ filter, attempts, notTried }: ProbeEvidence): Promise<ProbeEvidence> {
  return {
    filter,
    attempts: await Promise.all(
      attempts.map(async ({ rule, id, outcome, text: told }) => ({
        ...{ rule, outcome, id: await kept(id, ID), text: await kept(told, DIGEST_TEXT) },
      })),
    ),
    notTried: await Promise.all(
      notTried.map(async ({ rule, why }) => ({ rule, why: await kept(why, DIGEST_TEXT) })),
    ),
  };
}

/**
 * The statement of one probe: evidence normalised, judged again from that.
 * @throws Unjudgeable where no judgement follows from the evidence
 */
export async function probeStatement(
  parts: Omit<ProbePredicate, 'outcome' | 'notEstablished'>,
): Promise<ProbeStatement> {
  const excess = probeExcess(parts.evidence);
  if (excess !== null) throw new Unjudgeable(excess);
  const evidence = await normalised(parts.evidence);
  const outcome = judged(evidence, parts.environment);
  return statementOf({ name: 'loadline.json', sha256: parts.inputs.config }, 'probe', {
    ...{ ...parts, evidence, outcome },
    notEstablished: [...PROBE_LINE_NOT_ESTABLISHED],
  });
}

function judged(evidence: ProbeEvidence, environment: ProbePredicate['environment']): ProbeJudgement {
  if (evidence.filter === 'runtime' && environment.tier !== 'kernel')
    throw new Unjudgeable("The filter is said to be that of a guest's own kernel, and the tier is not.");
  return judgeProbe(evidence);
}

async function requireFollows({ subject, predicate: said }: ProbeStatement): Promise<void> {
  const { inputs, environment, evidence, outcome } = said;
  if (!isKnown({ predicate: said }))
    throw new Refused(
      'version',
      'This version does not know the list of attempts that the line names, so it cannot judge it again; verify with the version of Loadline that the line names.',
    );
  const excess = probeExcess(evidence);
  if (excess !== null) throw new Refused('form', excess);
  if (!sameJson(evidence, await normalised(evidence)))
    throw new Refused('form', 'The evidence is not in the form in which it is signed.');
  if (subject[0].name !== 'loadline.json' || subject[0].digest.sha256 !== inputs.config)
    throw new Refused('verdict', 'The line is not about the loadline.json that it names.');
  try {
    if (sameJson(judged(evidence, environment), outcome)) return;
  } catch (error) {
    if (error instanceof Unjudgeable) throw new Refused('verdict', error.message);
    throw error;
  }
  throw new Refused('verdict', 'The outcome is not what the rules say of the attempts.');
}

function isKnown({ predicate: { inputs } }: Pick<ProbeStatement, 'predicate'>): boolean {
  return inputs.rules === PROBE_VERSION;
}

function sharedFacts({ subject, predicate: { inputs, environment } }: ProbeStatement): string {
  const { engine, limits, loadline } = environment;
  return canonical({ subject, inputs, environment: { engine, limits, loadline } });
}

export const probeRules: LineRules<ProbeStatement> = {
  predicate,
  notEstablished: PROBE_NOT_ESTABLISHED,
  aboutAdapter: false,
  isKnown,
  nameOf: ({ predicate: { environment } }) => environment.runtime,
  compare(a, b) {
    const [left, right] = [this.nameOf(a), this.nameOf(b)];
    return left === right ? 0 : left < right ? -1 : 1;
  },
  sharedFacts,
  verdictOf(statements) {
    const verdicts = statements.map(({ predicate: { outcome } }) => outcome.verdict);
    if (verdicts.includes('failed')) return 'failed';
    const whole = new Set(statements.map(sharedFacts)).size === 1 && !verdicts.includes('partial');
    return whole ? 'qualified' : 'partial';
  },
  requireFollows,
};
